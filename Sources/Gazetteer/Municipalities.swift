import Domain
import Foundation

/// The municipalities of a country other than Italy, by the points of `geodata/fit.py`.
struct Municipalities: Sendable {
    private let points: WeightedPoints
    /// The place that each municipality is.
    private let towns: Section
    let confidence: ConfidenceCurve

    /// - Throws: `GazetteerError` if the file is damaged, or was connected with other tables by `geodata/build.py`.
    init(_ file: TableFile, _ places: PlaceTable, stamp: UInt64) throws(GazetteerError) {
        let stamps = try file.section("STMP", stride: 8)
        guard stamps.count == 1, stamps.integer(0) == stamp else { throw .mismatched(path: file.file.path) }
        let frame = try file.section("FRAM", stride: 24)
        towns = try file.section("TOWN", stride: 4)
        let isComplete = frame.count == 1 && towns.count <= Int(UInt16.max)
        let known = places.range(.town)
        guard isComplete,
            (0..<towns.count).allSatisfy({ [towns] in known.contains(Int(towns.integer($0, as: UInt32.self))) })
        else { throw .damaged(path: file.file.path, section: "TOWN") }
        points = try WeightedPoints(
            file,
            WeightedPoints.Frame(
                west: frame.double(0, at: 0),
                south: frame.double(0, at: 8),
                extent: frame.double(0, at: 16)
            ),
            ownerAreas: Array(repeating: 0, count: towns.count)
        )
        confidence = try ConfidenceCurve(file)
    }

    /// Returns the places of the nearest points, unordered, with their scores.
    func nearest(
        to coordinate: Coordinate, atMost capacity: Int, within metres: Double
    ) -> [(place: Int, score: Double)] {
        points.nearest(to: coordinate, atMost: capacity, within: metres, in: nil).compactMap { hit in
            hit.owner.map { (Int(towns.integer($0, as: UInt32.self)), hit.score) }
        }
    }

    /// Opens the files of a folder, which are named by the codes of the countries; there are none if the folder is missing.
    ///
    /// - Returns: the municipalities by the numbers of their countries in the tables.
    static func all(
        in folder: URL,
        _ places: PlaceTable,
        stamp: UInt64
    ) throws(GazetteerError) -> (byCountry: [Int: Municipalities], files: [MappedFile]) {
        let urls = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        var (found, files) = ([Int: Municipalities](), [MappedFile]())
        for url in urls where url.pathExtension == "bin" {
            guard let country = places.country(code: url.deletingPathExtension().lastPathComponent) else { continue }
            let file = try TableFile(MappedFile(url: url))
            found[country] = try Municipalities(file, places, stamp: stamp)
            files.append(file.file)
        }
        return (found, files)
    }
}
