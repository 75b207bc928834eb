import Domain
import Foundation
import SQL
import TestSupport
import Testing

@testable import MapDatabase
@testable import OpenStreetMap

/// A village on an island, as OSM XML: a coast, a wood with a clearing, a street of two ways, a square, houses, a hospital and the
/// boundary of the municipality.
@Suite("Extracts become map databases")
struct MapExtractionTests {
    /// Nodes on a grid of a thousandth of a degree: number 100 * row + column.
    private static func node(_ row: Int, _ column: Int, _ tags: String = "") -> String {
        let (lon, lat) = (14 + Double(column) / 1_000, 40 + Double(row) / 1_000)
        return "<node id=\"\(1 + 100 * row + column)\" lon=\"\(lon)\" lat=\"\(lat)\">\(tags)</node>"
    }

    private static func tag(_ key: String, _ value: String) -> String { "<tag k=\"\(key)\" v=\"\(value)\"/>" }

    private static func way(_ id: Int, _ nodes: [(Int, Int)], _ tags: String = "") -> String {
        let refs = nodes.map { "<nd ref=\"\(1 + 100 * $0.0 + $0.1)\"/>" }.joined()
        return "<way id=\"\(id)\">\(refs)\(tags)</way>"
    }

    private static func house(_ row: Int, _ column: Int, _ number: String) -> String {
        let tags = [("addr:street", "Via Roma"), ("addr:housenumber", number), ("addr:postcode", "84084")]
        return node(row, column, tags.map { tag($0.0, $0.1) }.joined())
    }

    private static let square = [(10, 10), (10, 20), (20, 20), (20, 10), (10, 10)]
    private static let clearing = [(12, 12), (12, 14), (14, 14), (14, 12), (12, 12)]
    private static let island = [(0, 0), (0, 60), (60, 60), (60, 0), (0, 0)]
    private static let boundary = [(1, 1), (1, 59), (59, 59), (59, 1), (1, 1)]

    private static func village(ways: String = "", isSorted: Bool = true) -> String {
        let houses = [31: "1", 33: "3", 39: "12/A", 41: "Palazzo Verde"]
        let hospital = tag("amenity", "hospital") + tag("name", "Ospedale San Giovanni di Dio e Ruggi")
        let nodes = (0...60).flatMap { row in
            (0...60).map { column in
                if row == 31, let number = houses[column] { return house(row, column, number) }
                return (row, column) == (35, 35) ? node(row, column, hospital) : node(row, column)
            }
        }
        let street = tag("highway", "residential") + tag("name", "Via Roma")
        let member = { (way: Int, role: String) in "<member type=\"way\" ref=\"\(way)\" role=\"\(role)\"/>" }
        let lines = [
            way(1, island, tag("natural", "coastline")), way(2, square), way(3, clearing), way(4, boundary),
            way(5, [(30, 30), (30, 36)], street), way(6, [(30, 36), (30, 44)], street),
            way(7, [(40, 40), (40, 44), (44, 44), (44, 40), (40, 40)], tag("building", "yes")),
        ]
        let wood = tag("type", "multipolygon") + tag("natural", "wood")
        let town =
            tag("type", "boundary") + tag("boundary", "administrative") + tag("admin_level", "8")
            + tag("name", "Isola Verde")
        return "<osm version=\"0.6\">" + (isSorted ? nodes : nodes.reversed()).joined() + lines.joined() + ways
            + "<relation id=\"1\">\(member(2, "outer"))\(member(3, "inner"))\(wood)</relation>"
            + "<relation id=\"2\">\(member(4, "outer"))\(town)</relation></osm>"
    }

    private static func importMap(_ xml: String, _ folder: TemporaryFolder) throws -> MapDatabaseCounts {
        let file = folder.url.appending(path: "village.osm")
        try Data(xml.utf8).write(to: file)
        let writer = try MapDatabaseWriter(
            replacing: MapFolder.file("village", in: folder.url),
            source: "village.osm",
            importedAt: "2026-11-29T00:00:00Z"
        )
        try MapExtraction.read(file, temporaryFolder: folder.url, into: writer) { _ in }
        return try writer.finish(place: { _ in nil }, progress: { _, _ in })
    }

    private static func village() throws -> MapDatabase {
        let folder = try TemporaryFolder()
        _ = try importMap(village(), folder)
        return try MapDatabase(MapFolder.file("village", in: folder.url))
    }

