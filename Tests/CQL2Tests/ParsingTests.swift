import CQL2
import Domain
import Testing

@Suite("Parsing of filters")
struct ParsingTests {
    @Test(
        "Text and JSON encodings of a filter are equivalent",
        arguments: [
            ("name = 'a'", #"{"op":"=","args":[{"property":"name"},"a"]}"#),
            (
                "a = 1 AND b = 2 AND NOT c",
                #"{"op":"and","args":[{"op":"=","args":[{"property":"a"},1]},{"op":"=","args":[{"property":"b"},2]},{"op":"not","args":[{"property":"c"}]}]}"#
            ),
            (
                "a OR b AND c",
                #"{"op":"or","args":[{"property":"a"},{"op":"and","args":[{"property":"b"},{"property":"c"}]}]}"#
            ),
            ("a IS NOT NULL", #"{"op":"not","args":[{"op":"isNull","args":[{"property":"a"}]}]}"#),
            ("a NOT LIKE 'x%'", #"{"op":"not","args":[{"op":"like","args":[{"property":"a"},"x%"]}]}"#),
            ("a BETWEEN 1 AND 2.5e1", #"{"op":"between","args":[{"property":"a"},1,25]}"#),
            ("a IN (1, 'b', TRUE)", #"{"op":"in","args":[{"property":"a"},[1,"b",true]]}"#),
            (
                "CASEI(a) = ACCENTI('b')",
                #"{"op":"=","args":[{"op":"casei","args":[{"property":"a"}]},{"op":"accenti","args":["b"]}]}"#
            ),
            (
                "a > TIMESTAMP('2026-05-04T10:20:30Z')",
                #"{"op":">","args":[{"property":"a"},{"timestamp":"2026-05-04T10:20:30Z"}]}"#
            ),
            ("a <> DATE('2026-05-04')", #"{"op":"<>","args":[{"property":"a"},{"date":"2026-05-04"}]}"#),
            (
                "T_DURING(a, INTERVAL('2026-05-04', '..'))",
                #"{"op":"t_during","args":[{"property":"a"},{"interval":["2026-05-04",".."]}]}"#
            ),
            (
                "T_MEETS(INTERVAL(a, b), INTERVAL('..', '..'))",
                #"{"op":"t_meets","args":[{"interval":[{"property":"a"},{"property":"b"}]},{"interval":["..",".."]}]}"#
            ),
            ("S_INTERSECTS(g, BBOX(1,2,3,4))", #"{"op":"s_intersects","args":[{"property":"g"},{"bbox":[1,2,3,4]}]}"#),
            (
                "S_WITHIN(g, POINT(1 -2.5))",
                #"{"op":"s_within","args":[{"property":"g"},{"type":"Point","coordinates":[1,-2.5]}]}"#
            ),
            (
                "S_EQUALS(g, LINESTRING Z(1 2 3, 4 5 6))",
                #"{"op":"s_equals","args":[{"property":"g"},{"type":"LineString","coordinates":[[1,2,3],[4,5,6]]}]}"#
            ),
            (
                "S_TOUCHES(g, POLYGON((0 0,1 0,1 1,0 0)))",
                #"{"op":"s_touches","args":[{"property":"g"},{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}]}"#
            ),
            (
                "S_CROSSES(g, MULTIPOINT((0 0),(1 0)))",
                #"{"op":"s_crosses","args":[{"property":"g"},{"type":"MultiPoint","coordinates":[[0,0],[1,0]]}]}"#
            ),
            (
                "S_OVERLAPS(g, MULTILINESTRING((0 0,1 0)))",
                #"{"op":"s_overlaps","args":[{"property":"g"},{"type":"MultiLineString","coordinates":[[[0,0],[1,0]]]}]}"#
            ),
            (
                "S_CONTAINS(g, MULTIPOLYGON(((0 0,1 0,1 1,0 0))))",
                #"{"op":"s_contains","args":[{"property":"g"},{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]]]]}]}"#
            ),
            (
                "S_DISJOINT(g, GEOMETRYCOLLECTION(POINT(1 2)))",
                #"{"op":"s_disjoint","args":[{"property":"g"},{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]}]}]}"#
            ),
            (
                "a + b * 2 - 1 = c DIV 3 ^ 2 % 4",
                #"{"op":"=","args":[{"op":"-","args":[{"op":"+","args":[{"property":"a"},{"op":"*","args":[{"property":"b"},2]}]},1]},{"op":"%","args":[{"op":"div","args":[{"property":"c"},{"op":"^","args":[3,2]}]},4]}]}"#
            ),
            ("-a > 3", #"{"op":">","args":[{"op":"*","args":[-1,{"property":"a"}]},3]}"#),
            (
                "a = -b * -2",
                #"{"op":"=","args":[{"property":"a"},{"op":"*","args":[{"op":"*","args":[-1,{"property":"b"}]},-2]}]}"#
            ),
            (
                "a - -(b + 1) = 1",
                #"{"op":"=","args":[{"op":"-","args":[{"property":"a"},{"op":"*","args":[-1,{"op":"+","args":[{"property":"b"},1]}]}]},1]}"#
            ),
            ("-a ^ 2 < 0", #"{"op":"<","args":[{"op":"*","args":[-1,{"op":"^","args":[{"property":"a"},2]}]},0]}"#),
            ("+a = -2", #"{"op":"=","args":[{"property":"a"},-2]}"#),
            ("a\n=\t1\r\nAND\u{B}b", #"{"op":"and","args":[{"op":"=","args":[{"property":"a"},1]},{"property":"b"}]}"#),
            ("\"a b\" = 'c''d'", #"{"op":"=","args":[{"property":"a b"},"c'd"]}"#),
            ("((a))", #"{"property":"a"}"#), ("TRUE", "true"),
        ]
    )
    func encodings(text: String, json: String) throws {
        #expect(try CQL2Filter(text: text) == CQL2Filter(json: json))
    }

    @Test(
        "Errors in the text encoding state their position",
        arguments: [
            ("", "a value or a property at character 1, found the end"),
            ("name =", "a value or a property at character 7, found the end"),
            ("name = 'a", "' at the end of a text at character 10, found the end (it starts at 8)"),
            ("name = 'a' name", "AND, OR or the end at character 12, found name"),
            ("a AND OR b", "a value or a property at character 7, found OR"),
            ("(a = 1", ") at character 7, found the end"), ("a NOT b", "LIKE, BETWEEN or IN at character 7, found b"),
            ("a IS 1", "NULL at character 6, found 1"),
            ("a BETWEEN 1 OR 2", "AND of BETWEEN at character 13, found OR"),
            ("a IN ()", "a value or a property at character 7, found )"),
            ("a IN (1", ", or ) at character 8, found the end"),
            ("a = 12x", "a number at character 5, found 12x"), ("a = 1e999", "a number at character 5, found 1e999"),
            ("a ; b", "a value, an operator or a parenthesis at character 3, found ;"),
            ("a = TIMESTAMP('yesterday')", "a time like '2026-05-01T12:30:00Z' at character 15, found 'yesterday'"),
            ("a = DATE('2026-02-29')", "a date like '2026-05-01' at character 10, found '2026-02-29'"),
            (
                "a = TIMESTAMP('2026-05-04T24:00:00Z')",
                "a time like '2026-05-01T12:30:00Z' at character 15, found '2026-05-04T24:00:00Z'"
            ),
            (
                "T_DURING(a, INTERVAL('2026-05-04', '2026-05-03'))",
                "an interval that ends after it starts at character 13, found one that does not"
            ),
            ("S_INTERSECTS(g)", "two arguments of S_INTERSECTS at character 1, found 1"),
            (
                "S_INTERSECTS(g, POINT(181 0))",
                "a longitude from -180 to 180 and a latitude from -90 to 90 at character 23, found 181.0 0.0"
            ),
            ("S_INTERSECTS(g, POINT(NaN 0))", "a number at character 23, found NaN"),
            ("S_INTERSECTS(g, POINT EMPTY)", "a geometry that is not empty at character 23, found EMPTY"),
            ("S_INTERSECTS(g, POINT M(1 2 3))", "a geometry of two or three dimensions (Z) at character 23, found M"),
            (
                "S_INTERSECTS(g, POLYGON((0 0,1 0,1 1,0 1)))",
                "a valid geometry at character 17, found a ring that ends elsewhere than it starts"
            ),
            (
                "S_INTERSECTS(g, POLYGON((0 0,1 0,0 0)))",
                "a valid geometry at character 17, found a ring of fewer than four points"
            ),
            (
                "S_INTERSECTS(g, POLYGON((0 0,1 1,1 0,0 1,0 0)))",
                "a valid geometry at character 17, found Self-intersection[0.5 0.5]"
            ),
            (
                "S_INTERSECTS(g, LINESTRING(1 1))",
                "a valid geometry at character 17, found a line of fewer than two points"
            ),
            (
                "S_INTERSECTS(g, BBOX(1,2,3))",
                "a box of west, south, east, north in degrees at character 21, found [1.0, 2.0, 3.0]"
            ),
            (
                "S_INTERSECTS(g, BBOX(1,9,3,4))",
                "a box of west, south, east, north in degrees at character 21, found [1.0, 9.0, 3.0, 4.0]"
            ),
            ("ààà = 'é' ç", "AND, OR or the end at character 11, found ç"),
            ("a = 'x\u{0}'", "a character other than NUL at character 7, found NUL"),
        ]
    )
    func textErrors(text: String, complaint: String) {
        #expect(throws: ServiceError.invalid("filter", "expected \(complaint)")) { try CQL2Filter(text: text) }
    }

    @Test("The error for an unknown function lists the known functions")
    func unknownFunction() {
        let error = #expect(throws: ServiceError.self) { try CQL2Filter(text: "soundex(name) = 'x'") }
        #expect(error?.message.text.hasPrefix("filter: expected one of CASEI, ACCENTI, S_INTERSECTS") == true)
        #expect(error?.message.text.hasSuffix("A_OVERLAPS at character 1, found soundex") == true)
    }

    @Test(
        "Errors in the JSON encoding state their path",
        arguments: [
            ("{", "JSON"), ("null", "an expression at $, found null"), ("[]", "an expression at $, found a list of 0"),
            (#"{"op":"=","args":[1]}"#, "a list of 2 arguments at $.args, found a list of 1"),
            (#"{"op":"="}"#, "a list of 2 arguments at $.args, found nothing"),
            (#"{"op":"and","args":[true]}"#, "a list of two or more arguments at $.args, found a list of 1"),
            (
                #"{"op":"not","args":[{"op":"=","args":[{"property":1},2]}]}"#,
                "a name at $.args[0].args[0].property, found 1.0"
            ),
            (#"{"op":"in","args":[{"property":"a"},[]]}"#, "a list of values at $.args[1], found a list of 0"),
            (#"{"date":"2026-13-01"}"#, #"a date like 2026-05-01 at $.date, found "2026-13-01""#),
            (#"{"timestamp":5}"#, "a time like 2026-05-01T12:30:00Z at $.timestamp, found 5.0"),
            (#"{"interval":["2026-05-04"]}"#, "a list of two times at $.interval, found a list of 1"),
            (
                #"{"type":"Point","coordinates":[1,91]}"#,
                "a longitude from -180 to 180 and a latitude from -90 to 90 at $.coordinates, found a list of 2"
            ),
            (#"{"type":"Circle"}"#, #"the name of a geometry of GeoJSON at $.type, found "Circle""#),
            (
                #"{"type":"LineString","coordinates":[[1,2],[1]]}"#,
                "a longitude from -180 to 180 and a latitude from -90 to 90 at $.coordinates[1], found a list of 1"
            ),
            (#"{"type":"GeometryCollection","geometries":[]}"#, "a valid geometry at $, found an empty collection"),
            (#"{"type":"Polygon","coordinates":[]}"#, "a valid geometry at $, found an empty geometry"),
            (#"{"bbox":[1,2,3,"4"]}"#, #"a number at $.bbox[3], found "4""#),
            (
                #"{"a":1,"b":2}"#,
                "op, property, date, timestamp, interval, bbox or a geometry at $, found an object with a, b"
            ),
        ]
    )
    func jsonErrors(json: String, complaint: String) {
        #expect(throws: ServiceError.invalid("filter", "expected \(complaint)")) { try CQL2Filter(json: json) }
    }

    @Test(
        "Operands of the wrong type are rejected",
        arguments: [
            ("5", "a condition, found the number 5.0"), ("'x'", "a condition, found the text 'x'"),
            ("name", "a condition, found the property name"),
            ("age + 1", "a condition, found what + gives"), ("POINT(1 2)", "a condition, found a geometry"),
            ("age AND chipped", "a condition, found the property age"),
            ("name = 5", "a text to compare with the property name, found the number 5.0"),
            ("age = 'x'", "a number to compare with the property age, found the text 'x'"),
            ("chipped = 2", "a boolean to compare with the property chipped, found the number 2.0"),
            (
                "seen > 'yesterday'",
                "a time like '2026-05-01T12:30:00Z' or a date like '2026-05-01', found the text 'yesterday'"
            ),
            ("name = seen", "a text to compare with the property name, found the property seen"),
            ("seen = name", "a time to compare with the property seen, found the property name"),
            ("name IN ('a', 1)", "a text to compare with the property name, found the number 1.0"),
            ("age LIKE '5'", "a text before LIKE, found the property age"),
            ("name LIKE colour", "a text literal behind LIKE, found the property colour"),
            ("name LIKE 'a\\'", "' at the end of a text at character 15, found the end (it starts at 11)"),
            ("CASEI(age) = 'x'", "a text in CASEI, found the property age"),
            ("name + 1 = 2", "a number beside +, found the property name"),
            ("geom = POINT(1 2)", "a spatial function such as S_INTERSECTS around geom"),
            ("S_INTERSECTS(name, POINT(1 2))", "a geometry in S_INTERSECTS, found the property name"),
            ("S_INTERSECTS(geom, 'POINT(1 2)')", "a geometry in S_INTERSECTS, found the text 'POINT(1 2)'"),
            (
                "S_INTERSECTS(GEOMETRYCOLLECTION(POINT(1 2), LINESTRING(1 2, 3 4)), GEOMETRYCOLLECTION(POINT(1 2), LINESTRING(1 2, 3 4)))",
                "a property beside a collection in S_INTERSECTS"
            ),
            ("T_AFTER(name, seen)", "a time, an interval or a property that is one, found the property name"),
            ("T_AFTER(5, seen)", "a time, an interval or a property that is one, found the number 5.0"),
            ("seen = INTERVAL('..', '..')", "a single value, found an interval"),
            (
                "owner = 'x'",
                "one of the properties id, name, colour, age, weight, chipped, seen, told, born, breeds, geom, geometry, found owner"
            ),
            (
                "Name = 'x'",
                "one of the properties id, name, colour, age, weight, chipped, seen, told, born, breeds, geom, geometry, found Name"
            ),
        ]
    )
    func types(text: String, complaint: String) {
        #expect(throws: ServiceError.invalid("filter", "expected \(complaint)")) {
            try CQL2Filter(text: text).condition(over: DogTable.queryables, on: .spatiaLite)
        }
    }
}
