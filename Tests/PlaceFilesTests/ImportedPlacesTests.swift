import Domain
import Foundation
import Gazetteer
import Geodata
import PlaceFiles
import RandomSupport
import SQL
import SpatiaLite
import Storage
import TestSupport
import Testing

@Suite("Imported places")
struct ImportedPlacesTests {
    private static let map = ["comune=NAME", "comune_code=CODE", "province_code=PROV"]
    /// Tables with a row for each entry of an index. On PostGIS, spatial indexes have none.
    private static let textIndex = TestDatabase.isFile ? "place_text_docsize" : "place_text"
    private static let areaIndex = TestDatabase.isFile ? "idx_place_area_geom" : "place_area"
    private static let pointIndex = TestDatabase.isFile ? "idx_place_geom" : "place WHERE geom IS NOT NULL"
    private let files: Files
    private let board: TestDatabase
    private let places: PlaceStore
    private let gazetteer: Gazetteer

    init() async throws {
        files = try Files()
        board = try await TestDatabase()
        places = PlaceStore(board.database)
        gazetteer = try Gazetteer(directory: Geodata.directory, imported: places)
    }

    private func names(_ lon: Double, _ lat: Double) throws -> [String] {
        try places.areas(at: try #require(Coordinate(lon: lon, lat: lat))).map(\.name)
    }

    private func reverse(_ lon: Double, _ lat: Double) throws -> Place {
        try gazetteer.reverse(try #require(Coordinate(lon: lon, lat: lat)), language: .italian).place
    }

    @Test("A point is in the area that contains it, not in its hole, and on a border in one area")
    func areas() async throws {
        try await places.put(files.write(Files.squares), Self.map)
        #expect(try names(10.6, 46) == ["West"])
        #expect(try names(12, 46) == ["East"])
        #expect(try names(11, 46).isEmpty)
        #expect(try names(13, 46).isEmpty)
        #expect(try names(11.5, 46) == ["East"])
        let onBorder = try reverse(11.5, 46)
        #expect(try reverse(11.5, 46) == onBorder)
        #expect(onBorder.comune == "East")
        #expect(onBorder.comuneCode == "A002")
    }

    @Test("Inside imported areas the answer comes from the file, and outside from the bundled tables")
    func answers() async throws {
        try await places.put(files.write(Files.squares), Self.map, set: ["country_code=IT", "region=Nowhere"])
        let inside = try gazetteer.reverse(#require(Coordinate(lon: 12, lat: 46)), language: .english, alternatives: 3)
        #expect(inside.place.comune == "East")
        #expect(inside.place.comuneCode == "A002")
        #expect(inside.place.region == "Nowhere")
        #expect(inside.place.country == "Italy")
        #expect(inside.place.confidence == 1)
        #expect(inside.alternatives.isEmpty)
        let outside = try reverse(14.79, 40.77)
        let point = try #require(Coordinate(lon: 14.79, lat: 40.77))
        #expect(try Bundled.gazetteer().reverse(point, language: .italian).place == outside)
    }

    @Test("The confidence in a comune rises with the distance from its outline and with the fineness of the outline")
    func confidence() async throws {
        let centre = try #require(Coordinate(lon: 11, lat: 46))
        for (corners, lon) in [(16, 11.0), (512, 12.0)] {
            let circle = Files.feature(
                #"{"NAME": "Round \#(corners)"}"#,
                polygon: Self.circle(lon: lon, lat: centre.lat, radius: 0.05, corners: corners)
            )
            try await places.put(
                files.write(Files.collection(circle), "circle\(corners).geojson"),
                ["comune=NAME"],
                set: ["country_code=IT"],
                named: "\(corners) corners"
            )
        }

        func inside(_ lon: Double, metres: Double) throws -> Double {
            let north = 0.05 * cos(.pi / 16) - metres / 111_195
            return try #require(try reverse(lon, centre.lat + north).confidence)
        }
        #expect(try inside(11, metres: 5_400) > 0.999)
        #expect(try (0.5..<0.7).contains(inside(11, metres: 20)))
        #expect(try inside(11, metres: 500) > inside(11, metres: 20) + 0.2)
        #expect(try inside(12, metres: 20) > 0.999)
    }

    private static func circle(lon: Double, lat: Double, radius: Double, corners: Int) -> String {
        let points = (0...corners).map { number in
            let angle = 2 * Double.pi * (Double(number % corners) + 0.5) / Double(corners) + 0.001
            return "[\(lon + radius / cos(lat * .pi / 180) * cos(angle)), \(lat + radius * sin(angle))]"
        }
        return "[[" + points.joined(separator: ", ") + "]]"
    }

    @Test("A known comune keeps its hamlets and postal code, and gets the name in the file")
    func knownComune() async throws {
        let text = Files.collection(
            Files.feature(
                #"{"NAME": "FISCIANO", "CODE": "D615", "PROV": "SA"}"#,
                polygon: "[[[14.7, 40.7], [14.9, 40.7], [14.9, 40.8], [14.7, 40.8], [14.7, 40.7]]]"
            )
        )
        try await places.put(files.write(text), Self.map, set: ["country_code=IT"])
        let place = try reverse(14.785, 40.761)
        #expect(place.comune == "FISCIANO")
        #expect(place.locality == "Lancusi-Penta-Bolano")
        #expect(place.postalCode == "84084")
        #expect(place.region == "Campania")
        // According to the bundled tables, this point is in Calvanico.
        #expect(try reverse(14.83, 40.776).comuneCode == "D615")
    }

    @Test("Other codes and names in another language do not hide data of the bundled tables")
    func otherNames() async throws {
        let campania = "[[[14, 40], [15.5, 40], [15.5, 40.9], [14, 40.9], [14, 40]]]"
        let fisciano = "[[[14.7, 40.7], [14.9, 40.7], [14.9, 40.8], [14.7, 40.8], [14.7, 40.7]]]"
        try await places.put(
            files.write(Files.collection(Files.feature(#"{"NAME": "Regione Campania"}"#, polygon: campania))),
            ["region=NAME"],
            set: ["country_code=IT"],
            named: "regions"
        )
        let coarse = try reverse(14.7989, 40.7717)
        #expect(coarse.comune == "Fisciano" && coarse.region == "Regione Campania" && coarse.provinceCode == "SA")
        try await places.put(
            files.write(Files.collection(Files.feature(#"{"NAME": "Fisciano", "CODE": "065052"}"#, polygon: fisciano))),
            ["comune=NAME", "comune_code=CODE"],
            set: ["country_code=IT"],
            named: "comuni"
        )
        let fine = try reverse(14.785, 40.761)
        #expect(fine.comuneCode == "065052" && fine.postalCode == "84084" && fine.province == "Salerno")
        #expect(
            try gazetteer.search("Fisciano", language: .italian).filter {
                $0.comune == "Fisciano" && $0.locality == nil
            }.count == 1
        )
    }

    @Test("An area of a higher level corrects only its own fields")
    func coarse() async throws {
        let text = Files.collection(
            Files.feature(
                #"{"SIGN": "SA", "NAME": "Salerno"}"#,
                polygon: "[[[14, 40], [15.5, 40], [15.5, 40.9], [14, 40.9], [14, 40]]]"
            )
        )
        try await places.put(files.write(text), ["province=NAME", "province_code=SIGN"], set: ["country_code=IT"])
        let inside = try reverse(14.7989, 40.7717)
        #expect(inside.comune == "Fisciano")
        #expect(try #require(inside.confidence) > 0.5)
        // The bundled tables place this point in Avellino, but the file says Salerno. The comune must be in Salerno or
        // unknown.
        let corrected = try reverse(14.79, 40.893)
        #expect(corrected.provinceCode == "SA")
        #expect(corrected.comune != "Avellino")
        #expect(try #require(corrected.confidence) <= 1)
    }

    @Test("A repeated import replaces the source atomically, and a failed one changes nothing")
    func replacing() async throws {
        try await places.put(files.write(Files.squares), Self.map)
        struct Cut: Error {}
        var calls = 0
        await #expect(throws: Cut.self) {
            try await places.put("test", .boundaries) {
                calls += 1
                if calls > 2 { throw Cut() }
                let point = try #require(Coordinate(lon: 1, lat: 1))
                let place = ImportedPlace(level: .comune, name: "New", place: Place(coordinate: point))
                return (0..<6_000).map { _ in PlaceStore.Entry(place) }
            }
        }
        #expect(try names(12, 46) == ["East"])
        #expect(try await rows("place") == 2)
        let only = Files.collection(Files.feature(#"{"NAME": "Only", "CODE": "X", "PROV": "Y"}"#, polygon: Files.east))
        #expect(try await places.put(files.write(only), Self.map) == 1)
        #expect(try names(12, 46) == ["Only"])
        #expect(try names(10.6, 46).isEmpty)
        for table in ["place", "place_area", "place_source", Self.areaIndex, Self.textIndex] {
            #expect(try await rows(table) == 1, "\(table)")
        }
        #expect(try await places.sources().map(\.name) == ["test"])
        #expect(try await places.remove("test"))
        #expect(try await !places.remove("test"))
        #expect(try await rows("place_area") == 0)
        #expect(try await board.database.check().isSound)
    }

    @Test("The remains of an interrupted import are invisible, and the next import deletes them")
    func remains() async throws {
        try await board.database.write { db in
            try db.execute("INSERT INTO place_source (id, name, kind) VALUES (9, 'dead', 'settlements')")
            try db.execute(
                """
                INSERT INTO place (source_id, geom, lon, lat, level, name, name_key, names, country_code)
                VALUES (9, MakePoint(12, 46, 4326), 12, 46, 'settlement', 'Ghost', 'ghost', 'ghost', 'IT')
                """
            )
        }
        #expect(try await places.sources().isEmpty)
        #expect(try gazetteer.search("Ghost", language: .italian).allSatisfy { $0.locality != "Ghost" })
        try await places.put(files.write(Files.squares), Self.map)
        #expect(try await rows("place_source") == 1)
        for table in ["place", Self.textIndex, "place_area"] { #expect(try await rows(table) == 2, "\(table)") }
        #expect(try await rows(Self.pointIndex) == 0)
    }

    @Test("An import waits for another one, reports this once, and both complete")
    func waiting() async throws {
        let point = try #require(Coordinate(lon: 1, lat: 1))
        let entry = PlaceStore.Entry(ImportedPlace(level: .comune, name: "Slow", place: Place(coordinate: point)))
        let (url, waits) = (try files.write(Files.squares), AsyncStream<Void>.makeStream())
        let gate = Gate(isOpen: false)
        let second = PlaceStore(try board.openAgain())
        var (calls, other) = (0, Task<Int, any Error>?.none)
        let first = try await places.put("slow", .boundaries) {
            calls += 1
            if calls == 1 {
                other = Task {
                    var file = try BoundaryFile(url, .geoJSON, try FieldMapping(Self.map))
                    return try await second.put(
                        "quick",
                        .boundaries,
                        next: { try file.next().map { PlaceStore.Entry($0.place, areas: $0.pieces) } },
                        waiting: {
                            waits.continuation.yield()
                            gate.open()
                        }
                    )
                }
            }
            if calls == 2 { gate.pass() }
            return calls < 4 ? Array(repeating: entry, count: 5_000) : []
        }
        #expect(first == 15_000)
        #expect(try await other?.value == 2)
        waits.continuation.finish()
        #expect(await waits.stream.reduce(0) { count, _ in count + 1 } == 1)
        #expect(try await places.sources().map(\.places) == [2, 15_000])
        #expect(try await rows("place") == 15_002)
    }

    @Test("Imported neighbourhoods give the locality, and the bundled tables the comune")
    func localities() async throws {
        let text = Files.collection(
            Files.feature(
                #"{"NAME": "Campus"}"#,
                polygon: "[[[14.78, 40.76], [14.81, 40.76], [14.81, 40.78], [14.78, 40.78], [14.78, 40.76]]]"
            )
        )
        try await places.put(files.write(text), ["locality=NAME"])
        try await places.put(
            table: files.write(GeoNamesFileTests.settlement("Vicino", "14.7989", "40.7717", country: "IT"), "IT.txt")
        )
        let place = try reverse(14.7989, 40.7717)
        #expect(place.locality == "Campus")
        #expect(place.comune == "Fisciano" && place.provinceCode == "SA" && place.region == "Campania")
    }

    @Test("Concurrent imports and removals are each atomic")
    func crowd() async throws {
        let (files, places) = (files, places)
        let url = try files.write(Files.squares)
        try await places.put(url, Self.map, named: "gone")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
                group.addTask { _ = try await places.put(url, Self.map, named: name) }
            }
            group.addTask { _ = try await places.remove("gone") }
            try await group.waitForAll()
        }
        #expect(try await places.sources().map(\.places) == Array(repeating: 2, count: 8))
        #expect(try await rows("place") == 16)
    }

    @Test("Areas agree with SpatiaLite's ST_Covers on random polygons, also if they are split into pieces")
    func oracle() async throws {
        var random = SeededGenerator(seed: 5)
        var features: [String] = []
        for number in 0..<20 {
            let (x, y) = (Double.random(in: 10...14, using: &random), Double.random(in: 42...46, using: &random))
            let corners = (0..<900).map { step -> String in
                let angle = Double(step) / 900 * 2 * .pi
                let radius = 0.6 + 0.3 * sin(7 * angle) + Double.random(in: 0...0.05, using: &random)
                return "[\(x + radius * cos(angle)), \(y + radius * sin(angle))]"
            }
            let ring = corners + [corners[0]]
            features.append(Files.feature(#"{"NAME": "\#(number)"}"#, polygon: "[[\(ring.joined(separator: ","))]]"))
        }
        let url = try files.write(#"{"features": [\#(features.joined(separator: ","))]}"#)
        try await places.put(url, ["comune=NAME"])
        #expect(try await rows("place_area") > 60)
        let text = try String(contentsOf: url, encoding: .utf8)
        let oracle = try StandaloneDatabase.inMemory()
        try oracle.write { db in
            try db.execute(
                """
                CREATE TABLE area AS SELECT json_extract(value, '$.properties.NAME') AS name,
                    GeomFromGeoJSON(json_extract(value, '$.geometry')) AS geom FROM json_each(?, '$.features')
                """,
                [text]
            )
        }
        var inside = 0
        for _ in 0..<2_000 {
            let (x, y) = (Double.random(in: 9.5...14.5, using: &random), Double.random(in: 41.5...46.5, using: &random))
            let wanted = try oracle.read { db in
                try Set(
                    db.values(
                        "SELECT name FROM area WHERE ST_Covers(geom, SetSRID(MakePoint(?, ?), ST_SRID(geom)))",
                        [x, y]
                    ) as [String]
                )
            }
            // The area that was imported last wins where areas overlap.
            #expect(try names(x, y) == wanted.compactMap(Int.init).max().map { [String($0)] } ?? [])
            inside += wanted.count
        }
        #expect(inside > 500)
    }

    @Test("The nearest settlement by weight answers, in Italy as a locality")
    func settlements() async throws {
        try await places.put(
            table: files.write(
                [
                    GeoNamesFileTests.settlement("Kleinhof", "13.2", "52.9"),
                    GeoNamesFileTests.settlement("Casetta", "14.815", "40.772", country: "IT"),
                    GeoNamesFileTests.settlement("Abroad", "14.8151", "40.7721", country: "FR"),
                ]
                .joined(separator: "\n"),
                "IT.txt"
            )
        )
        let german = try reverse(13.2005, 52.9003)
        #expect(german.comune == "Kleinhof")
        #expect(german.countryCode == "DE" && german.region != nil)
        #expect(try #require(german.distance) < 100)
        let italian = try reverse(14.815, 40.7721)
        #expect(italian.comune == "Fisciano" && italian.locality == "Casetta")
        let far = try reverse(14.77, 40.75)
        #expect(far.locality != "Casetta")
    }

    @Test("Imported names are found complete, incomplete, misspelt and with a qualifier")
    func search() async throws {
        try await places.put(
            table: files.write(
                [
                    GeoNamesFileTests.settlement(
                        "Kleinhofstadt",
                        "13.2",
                        "52.9",
                        people: 50,
                        names: "Piccola Corte,Żółtokrøń"
                    ),
                    GeoNamesFileTests.settlement("Kleinhofdorf", "8.2", "49.9", people: 90),
                    GeoNamesFileTests.settlement("Fisciano", "14.8", "40.77", people: 1, country: "IT"),
                ]
                .joined(separator: "\n"),
                "DE.txt"
            )
        )
        func found(_ text: String, near: Coordinate? = nil) throws -> [String] {
            try gazetteer.search(text, near: near, language: .italian, limit: 3).map { $0.locality ?? $0.comune ?? "" }
        }
        #expect(try found("Kleinhofstadt") == ["Kleinhofstadt"])
        #expect(try found("kleinhofst") == ["Kleinhofstadt"])
        #expect(try found("kleinhof", near: Coordinate(lon: 13.2, lat: 52.8)).first == "Kleinhofstadt")
        #expect(try found("Kleinhofstdat").first == "Kleinhofstadt")
        #expect(try found("piccola corte").first == "Kleinhofstadt")
        #expect(try found("żółtokrøń").first == "Kleinhofstadt")
        #expect(try found("zoltokron").first == "Kleinhofstadt")
        #expect(try found("Kleinhofstadt, Germania") == ["Kleinhofstadt"])
        #expect(try found("Fisciano").filter { $0 == "Fisciano" }.count == 1)
        for text in [
            "\"", "* OR", "NEAR(a b)", "names:x", "a\" OR \"b", "-", "^x", "(", "😀 klein", "क।ि", "x \u{e33}", "हिन्दी",
            "กรุงเทพ", "বাংলা", "தமிழ்",
            "القَاهِرَة",
        ] {
            _ = try found(text)
        }
    }

    @Test("Postal codes are found, and are added to answers if they are certain")
    func postalCodes() async throws {
        try await places.put(
            table: files.write(
                [
                    GeoNamesFileTests.code("16321", "Bernau bei Berlin", 13.587, 52.679),
                    GeoNamesFileTests.code("80331", "Munich", 11.57, 48.13),
                    GeoNamesFileTests.code("80333", "Munich", 11.57, 48.13),
                ]
                .joined(separator: "\n"),
                "codes.txt"
            )
        )
        let found = try gazetteer.search("16321", language: .english)
        #expect(found.map(\.comune) == ["Bernau bei Berlin"])
        #expect(found.first?.region != nil)
        #expect(
            try gazetteer.search("8033", language: .english).compactMap(\.postalCode).sorted() == ["80331", "80333"]
        )
        #expect(try reverse(13.587, 52.68).postalCode == "16321")
        #expect(try reverse(11.575, 48.137).postalCode == nil)
    }

    private func rows(_ table: String) async throws -> Int {
        try await board.database.read { db in try db.value("SELECT count(*) FROM \(table)") ?? 0 }
    }
}
