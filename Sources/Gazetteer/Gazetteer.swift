public import Domain
public import Foundation

/// Names and administrative areas of places, by position and by name, from the tables of `geodata/`.
///
/// The files are memory-mapped and never written, so one gazetteer serves every thread, and costs the memory of the
/// pages in use only. Boundaries, settlements and postal codes that were imported are asked beside them.
public final class Gazetteer: Sendable, PlaceFinder {
    let places: PlaceTable
    let outlines: Outlines
    let names: NameIndex
    let towns: SphereTree
    let points: ItalianPoints
    let confidence: ConfidenceCurve
    let ground: OutlineIndex
    let imported: (any PlaceSource)?
    private let files: [MappedFile]

    /// Opens `gazetteer.bin` and `points.bin` of a folder, without reading more of them than their heads.
    ///
    /// - Parameter imported: what an operator added: it goes before the tables where it is surer.
    /// - Throws: `GazetteerError` where a file is missing, truncated, foreign or of another version.
    public init(directory: URL, imported: (any PlaceSource)? = nil) throws {
        let tables = try TableFile(MappedFile(url: directory.appendingPathComponent("gazetteer.bin")))
        let fitted = try TableFile(MappedFile(url: directory.appendingPathComponent("points.bin")))
        let stamps = try [tables, fitted].map { file in
            let stamp = try file.section("STMP", stride: 8)
            guard stamp.count == 1 else { throw GazetteerError.damaged(path: file.file.path, section: "STMP") }
            return stamp.integer(0, as: UInt64.self)
        }
        guard stamps[0] == stamps[1] else { throw GazetteerError.mismatched(path: fitted.file.path) }
        stamp = stamps[0]
        let places = try PlaceTable(tables)
        let outlines = try Outlines(tables)
        self.places = places
        self.outlines = outlines
        names = try NameIndex(tables)
        towns = SphereTree(records: places.records, count: places.range(.town).count)
        points = try ItalianPoints(fitted, places)
        confidence = try ConfidenceCurve(fitted)
        ground = OutlineIndex(places: places, outlines: outlines)
        files = [tables.file, fitted.file]
        self.imported = imported
    }

    /// The place a point belongs to; nil on the open sea, and where no settlement is near.
    public func place(at coordinate: Coordinate, language: Language) throws -> Place? {
        let answer = try reverse(coordinate, language: language, alternatives: 0)
        return answer.isOnLand ? answer.place : nil
    }

    /// The best place of that name; "Fisciano", "Fisciano (SA)" and "Fisciano, Salerno" are understood.
    public func place(named name: String, language: Language) throws -> Place? {
        try search(name, near: nil, language: language, limit: 1).first
    }

    /// Tells one version of the tables from another.
    package let stamp: UInt64

    /// Every bundled place, areas too, with its number in the tables.
    package func everyPlace(_ body: (Int, Place) throws -> Void) throws {
        for number in 0..<places.records.count {
            if let place = places.place(number, .english) { try body(number, place) }
        }
    }

    /// Italy's comuni and hamlets, with their populations.
    public func italianPlaces() -> [Place] {
        [PlaceTable.Kind.comune, .locality].flatMap(places.range).compactMap { places.place($0, .italian) }
    }
}
