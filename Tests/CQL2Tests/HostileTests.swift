import CQL2
import Domain
import RandomSupport
import Testing

@Suite("Hostile filters")
struct HostileTests {
    @Test(
        "Filters that are too deep, too long or have too many operators are rejected",
        arguments: [
            (
                String(repeating: "(", count: 8000) + "TRUE" + String(repeating: ")", count: 8000),
                "at most 64 levels in each other"
            ),
            (String(repeating: "NOT ", count: 4000) + "TRUE", "at most 64 levels in each other"),
            (
                String(repeating: "CASEI(", count: 2000) + "name" + String(repeating: ")", count: 2000),
                "at most 64 levels in each other"
            ),
            ("age = 1" + String(repeating: "+1", count: 4000), "at most 64 levels in each other"),
            ("age = 1" + String(repeating: "^1", count: 4000), "at most 64 levels in each other"),
            ("age = " + String(repeating: "-", count: 4000) + "age", "at most 64 levels in each other"),
            ("age = 0x10", "a number at character 7, found 0x10"),
            (
                "S_INTERSECTS(geom," + String(repeating: "GEOMETRYCOLLECTION(", count: 800),
                "at most 64 levels in each other"
            ),
            ("age IN (1" + String(repeating: ",1", count: 4000) + ")", "at most 1000 values and operators"),
            ("TRUE" + String(repeating: " OR TRUE", count: 2000), "at most 1000 values and operators"),
            ("name = '" + String(repeating: "x", count: 16 * 1024) + "'", "at most 16384 bytes"),
        ]
    )
    func limits(text: String, complaint: String) {
        #expect(throws: ServiceError.invalid("filter", "expected \(complaint)")) { try CQL2Filter(text: text) }
    }