    @Test("Areas keep their holes, and lines, buildings, names and numbers have their zoom levels")
    func shapes() throws {
        let map = try Self.village()
        let everything = try #require(map.extent)
        let shapes = try map.shapes(in: everything, zoom: 18)
        let wood = try #require(shapes.first { $0.kind == .wood })
        #expect(wood.lines.count == 2)
        #expect(wood.lines[1].count == 5)
        #expect(shapes.filter { $0.kind == .street }.map(\.name) == ["Via Roma", "Via Roma"])
        #expect(
            shapes.filter { $0.kind == .houseNumber }.compactMap(\.name).sorted() == [
                "1", "12/A", "3", "Palazzo Verde",
            ])
        #expect(shapes.contains { $0.kind == .landmark && $0.name?.hasPrefix("Ospedale") == true })
        #expect(shapes.count { $0.kind == .building } == 1)
        // Coordinates are exact to a tenth of a metre, although lines are compressed.
        let corner = try #require(shapes.first { $0.kind == .building }?.lines[0][1])
        #expect(abs(corner.lon - 14.044) < 1e-6 && abs(corner.lat - 40.04) < 1e-6)
        let town = try map.shapes(in: everything, zoom: 13)
        #expect(!town.contains { [.building, .houseNumber].contains($0.kind) })
        #expect(town.map(\.kind.order) == town.map(\.kind.order).sorted())
        #expect(try map.coast(in: everything, zoom: 14).map(\.count) == [5])
        #expect(try map.coast(in: everything, zoom: 5).isEmpty)
    }

    @Test(
        "Addresses are found as people write them",
        arguments: [
            ("Via Roma 12/a, Isola Verde", "12/A", StreetAddress.Precision.house),
            ("via roma 12 A isola verde", "12/A", .house), ("V. Roma 3", "3", .house), ("3 via roma", "3", .house),
            ("84084 Via Roma, 3", "3", .house), ("via roma palazzo verde", "Palazzo Verde", .house),
            ("Via Roma 99, Isola Verde", "12/A", .nearestHouse), ("Via Roma 2", "1", .nearestHouse),
            ("via rona 3 isola verde", "3", .house), ("Isola Verde via Rom", nil, .street),
        ] as [(String, String?, StreetAddress.Precision)]
    )
    func search(_ text: String, _ number: String?, _ precision: StreetAddress.Precision) throws {
        let folder = try TemporaryFolder()
        _ = try Self.importMap(Self.village(), folder)
        let addresses = MapAddresses(MapFolder(folder.url))
        let found = try addresses.addresses(called: text, near: nil, limit: 5)
        let best = try #require(found.first)
        #expect(best.address.name == "Via Roma")
        #expect(best.address.houseNumber == number)
        #expect(best.address.precision == precision)
        #expect(best.town == "Isola Verde")
        #expect(best.address.postalCode == "84084")
        // The two ways are one street.
        #expect(found.count == 1)
    }

    @Test("Landmarks are found by some of their words, and what is not there is not found")
    func landmarks() throws {
        let folder = try TemporaryFolder()
        _ = try Self.importMap(Self.village(), folder)
        let addresses = MapAddresses(MapFolder(folder.url))
        let hospital = try #require(try addresses.addresses(called: "ospedale ruggi", near: nil, limit: 1).first)
        #expect(hospital.address.precision == .landmark)
        #expect(hospital.address.tagValue == "hospital")
        for text in [
            "Isola Verde", "Piazza Garibaldi", "12", "", "\"' OR *", "via \u{0} ()",
            String(repeating: "via ", count: 500),
        ] {
            #expect(
                try addresses.addresses(called: text, near: nil, limit: 5).allSatisfy { $0.address.name == "Via Roma" })
        }
        #expect(try addresses.addresses(called: "Piazza Garibaldi", near: nil, limit: 5).isEmpty)
        #expect(try addresses.addresses(called: "Isola Verde", near: nil, limit: 5).isEmpty)
    }

    @Test("The index of words is in one part, which a search reads once for each word")
    func index() throws {
        let folder = try TemporaryFolder()
        let file = MapFolder.file("streets", in: folder.url)
        let writer = try MapDatabaseWriter(replacing: file, source: "", importedAt: "2026-11-29T00:00:00Z")
        let middle = try #require(Coordinate(lon: 14, lat: 40))
        // In the order of their names, which is not that in which they are written.
        for name in ["Via Roma", "Via Milano", "Via Amalfi"] {
            let tag = (key: "highway", value: "residential")
            try writer.add(
                MapDatabaseWriter.NamedPlace(tag: tag, name: name, otherNames: [], middle: middle, length: 1)
            )
        }
        _ = try writer.finish(place: { _ in nil }, progress: { _, _ in })
        let parts: Int? = try MapDatabase(file).read { db in
            try db.value("SELECT count(DISTINCT segid) FROM place_text_idx")
        }
        #expect(parts == 1)
    }

    @Test("A point has the nearest house, otherwise the nearest street")
    func reverse() throws {
        let map = try Self.village()
        let house = try map.address(at: #require(Coordinate(lon: 14.0331, lat: 40.0311)), within: 50)
        #expect(house?.address.text == "Via Roma 3")
        let street = try map.address(at: #require(Coordinate(lon: 14.036, lat: 40.0303)), within: 50)
        #expect(street?.address.text == "Via Roma")
        #expect(street?.address.precision == .street)
        #expect(try map.address(at: #require(Coordinate(lon: 14.05, lat: 40.05)), within: 50) == nil)
    }

    @Test("A listing's street in a town has a position, unless it is not known or not clear")
    func position() throws {
        let folder = try TemporaryFolder()
        _ = try Self.importMap(Self.village(), folder)
        let addresses = MapAddresses(MapFolder(folder.url))
        var town = Place(coordinate: try #require(Coordinate(lon: 14.03, lat: 40.03)))
        town.comune = "Isola Verde"
        let found = try #require(try addresses.position(of: "Via Roma 3", in: town))
        #expect(abs(found.lon - 14.033) < 1e-6)
        for text in ["Via Milano 3", "vicino al bar", "Roma", ""] {
            #expect(try addresses.position(of: text, in: town) == nil)
        }
        // Far from the town of the listing it is another street.
        town.coordinate = try #require(Coordinate(lon: 12, lat: 45))
        #expect(try addresses.position(of: "Via Roma 3", in: town) == nil)
    }

    @Test("A newer extract replaces the older one at once; a damaged or unsorted one changes nothing")
    func replacement() throws {
        let folder = try TemporaryFolder()
        _ = try Self.importMap(Self.village(), folder)
        let file = MapFolder.file("village", in: folder.url)
        let old = try MapDatabase(file)
        let everything = try #require(old.extent)
        let before = try Data(contentsOf: file)
        let cut = String(Self.village().dropLast(2_000))
        for (xml, reason) in [
            (cut, "cut short"), (Self.village(isSorted: false), "not sorted"), ("<osm></osm>", "no ways"),
        ] {
            let error = #expect(throws: OpenStreetMapFileError.self) { try Self.importMap(xml, folder) }
            #expect(error?.reason.contains(reason) == true)
            #expect(try Data(contentsOf: file) == before)
        }
        let more = Self.way(90, [(50, 50), (50, 55)], Self.tag("highway", "primary"))
        let counts = try Self.importMap(Self.village(ways: more), folder)
        #expect(counts.addresses == 4)
        #expect(try MapDatabase(file).shapes(in: everything, zoom: 14).contains { $0.kind == .primary })
        // Who has the older file open reads on.
        #expect(try !old.shapes(in: everything, zoom: 14).contains { $0.kind == .primary })
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        #expect(left == ["village.osm", "village.sqlite"])
    }

    @Test("The folder notices new, replaced and removed files, and leaves out what is no map")
    func folder() async throws {
        let folder = try TemporaryFolder()
        try Data("no database".utf8).write(to: MapFolder.file("other", in: folder.url))
        let maps = MapFolder(folder.url, interval: .zero)
        #expect(maps.maps.isEmpty)
        let empty = maps.version
        _ = try Self.importMap(Self.village(), folder)
        #expect(maps.maps.count == 1)
        let first = maps.version
        #expect(first != empty)
        _ = try Self.importMap(Self.village(), folder)
        #expect(maps.version != first)
        try FileManager.default.removeItem(at: MapFolder.file("village", in: folder.url))
        #expect(maps.maps.isEmpty)
    }

    @Test(
        "The extract of Malta is imported",
        .enabled(if: SharedData.isAvailable, Comment(rawValue: SharedData.absence))
    )
    func malta() throws {
        let folder = try TemporaryFolder()
        let writer = try MapDatabaseWriter(
            replacing: MapFolder.file("malta", in: folder.url),
            source: "malta.osm.pbf",
            importedAt: "2026-11-29T00:00:00Z"
        )
        let file = SharedData.url("geo/osm/malta-latest-2018.osm.pbf")
        try MapExtraction.read(file, temporaryFolder: folder.url, into: writer) { _ in }
        let counts = try writer.finish(place: { _ in nil }, progress: { _, _ in })
        #expect(counts.features > 50_000)
        #expect(counts.addresses == 529)
        // The councils, and what lies outside of them.
        #expect((60...75).contains(counts.towns))
        let found = try MapAddresses(MapFolder(folder.url))
            .addresses(called: "Triq ir-Repubblika, Valletta", near: nil, limit: 1)
        #expect(found.first?.address.name == "Triq ir-Repubblika")
        #expect(found.first?.town == "Valletta")
    }
}
