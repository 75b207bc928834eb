public import Domain
public import Foundation
import Synchronization

/// Finds names and administrative areas of places by position and by name, in the tables of `geodata/`.
///
/// The files are memory-mapped and read-only, so all threads share one gazetteer, which uses memory only for the pages
/// that are read. Imported boundaries, settlements and postal codes are searched as well.
public final class Gazetteer: Sendable, PlaceFinder {
    let places: PlaceTable
    let outlines: Outlines
    /// The names of the tables, which are found in all languages.
    let names: NameIndex
    /// The same index with the names of a language, for those that were asked for.
    let languageNames = Mutex<[Language: NameIndex]>([:])
    let towns: SphereTree
    let points: WeightedPoints
    /// By the numbers of their countries.
    let municipalities: [Int: Municipalities]
    let confidence: ConfidenceCurve
    let ground: OutlineIndex
    let sea: OpenSea
    let imported: (any PlaceSource)?
    /// Where the site's users are. Searches without a position rank places near it higher.
    let home: Coordinate?
    private let files: [MappedFile]

    /// Opens `gazetteer.bin`, `points.bin`, `sea.bin` and `countries/*.bin` in a folder. Reads `gazetteer.bin` once, for its checksum.
    ///
    /// - Parameters:
    ///   - imported: The data that the operator imported. It takes precedence over the tables where it is more certain.
    ///   - home: Where the site's users are. Searches without a position rank places near it higher.
    /// - Throws: `GazetteerError` if a file is missing, truncated, of another kind or of another version.
    public init(directory: URL, imported: (any PlaceSource)? = nil, home: Coordinate? = nil) throws {
        let tables = try TableFile(MappedFile(url: directory.appendingPathComponent("gazetteer.bin")))
        let fitted = try TableFile(MappedFile(url: directory.appendingPathComponent("points.bin")))
        let seas = try TableFile(MappedFile(url: directory.appendingPathComponent("sea.bin")))
        // The tables refer to each other by number, which only the build program and this checksum check.
        let stamp = try fitted.section("STMP", stride: 8)
        let checksum = UInt64(tables.checksum)
        guard stamp.count == 1, stamp.integer(0) == checksum else {
            throw GazetteerError.mismatched(path: tables.file.path)
        }
        let places = try PlaceTable(tables)
        let outlines = try Outlines(tables)
        self.places = places
        self.outlines = outlines
        names = try NameIndex(tables)
        towns = SphereTree(records: places.records, count: places.range(.town).count)
        points = try .italian(fitted, places)
        confidence = try ConfidenceCurve(fitted)
        ground = OutlineIndex(places: places, outlines: outlines)
        sea = try OpenSea(seas)
        let countries = try Municipalities.all(
            in: directory.appendingPathComponent("countries"),
            places,
            stamp: checksum
        )
        municipalities = countries.byCountry
        files = [tables.file, fitted.file, seas.file] + countries.files
        self.imported = imported
        self.home = home
    }

    /// Returns the place that a point belongs to, or nil on the open sea and far from any settlement.
    public func place(at coordinate: Coordinate, language: Language) throws -> Place? {
        let answer = try reverse(coordinate, language: language, alternatives: 0)
        return answer.isOnLand ? answer.place : nil
    }

    /// Returns the best place with this name. Accepts "Fisciano", "Fisciano (SA)" and "Fisciano, Salerno".
    public func place(named name: String, language: Language) throws -> Place? {
        try search(name, near: nil, language: language, limit: 1).first
    }

    /// Whether a point is in the sea, more than 20 km from land, and in no imported area.
    public func isOpenSea(at coordinate: Coordinate) throws -> Bool {
        guard sea.contains(coordinate) else { return false }
        return try imported?.areas(at: coordinate).isEmpty ?? true
    }

    /// Returns the towns of a country with their populations; of Italy, its comuni and hamlets.
    ///
    /// - Parameter code: ISO 3166-1 alpha-2.
    public func towns(of code: String, language: Language) -> [Place] {
        guard let country = places.country(code: code) else { return [] }
        return [PlaceTable.Kind.town, .comune, .locality].flatMap(places.range).filter { places.country($0) == country }
            .compactMap { places.place($0, language) }
    }
}