    @Test(
        "The same limits apply to JSON",
        arguments: [
            String(repeating: #"{"op":"not","args":["#, count: 65) + "true" + String(repeating: "]}", count: 65),
            String(repeating: "[", count: 16_000), String(repeating: #"{"op":"#, count: 2000),
            #"{"op":"in","args":[1,["# + Array(repeating: "1", count: 1001).joined(separator: ",") + "]]}",
        ]
    )
    func jsonLimits(json: String) {
        #expect(throws: ServiceError.self) { try CQL2Filter(json: json) }
    }

    @Test("The largest filter within the limits runs")
    func widest() async throws {
        let kennel = try await DogTable()
        let conditions = Array(repeating: "chipped", count: 990).joined(separator: " AND ")
        #expect(try kennel.ids(conditions) == [1, 4, 6])
        let members = (0..<990).map(String.init).joined(separator: ",")
        #expect(try kennel.ids("age IN (\(members))") == [1, 2, 4, 5, 6])
        let days = Array(repeating: "'2026-05-04'", count: 990).joined(separator: ",")
        #expect(try kennel.ids("seen IN (\(days))") == [1, 2, 6])
        let deep = String(repeating: "NOT (", count: 31) + "chipped" + String(repeating: ")", count: 31)
        #expect(try kennel.ids(deep) == [2, 5])
        let polygons = (0..<300).map { "POLYGON((\($0 % 9) 0,9 0,9 9,\($0 % 9) 0))" }.joined(separator: ",")
        #expect(try kennel.ids("S_INTERSECTS(geom, GEOMETRYCOLLECTION(\(polygons)))") == [])
        let corners = (0...1000).map { "\($0 % 90) \(-($0 / 90))" }.joined(separator: ",")
        #expect(try kennel.ids("S_DISJOINT(geom, LINESTRING(\(corners)))") == [1, 2, 4, 5, 6])
    }

    @Test("The size of the SQL is proportional to the filter, even for deep filters")
    func growth() async throws {
        let open = String(repeating: "(", count: 60)
        let wraps = [
            ") IS NULL", ") BETWEEN FALSE AND TRUE", ") = TRUE", ") IN (TRUE)", ") <> chipped", ") AND chipped",
            ") IN (chipped, NOT chipped)", ") BETWEEN chipped AND (NOT chipped)", ") OR chipped",
        ]
        for wrap in wraps {
            let text = open + "chipped" + String(repeating: wrap, count: 60)
            let condition = try CQL2Filter(text: text).condition(over: DogTable.queryables, on: .spatiaLite)
            #expect(condition.sql.utf8.count < 10_000)
            _ = try await DogTable().ids(text)
        }
    }

    @Test(
        "SQL inside a filter is a text, a property name or an error",
        arguments: [
            "name = 'x'' OR 1=1 --'", "name = '\"; DROP TABLE dog; --'", "name LIKE '%''; DELETE FROM dog; --'",
            "name IN ('''') OR name = ''') --'",
            "CASEI(name) = ''' || (SELECT 1) || '''",
        ]
    )
    func injection(text: String) async throws {
        let kennel = try await DogTable()
        #expect(try kennel.ids(text) == [])
        #expect(try kennel.ids("TRUE") == [1, 2, 3, 4, 5, 6])
    }

    @Test(
        "Property names that contain SQL are rejected as unknown",
        arguments: [
            "\"1=1 OR name\" = 'x'", "\"name\"\" OR 1=1 --\" = 'x'", "\"dog.id\" = 1", "rowid = 1", "dog.id = 1",
            "sqlite_version() = 'x'",
        ]
    )
    func strangeNames(text: String) {
        #expect(throws: ServiceError.self) {
            try CQL2Filter(text: text).condition(over: DogTable.queryables, on: .spatiaLite)
        }
    }

    @Test("A pattern with many wildcards terminates")
    func stars() async throws {
        #expect(try await DogTable().ids("colour LIKE '\(String(repeating: "%a", count: 5000))'") == [])
    }

    @Test("Randomly mutated filters run or are rejected")
    func mutations() async throws {
        let kennel = try await DogTable()
        var random = SeededGenerator(seed: 20_260_504)
        var ran = 0
        for round in 0..<6000 {
            let isJSON = round % 3 == 0
            let seeds = isJSON ? Self.jsonSeeds : Self.textSeeds
            var scalars = Array(seeds[Int.random(in: 0..<seeds.count, using: &random)].unicodeScalars)
            for _ in 0..<Int.random(in: 1...3, using: &random) where !scalars.isEmpty {
                let place = Int.random(in: 0..<scalars.count, using: &random)
                let end = min(scalars.count, place + Int.random(in: 1...5, using: &random))
                switch Int.random(in: 0..<4, using: &random) {
                case 0: scalars.removeSubrange(place..<end)
                case 1: scalars.insert(contentsOf: scalars[place..<end], at: end)
                case 2: scalars[place] = Self.strange[Int.random(in: 0..<Self.strange.count, using: &random)]
                default: scalars.swapAt(place, Int.random(in: 0..<scalars.count, using: &random))
                }
            }
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            do {
                _ = try kennel.ids(isJSON ? CQL2Filter(json: String(text)) : CQL2Filter(text: String(text)))
                ran += 1
            } catch let error as ServiceError {
                #expect(error.code == .invalid && error.field == "filter")
            }
        }
        #expect(ran > 100)
    }

    private static let textSeeds = [
        "name = 'Luna' AND (age > 3 OR NOT chipped)", "CASEI(ACCENTI(name)) LIKE 'l%' OR colour IS NOT NULL",
        "S_INTERSECTS(geom, POLYGON((9 44, 13 44, 13 48, 9 48, 9 44)))", "T_DURING(seen, INTERVAL('2026-05-04', '..'))",
        "age * 2 + 1 NOT BETWEEN 3 AND 9 ^ 2",
        "seen IN (DATE('2026-05-04'), TIMESTAMP('2026-05-04T10:20:30.123+02:00'))",
        "S_TOUCHES(GEOMETRYCOLLECTION(POINT(1 2), LINESTRING(1 2, 3 4)), \"geom\") AND -age < -(1 + age)",
        "S_DISJOINT(GEOMETRYCOLLECTION(POINT(1 2), LINESTRING(1 2, 3 4)), \"geom\")",
    ]

    private static let jsonSeeds = [
        #"{"op":"and","args":[{"op":"=","args":[{"property":"name"},"Luna"]},{"op":"in","args":[{"property":"age"},[1,2]]}]}"#,
        #"{"op":"s_within","args":[{"property":"geom"},{"type":"Polygon","coordinates":[[[9,44],[13,44],[13,48],[9,44]]]}]}"#,
        #"{"op":"t_after","args":[{"property":"seen"},{"interval":["2026-05-04",".."]}]}"#,
    ]

    private static let strange: [Unicode.Scalar] = [
        "'", "\"", "(", ")", "\\", "%", "\0", "\u{301}", "\u{1F436}", "\u{FEFF}", "9", "-", ".", ",", "=", "<", "\n",
        "e", "[", "}",
    ]
}
