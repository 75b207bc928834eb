import CQL2
import Domain
import Testing

@Suite("Rows that filters match")
struct RowTests {
    @Test(
        "Comparisons with null values do not match",
        arguments: [
            ("name = 'Luna'", [1]), ("name <> 'Luna'", [2, 3, 4, 5, 6]), ("colour <> 'nero'", [2, 4, 5, 6]),
            ("age < 5", [1, 4]), ("age <= 5", [1, 4, 6]), ("age > 5", [2, 5]), ("age >= 5.0", [2, 5, 6]),
            ("weight = -1.5", [4]), ("weight = 1e3", [6]), ("-weight > 0", [4]),
            ("-age = -5", [6]), ("-(age + 1) < -7", [2, 5]), ("weight > 2E1", [6]), ("5 = age", [6]),
            ("colour IS NULL", [3]), ("colour IS NOT NULL", [1, 2, 4, 5, 6]), ("geom IS NULL", [3]),
            ("NOT age = 5", [1, 2, 4, 5]), ("NOT (age = 5 OR age = 7)", [1, 4, 5]), ("chipped", [1, 4, 6]),
            ("NOT chipped", [2, 5]), ("chipped = TRUE", [1, 4, 6]), ("chipped = false", [2, 5]),
            ("chipped = 1", [1, 4, 6]),
            ("TRUE", [1, 2, 3, 4, 5, 6]), ("FALSE", []), ("name = 'O''Brien; DROP TABLE dog --'", [6]),
            (#"name = 'O\'Brien; DROP TABLE dog --'"#, [6]), ("\"name\" = 'Luna'", [1]), ("colour = ''", [6]),
            ("age = 5 OR age IS NULL AND name LIKE 'L%'", [3, 6]), ("(age = 5 OR age = 7) AND chipped", [6]),
            ("age = 5 oR nOt chipped AnD weight > 5", [2, 6]), ("name > colour", [2, 4, 6]), ("told = seen", [2]),
            ("told > seen", [1, 4, 5, 6]), ("age < weight", [1, 2, 6]), ("(age = 2) = chipped", [1, 2, 5]),
            ("(age > 4 OR chipped) IS NULL", [3]),
        ] as [(String, [Int])]
    )
    func comparisons(text: String, ids: [Int]) async throws {
        #expect(try await DogTable().ids(text) == ids)
    }

    @Test(
        "LIKE, BETWEEN and IN follow the standard",
        arguments: [
            ("name LIKE 'L%'", [1, 3]), ("name LIKE 'l%'", [2]), ("name LIKE '_una'", [1, 2]),
            ("name LIKE 'L_na'", [1, 3]),
            ("name NOT LIKE '%una'", [3, 4, 5, 6]), ("colour LIKE '100\\%'", [4]), ("colour LIKE 'a\\_b%'", [5]),
            ("colour LIKE 'a_b*c?[d]\\\\e'", [5]), ("colour LIKE '*'", []), ("colour LIKE '%[d]%'", [5]),
            ("colour LIKE ''", [6]), ("colour LIKE '%'", [1, 2, 4, 5, 6]), ("name ILIKE 'LUN%'", [1, 2]),
            ("name NOT ILIKE 'lun%'", [3, 4, 5, 6]), ("age BETWEEN 2 AND 7", [1, 2, 6]),
            ("age NOT BETWEEN 2 AND 7", [4, 5]),
            ("age BETWEEN 7 AND 2", []), ("name BETWEEN 'L' AND 'M'", [1, 3]), ("age IN (2, 5.0, 99)", [1, 6]),
            ("age NOT IN (2, 5)", [2, 4, 5]), ("name IN ('Luna')", [1]), ("colour NOT IN ('nero')", [2, 4, 5, 6]),
            ("age IN (id, weight)", []), ("NOT name LIKE 'L%' AND age IN (0, 14)", [4, 5]),
        ] as [(String, [Int])]
    )
    func patterns(text: String, ids: [Int]) async throws {
        #expect(try await DogTable().ids(text) == ids)
    }

    @Test(
        "Arrays are compared as sets",
        arguments: [
            ("A_CONTAINS(breeds, ('beagle'))", [1, 2]), ("A_CONTAINS(breeds, ('boxer', 'beagle'))", [2]),
            ("A_CONTAINS(('beagle', 'pug'), breeds)", [1, 4]), ("A_CONTAINEDBY(breeds, ('beagle', 'pug'))", [1, 4]),
            ("A_EQUALS(breeds, ('boxer', 'beagle', 'boxer'))", [2]), ("A_EQUALS(breeds, ())", [4]),
            ("A_OVERLAPS(breeds, ('pug', 'boxer'))", [2, 5]), ("NOT A_OVERLAPS(breeds, ('boxer'))", [1, 4, 6]),
            ("A_CONTAINS(breeds, ())", [1, 2, 4, 5, 6]), ("A_OVERLAPS(breeds, breeds)", [1, 2, 5, 6]),
            (#"A_CONTAINS(breeds, ('o''brien"'))"#, [6]), ("A_CONTAINS(breeds, (CASEI('BOXER')))", [2, 5]),
            ("breeds IS NULL", [3]), ("a_contains(breeds, ('beagle')) AND NOT chipped", [2]),
        ] as [(String, [Int])]
    )
    func arrays(text: String, ids: [Int]) async throws {
        #expect(try await DogTable().ids(text) == ids)
    }

    @Test("Arrays in JSON")
    func arraysInJSON() async throws {
        let filter = try CQL2Filter(json: #"{"op": "a_overlaps", "args": [{"property": "breeds"}, ["pug", "boxer"]]}"#)
        #expect(try await DogTable().ids(filter) == [2, 5])
    }

    @Test(
        "What is no array is refused",
        arguments: [
            ("breeds = 'boxer'", "expected an array function such as A_CONTAINS around breeds"),
            ("A_CONTAINS(breeds, 'boxer')", "expected an array such as ('a', 'b'), found the text 'boxer'"),
            ("A_CONTAINS(name, ('boxer'))", "expected an array, found the property name"),
            ("A_CONTAINS(breeds, (1))", "expected a text in an array, found the number 1.0"),
            ("A_CONTAINS(breeds)", "expected two arguments of A_CONTAINS"),
        ]
    )
    func noArrays(text: String, problem: String) async throws {
        let table = try await DogTable()
        let error = #expect(throws: ServiceError.self) { try table.ids(CQL2Filter(text: text)) }
        #expect(error?.message.text.contains(problem) == true, "\(error?.message.text ?? "")")
    }

    @Test(
        "CASEI applies Unicode case folding, and ACCENTI removes accents",
        arguments: [
            ("CASEI(name) = CASEI('LUNA')", [1, 2]), ("CASEI(name) = 'luna'", [1, 2]), ("CASEI(name) = 'Luna'", []),
            ("CASEI(name) = CASEI('straße')", [4, 5]), ("CASEI(name) = casei('lÙna')", [3]),
            ("ACCENTI(name) = ACCENTI('Lúna')", [1, 3]), ("CASEI(ACCENTI(name)) = CASEI(ACCENTI('LÜNA'))", [1, 2, 3]),
            ("ACCENTI(CASEI(name)) LIKE ACCENTI(CASEI('LÙ%'))", [1, 2, 3]),
            ("CASEI(name) LIKE CASEI('STRA%E')", [4, 5]),
            ("CASEI(colour) IN (CASEI('NERO'), 'x')", [1, 2]), ("CASEI(colour) IS NULL", [3]),
        ] as [(String, [Int])]
    )
    func folding(text: String, ids: [Int]) async throws {
        #expect(try await DogTable().ids(text) == ids)
    }

    @Test(
        "Times are compared in any offset and precision, and dates as whole days",
        arguments: [
            ("seen = TIMESTAMP('2026-05-04T10:20:30Z')", [1]), ("seen = TIMESTAMP('2026-05-04T12:20:30.0+02:00')", [1]),
            ("seen = TIMESTAMP('2026-05-04T10:20:30.123000000Z')", [2]), ("seen = '2026-05-04T10:20:30Z'", [1]),
            ("seen = TIMESTAMP('2026-05-04T10:20:30.1230000001Z')", []),
            ("seen < TIMESTAMP('2026-05-04T10:20:30.1230000001Z')", [1, 2, 3, 5, 6]),
            ("seen > TIMESTAMP('2026-05-04T10:20:30.1229999999Z')", [2, 4]),
            ("seen >= TIMESTAMP('2026-05-04T10:20:30.1230000001Z')", [4]),
            ("seen < TIMESTAMP('2026-05-04T01:59:59.999+02:00')", [5]),
            ("seen = DATE('2026-05-04')", [1, 2, 6]), ("seen <> DATE('2026-05-04')", [3, 4, 5]),
            ("seen < DATE('2026-05-04')", [3, 5]), ("seen <= DATE('2026-05-04')", [1, 2, 3, 5, 6]),
            ("seen > DATE('2026-05-04')", [4]), ("seen >= DATE('2026-05-04')", [1, 2, 4, 6]),
            ("seen >= '2026-05-04'", [1, 2, 4, 6]),
            ("seen >= '2026-05-04T'", [1, 2, 4, 6]), ("DATE('2026-05-04') < seen", [4]),
            ("seen BETWEEN DATE('2026-05-03') AND DATE('2026-05-04')", [1, 2, 3, 6]),
            ("seen IN (DATE('2026-05-03'), TIMESTAMP('2026-05-05T00:00:00Z'))", [3, 4]),
            ("born = DATE('2024-02-29')", [1]), ("born < '2020-01-01'", [2, 5]), ("seen = born", []),
            ("seen > born", [1, 2, 4, 5, 6]), ("born BETWEEN '2021-05-04' AND '2024-12-31'", [1, 6]),
        ] as [(String, [Int])]
    )
    func times(text: String, ids: [Int]) async throws {
        #expect(try await DogTable().ids(text) == ids)
    }

    @Test(
        "Temporal functions treat an instant as an interval with equal ends",
        arguments: [
            ("T_AFTER(seen, TIMESTAMP('2026-05-04T10:20:30Z'))", [2, 4]), ("T_AFTER(seen, DATE('2026-05-04'))", [4]),
            ("T_BEFORE(seen, DATE('2026-05-04'))", [3, 5]), ("t_equals(seen, told)", [2]),
            ("T_EQUALS(seen, DATE('2026-05-04'))", [1, 2, 6]),
            ("T_EQUALS(seen, INTERVAL('2026-05-04', '2026-05-04'))", []),
            ("T_DURING(seen, INTERVAL('2026-05-04T00:00:00Z', '2026-05-05T00:00:00Z'))", [1, 2]),
            ("T_DURING(seen, INTERVAL('2026-05-04', '..'))", [1, 2, 4]),
            ("T_INTERSECTS(seen, INTERVAL('2026-05-04', '..'))", [1, 2, 4, 6]),
            ("T_INTERSECTS(seen, INTERVAL('..', '2026-05-03'))", [3, 5]),
            ("T_DISJOINT(seen, INTERVAL('2026-05-03', '2026-05-04'))", [4, 5]),
            ("T_INTERSECTS(INTERVAL(seen, told), DATE('2026-05-05'))", [4]),
            ("T_CONTAINS(INTERVAL(seen, told), TIMESTAMP('2026-05-04T11:00:00Z'))", [1, 6]),
            ("T_STARTS(seen, INTERVAL('2026-05-04', '2026-05-06'))", [6]),
            ("T_STARTEDBY(INTERVAL(seen, told), seen)", [1, 4, 5, 6]),
            ("T_FINISHES(told, INTERVAL('2026-05-04', '2026-05-06T00:00:00Z'))", [4]),
            ("T_FINISHEDBY(INTERVAL(seen, told), told)", [1, 4, 5, 6]),
            ("T_MEETS(INTERVAL(seen, told), TIMESTAMP('2026-01-01T00:00:00Z'))", [5]),
            ("T_METBY(INTERVAL(seen, told), TIMESTAMP('2026-05-05T00:00:00Z'))", [4]),
            ("T_OVERLAPS(INTERVAL(seen, told), INTERVAL('2026-05-04T11:00:00Z', '2026-05-04T13:00:00Z'))", [1]),
            ("T_OVERLAPPEDBY(INTERVAL(seen, told), INTERVAL('2026-05-04T10:00:00Z', '2026-05-04T11:00:00Z'))", [1]),
            ("T_DISJOINT(told, INTERVAL('..', '..'))", []),
            ("T_INTERSECTS(told, INTERVAL('..', '..'))", [1, 2, 4, 5, 6]),
        ] as [(String, [Int])]
    )
    func temporalFunctions(text: String, ids: [Int]) async throws {
        #expect(try await DogTable().ids(text) == ids)
    }

    @Test(
        "Spatial functions do not match rows without a geometry",
        arguments: [
            ("S_INTERSECTS(geom, POINT(11 46))", [1]), ("S_INTERSECTS(POINT Z (11 46 800), geom)", [1]),
            ("S_INTERSECTS(geom, BBOX(10, 45, 11, 46))", [1, 6]),
            ("S_INTERSECTS(geom, BBOX(10,45,-9,11,46,9))", [1, 6]),
            ("S_INTERSECTS(geom, BBOX(179, -20, -179, 0))", [4, 5]),
            ("S_INTERSECTS(geom, BBOX(180, -20, -179, 0))", [5]),
            ("S_INTERSECTS(geom, BBOX(11, 46, 11, 46))", [1]), ("S_INTERSECTS(geom, BBOX(11, 45, 11, 47))", [1]),
            ("S_DISJOINT(geom, BBOX(10, 45, 11, 46))", [2, 4, 5]), ("INTERSECTS(geom, BBOX(10, 45, 11, 46))", [1, 6]),
            ("S_WITHIN(geom, POLYGON((10 45, 12 45, 12 47, 10 47, 10 45)))", [1]),
            ("S_CONTAINS(POLYGON((10 45, 12 45, 12 47, 10 47, 10 45)), geom)", [1]),
            ("S_TOUCHES(geom, POLYGON((10 45, 12 45, 12 47, 10 47, 10 45)))", [2, 6]),
            (
                "S_INTERSECTS(geom, POLYGON((9 44, 13 44, 13 48, 9 48, 9 44), (10.5 45.5, 11.5 45.5, 11.5 46.5, 10.5 46.5, 10.5 45.5)))",
                [2, 6]
            ),
            ("S_EQUALS(geom, POINT(12 45))", [2]), ("S_EQUALS(geom, MULTIPOINT((12 45)))", [2]),
            ("S_INTERSECTS(geom, MULTIPOINT(12 45, 10 45))", [2, 6]),
            ("S_INTERSECTS(geom, LINESTRING(10 45, 12 45))", [2, 6]), ("S_WITHIN(geom, LINESTRING(9 45, 12 45))", [6]),
            ("S_INTERSECTS(geom, MULTILINESTRING((9 45, 11 45), (11 45, 11 47)))", [1, 6]),
            ("S_INTERSECTS(geom, MULTIPOLYGON(((9 44, 10 44, 10 46, 9 44)), ((11 45, 12 45, 12 46, 11 45))))", [2, 6]),
            (
                "S_INTERSECTS(geom, GEOMETRYCOLLECTION(POINT(11 46), LINESTRING(9 45, 10 45), POLYGON((12 45, 13 45, 13 46, 12 45))))",
                [1, 2, 6]
            ),
            ("S_DISJOINT(geom, GEOMETRYCOLLECTION(POINT(11 46), LINESTRING(9 45, 10 45)))", [2, 4, 5]),
            ("S_WITHIN(geom, GEOMETRYCOLLECTION(POINT(11 46), POLYGON((9 44, 10.5 44, 10.5 46, 9 44))))", [1, 6]),
            ("S_CONTAINS(GEOMETRYCOLLECTION(POINT(11 46), LINESTRING(9 45, 11 45)), geom)", [1, 6]),
            ("S_CONTAINS(geom, GEOMETRYCOLLECTION(POINT(11 46), LINESTRING(11 46, 12 46)))", []),
            ("S_WITHIN(GEOMETRYCOLLECTION(POINT(11 46), POINT(11 46)), geom)", [1]),
            ("S_EQUALS(geom, GEOMETRYCOLLECTION(POINT(11 46)))", [1]),
            ("S_EQUALS(geom, GEOMETRYCOLLECTION(POINT(11 46), LINESTRING(9 45, 12 45)))", []),
            ("NOT S_EQUALS(geom, GEOMETRYCOLLECTION(POINT(11 46), LINESTRING(9 45, 12 45)))", [1, 2, 4, 5, 6]),
            (
                "S_TOUCHES(geom, GEOMETRYCOLLECTION(LINESTRING(10 45, 12 45), POLYGON((11 46, 13 46, 13 47, 11 46))))",
                [1, 2, 6]
            ),
            (
                "S_TOUCHES(geom, GEOMETRYCOLLECTION(LINESTRING(10 45, 12 45), POLYGON((9 44, 10.5 44, 10.5 47, 9 44))))",
                [2]
            ),
            ("S_TOUCHES(geom, GEOMETRYCOLLECTION(LINESTRING(10 45, 12 45), POINT(12 45)))", [6]),
            ("S_CROSSES(geom, GEOMETRYCOLLECTION(POINT(11 46), LINESTRING(9 45, 12 45)))", []),
            ("S_OVERLAPS(geom, GEOMETRYCOLLECTION(POINT(11 46), LINESTRING(9 45, 12 45)))", []),
            ("S_CROSSES(geom, LINESTRING(9 45, 12 45))", []), ("S_OVERLAPS(geom, BBOX(0, 0, 20, 50))", []),
            ("NOT S_INTERSECTS(geometry, BBOX(10, 45, 11, 46))", [2, 4, 5]),
            ("S_INTERSECTS(POINT(1 2), BBOX(0, 0, 5, 5)) AND age = 5", [6]),
            ("S_EQUALS(geom, geometry)", [1, 2, 4, 5, 6]), ("S_INTERSECTS(geom, POINT(11 46)) IS NULL", [3]),
        ] as [(String, [Int])]
    )
    func spatialFunctions(text: String, ids: [Int]) async throws {
        #expect(try await DogTable().ids(text) == ids)
    }

    @Test(
        "Arithmetic uses real numbers",
        arguments: [
            ("age + 3 = 5", [1]), ("age - -3 = 5", [1]), ("age * 2 + 1 = 15", [2]), ("1 + age * 2 = 15", [2]),
            ("(1 + age) * 2 = 16", [2]),
            ("age / 2 = 3.5", [2]), ("age DIV 2 = 3", [2]), ("age % 5 = 2", [1, 2]),
            ("2 ^ 3 ^ 2 = 512 AND age = 5", [6]),
            ("1 / age > 0", [1, 2, 5, 6]), ("(1 / age) IS NULL", [3, 4]), ("10 - 4 - 3 = 3 AND age = 5", [6]),
            ("age % 0 IS NULL AND age = 5", [6]), ("age % 0.3 > 0.2 AND age = 5", [6]), ("-age % 3 = -2", [1, 5, 6]),
            ("(age - 10) ^ 0.5 IS NULL", [1, 2, 3, 4, 6]), ("(0 ^ (age - 6)) IS NULL", [1, 3, 4, 6]),
            ("weight * 1e308 > 1e308", [1, 2, 5, 6]), ("weight * 1e308 * 10 < -1e308", [4]),
            ("1e308 + 1e308 > age AND age = 5", [6]), ("-1e308 - 1e308 < age AND age = 5", [6]),
            ("(weight * 1e308 * 10 - weight * 1e308 * 10) IS NULL", [1, 2, 3, 4, 5, 6]),
            ("1e-300 * 1e-300 = 0 AND age = 5", [6]), ("age / 1e308 / 1e308 = 0", [1, 2, 4, 5, 6]),
            ("((0 - 10) ^ (304 + age)) IS NULL", [2, 3, 5, 6]), ("10 ^ (0 - 400) = 0 AND age = 5", [6]),
            ("1e300 / 1e-300 > 1e300 AND age = 5", [6]), ("9007199254740993 = 9007199254740992 AND age = 5", [6]),
        ] as [(String, [Int])]
    )
    func arithmetic(text: String, ids: [Int]) async throws {
        #expect(try await DogTable().ids(text) == ids)
    }

    @Test(
        "The bounding box covers all rows that can match",
        arguments: [
            ("S_INTERSECTS(geom, BBOX(10, 45, 11, 46))", [10, 45, 11, 46]),
            ("S_WITHIN(geom, POLYGON((1 2, 5 2, 5 7, 1 2)))", [1, 2, 5, 7]),
            (
                "age = 3 AND S_INTERSECTS(geom, BBOX(0, 0, 9, 9)) AND S_INTERSECTS(geom, BBOX(5, 4, 20, 30))",
                [5, 4, 9, 9]
            ),
            ("S_INTERSECTS(geom, BBOX(170, -20, -170, 0))", [170, -20, -170, 0]),
            ("S_DISJOINT(geom, BBOX(0, 0, 9, 9))", nil),
            ("NOT S_INTERSECTS(geom, BBOX(0, 0, 9, 9))", nil), ("age = 3 OR S_INTERSECTS(geom, BBOX(0, 0, 9, 9))", nil),
            ("S_INTERSECTS(POINT(1 1), BBOX(0, 0, 9, 9))", nil), ("age = 3", nil),
        ] as [(String, [Double]?)]
    )
    func box(text: String, edges: [Double]?) throws {
        let box = try CQL2Filter(text: text).condition(over: DogTable.queryables, on: .spatiaLite).box
        #expect(box.map { [$0.southWest.lon, $0.southWest.lat, $0.northEast.lon, $0.northEast.lat] } == edges)
    }
}
