import Domain
import Foundation
import PlaceFiles
import SQL
import SpatiaLite
import TestSupport
import Testing

@Suite("Boundary files")
struct BoundaryFileTests {
    private let files: Files

    init() throws {
        files = try Files()
    }

    private func read(
        _ text: String,
        _ map: [String] = ["comune=NAME"]
    ) throws -> ([BoundaryFile.Area], BoundaryFile.Skipped) {
        var file = try BoundaryFile(files.write(text), .geoJSON, FieldMapping(map))
        let areas = try file.all()
        return (areas, file.skipped)
    }

    @Test(
        "All formats give the same areas, transformed to degrees",
        arguments: [
            PlaceFile.BoundaryFormat.geoJSON, .geoPackage, .shapefile,
        ]
    )
    func formats(format: PlaceFile.BoundaryFormat) throws {
        let url = try files.squares(as: format)
        guard case .boundaries(let told) = try PlaceFile(url) else {
            Issue.record("not known as boundaries")
            return
        }
        let mapping = try FieldMapping(
            ["comune=NAME", "comune_code=CODE", "province_code=PROV", "population=PEOPLE"],
            constants: ["country_code=it"]
        )
        var file = try BoundaryFile(url, told, mapping)
        let areas = try file.all()
        #expect(areas.map(\.place.name) == ["West", "East"])
        #expect(areas.map(\.place.place.comuneCode) == ["A001", "A002"])
        #expect(areas.map(\.place.place.population) == [1200, 7])
        #expect(
            areas.allSatisfy { $0.place.level == .comune && $0.place.place.countryCode == "IT" && !$0.pieces.isEmpty }
        )
        let point = try #require(areas.last?.place.place.coordinate)
        #expect(abs(point.lon - 12) < 0.5 && abs(point.lat - 46) < 0.5)
    }

    @Test("Features without an area or a name are skipped and counted")
    func skipped() throws {
        let (areas, skipped) = try read(
            Files.collection(
                Files.feature(#"{"NAME": null}"#, polygon: Files.east),
                Files.feature(#"{"NAME": "  "}"#, polygon: Files.east),
                Files.feature(#"{"NAME": "Point"}"#, geometry: #"{"type": "Point", "coordinates": [1, 2]}"#),
                Files.feature(#"{"NAME": "Nowhere"}"#, geometry: "null"),
                Files.feature(#"{"NAME": {"it": "x"}}"#, polygon: Files.east),
                Files.feature("null", polygon: Files.east),
                Files.feature(#"{"NAME": " Good "}"#, polygon: Files.east)
            )
        )
        #expect(areas.map(\.place.name) == ["Good"])
        #expect(skipped.withoutArea == 2)
        #expect(skipped.withoutName == 4)
    }

    @Test("Heights, byte order marks and self-intersecting rings are accepted; a bow tie gives two triangles")
    func odd() throws {
        let bowTie = "[[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]]"
        let high = "[[[0, 0, 5], [1, 0, 5], [1, 1, 5], [0, 0, 5]]]"
        let (areas, _) = try read(
            "\u{FEFF}"
                + Files.collection(
                    Files.feature(#"{"NAME": "bow"}"#, polygon: bowTie),
                    Files.feature(#"{"NAME": "high"}"#, polygon: high),
                    Files.feature(
                        #"{"NAME": "two"}"#,
                        geometry: #"{"type": "MultiPolygon", "coordinates": [\#(Files.east), \#(bowTie)]}"#
                    )
                )
        )
        #expect(areas.map(\.place.name) == ["bow", "high", "two"])
        #expect(areas.map(\.pieces.count) == [2, 1, 3])
    }

    @Test(
        "Polygons and holes that degenerate to a line or a point are dropped, and the others are kept",
        arguments: [
            "[[[12, 46], [12, 46], [12, 46], [12, 46]]]", "[[[12, 46], [12.5, 46], [12, 46], [12, 46]]]",
            "[[[12, 46], [12.5, 46.5], [12, 46]]]",
            "[[[12, 46]]]", "[[]]", "[]",
            "[[[12, 46], [12.5, 46.5], [12, 46]], [[12, 46], [12.5, 46], [12.5, 46.5], [12, 46]]]",
        ]
    )
    func collapsed(island: String) throws {
        func area(_ polygons: String) -> String {
            Files.feature(#"{"NAME": "x"}"#, geometry: #"{"type": "MultiPolygon", "coordinates": [\#(polygons)]}"#)
        }
        let hole = island == "[]" ? "" : ", " + island.dropFirst().dropLast()
        let (areas, skipped) = try read(
            Files.collection(
                area("\(island), \(Files.east)"),
                area("\(Files.east), \(island)"),
                Files.feature(#"{"NAME": "x"}"#, polygon: Files.east.dropLast() + "\(hole)]"),
                area(island)
            )
        )
        #expect(areas.map(\.pieces.count) == [1, 1, 1])
        #expect(try areas.allSatisfy { try $0.covers(12.2, 46.1) })
        #expect(skipped.withoutArea == 1)
    }

    @Test("Overlapping polygons of one feature are merged")
    func overlapping() throws {
        let polygons = "[[[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]], [[[2, 2], [6, 2], [6, 6], [2, 6], [2, 2]]]"
        let (areas, _) = try read(
            Files.collection(
                Files.feature(
                    #"{"NAME": "both"}"#,
                    geometry: #"{"type": "MultiPolygon", "coordinates": [\#(polygons)]}"#
                )
            )
        )
        let area = try #require(areas.first)
        #expect(try [1, 3, 5].allSatisfy { try area.covers($0, $0) })
    }

    @Test("The error for a feature with invalid coordinates names the feature")
    func named() throws {
        let east = Files.feature(#"{"NAME": "East"}"#, polygon: Files.east)
        let endless = Files.feature(#"{"NAME": "End\u001bless"}"#, polygon: "[[[0, 0], [1e999, 0], [4, 4], [0, 0]]]")
        let error = #expect(throws: PlaceFileError.self) { try read(Files.collection(east, endless)) }
        #expect(error?.description.contains("feature 2 'End less' does not lie on the Earth") == true)
        let url = try files.squares(as: .shapefile)
        var shapes = try Data(contentsOf: url)
        // A corner of the first ring: the offset skips the record header, the box, two counts and two parts.
        let corner = 100 + 8 + 44 + 8 + 16
        shapes.replaceSubrange(corner..<corner + 8, with: [0, 0, 0, 0, 0, 0, 0xF8, 0x7F])
        try shapes.write(to: url)
        let other = #expect(throws: PlaceFileError.self) {
            try BoundaryFile(url, .shapefile, FieldMapping(["comune=NAME"]))
        }
        #expect(other?.description.contains("feature 1 'West'") == true, "\(other?.description ?? "")")
    }

    @Test("Unused fields can have any value, and unusable values of used fields are not names")
    func oddValues() throws {
        let deep = String(repeating: "[", count: 900) + String(repeating: "]", count: 900)
        let (areas, skipped) = try read(
            Files.collection(
                Files.feature(
                    #"{"NAME": "Plain", "a": {"b": [1, {"c": null}]}, "d": 1e999, "e": \#(deep), "f": "\ud800", "CODE": 1e999}"#,
                    polygon: Files.east
                ),
                Files.feature(#"{"NAME": 12, "CODE": [1]}"#, polygon: Files.east),
                Files.feature(#"{"NAME": ["x"], "CODE": 1}"#, polygon: Files.east),
                Files.feature(#"{"NAME": 1e999}"#, polygon: Files.east),
                Files.feature(#"{"NAME": "Wide", "CODE": "\ud800x"}"#, polygon: Files.east)
            ),
            ["comune=NAME", "comune_code=CODE"]
        )
        #expect(areas.map(\.place.name) == ["Plain", "12", "Wide"])
        #expect(areas.prefix(2).allSatisfy { $0.place.place.comuneCode == nil })
        #expect(skipped.withoutName == 2)
    }

    @Test("A field is found if its accents are encoded in another way")
    func composedFields() throws {
        let text = Files.collection(Files.feature("{\"Citta\u{300}\": \"x\"}", polygon: Files.east))
        #expect(try read(text, ["comune=Citt\u{E0}"]).0.map(\.place.name) == ["x"])
    }

    @Test("Control characters in names count as white space, and the length of names is limited")
    func names() throws {
        func named(_ name: String) -> String { Files.feature(#"{"NAME": "\#(name)"}"#, polygon: Files.east) }
        let longest = String(repeating: "x", count: 200)
        let (areas, skipped) = try read(
            Files.collection(named(#" A\n\tB\u001b[31m  C\u0085"#), named(#"\u0007\n"#), named(longest))
        )
        #expect(areas.map(\.place.name) == ["A B [31m C", longest])
        #expect(skipped.withoutName == 1)
        for name in [longest + "x", "e" + String(repeating: "\u{301}", count: 200)] {
            let error = #expect(throws: PlaceFileError.self) { try read(Files.collection(named("Good"), named(name))) }
            #expect(error?.description.contains("feature 2 '") == true)
            #expect(error?.description.contains("comune: expected at most 200 characters, got 201") == true)
        }
        let error = #expect(throws: ServiceError.self) {
            try FieldMapping(["comune=NAME"], constants: ["region=\(longest)x"])
        }
        #expect(error?.message.text == "set: region: expected at most 200 characters, got 201")
    }

    private func shapefile(named name: [UInt8], _ stated: [UInt8]?, encoding: String? = nil) throws -> String? {
        let url = try files.squares(as: .shapefile)
        let base = url.deletingPathExtension()
        let table = base.appendingPathExtension("dbf")
        var bytes = try Data(contentsOf: table)
        bytes.replaceSubrange(try #require(bytes.range(of: Data("West".utf8))), with: name)
        try bytes.write(to: table)
        if let stated { try Data(stated).write(to: base.appendingPathExtension("cpg")) }
        var file = try BoundaryFile(
            url,
            .shapefile,
            FieldMapping(["comune=NAME"]),
            BoundaryFile.Options(srid: 32632, encoding: encoding)
        )
        return try file.all().first?.place.name
    }

    @Test(
        "An encoding is recognised by all the names that programs write into .cpg files",
        arguments: [
            "1252", "cp1252", "ANSI 1252\r\n", "windows-1252", "88591", "8859_1", "ISO 8859-1", " iso-8859-1 ",
            "iso88591",
            "\u{FEFF}Latin1\n", "ISO_8859-1", "OEM 1252\0",
        ]
    )
    func latin(stated: String) throws {
        #expect(try shapefile(named: [0x57, 0xE8, 0x73, 0x74], Array(stated.utf8)) == "W\u{E8}st")
        #expect(try shapefile(named: [0x57, 0xE8, 0x73, 0x74], nil, encoding: stated) == "W\u{E8}st")
    }

    @Test(
        "UTF-8 is recognised by its names, and is the default",
        arguments: ["65001", "utf8", "UTF-8\n", "CP65001", "", "\n"]
    )
    func unicode(stated: String) throws {
        #expect(try shapefile(named: [0x57, 0xC3, 0xA8, 0x74], Array(stated.utf8)) == "W\u{E8}t")
    }

    @Test(
        "The error for an unknown encoding names its source",
        arguments: ["klingon", "99999", "', 1)", "\u{1b}[2J"]
    )
    func unknownEncoding(stated: String) throws {
        let error = #expect(throws: PlaceFileError.self) {
            try shapefile(named: Array("Name".utf8), Array(stated.utf8))
        }
        #expect(error?.description.contains("squares.cpg: expected the name of an encoding") == true)
        #expect(error?.description.contains("--encoding") == true && error?.description.contains("\u{1b}") == false)
        #expect(try shapefile(named: Array("Name".utf8), Array(stated.utf8), encoding: "utf-8") == "Name")
        let other = #expect(throws: ServiceError.self) {
            try shapefile(named: Array("Name".utf8), nil, encoding: stated)
        }
        #expect(other?.field == "encoding")
    }

    @Test("An unknown reference system is rejected", arguments: PlaceFile.BoundaryFormat.allCases, [0, -1, 999_999])
    func unknownSystem(format: PlaceFile.BoundaryFormat, srid: Int) throws {
        let url = try files.squares(as: format)
        let error = #expect(throws: ServiceError.self) {
            try BoundaryFile(url, format, FieldMapping(["comune=NAME"]), BoundaryFile.Options(srid: srid))
        }
        #expect(error?.field == "srid")
    }

    @Test("Options that do not apply to the file are rejected")
    func options() throws {
        let table = try files.write(GeoNamesFileTests.code("1", "x", 1, 1), "codes.txt")
        let given = [
            ("layer", BoundaryFile.Options(layer: "x"), [PlaceFile.BoundaryFormat.geoPackage]),
            ("srid", BoundaryFile.Options(srid: 4326), [.geoJSON, .geoPackage, .shapefile]),
            ("encoding", BoundaryFile.Options(encoding: "UTF-8"), [.shapefile]),
        ]
        for (option, options, takers) in given {
            for format in PlaceFile.BoundaryFormat.allCases {
                if takers.contains(format) {
                    try PlaceFile.boundaries(format).check(options)
                } else {
                    let error = #expect(throws: ServiceError.self) { try PlaceFile.boundaries(format).check(options) }
                    #expect(error?.field == option && error?.message.text.contains("is for") == true)
                }
            }
            let error = #expect(throws: ServiceError.self) { try PlaceFile(table).check(options) }
            #expect(error?.message.text.contains("the file is a table of GeoNames") == true)
        }
    }

    @Test("The crs member of old GeoJSON is respected, and metres without it are rejected")
    func systems() throws {
        let metres = "[[[500000, 5000000], [600000, 5000000], [600000, 5100000], [500000, 5000000]]]"
        let crs = #""crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32632"}}, "#
        let feature = Files.feature(#"{"NAME": "m"}"#, polygon: metres)
        let (areas, _) = try read(Files.collection(feature, member: crs))
        let point = try #require(areas.first?.place.place.coordinate)
        #expect((9...10.5).contains(point.lon) && (45...46.2).contains(point.lat))
        let error = #expect(throws: PlaceFileError.self) { try read(Files.collection(feature)) }
        #expect(error?.description.contains("--srid") == true)
    }

    @Test(
        "The error for a broken file describes the problem",
        arguments: [
            (String(Files.squares.dropLast(40)), "not whole"), ("{}", "FeatureCollection"),
            (#"{"features": []}"#, "no features"),
            (#"{"features": {}}"#, "FeatureCollection"), ("{", "not whole"), (#"{"features": [1, null, "x"]}"#, "NAME"),
        ]
    )
    func broken(text: String, says: String) throws {
        do {
            _ = try read(text)
            Issue.record("read \(text)")
        } catch let error as PlaceFileError {
            #expect(error.description.contains(says))
        } catch let error as ServiceError {
            #expect(error.message.text.contains(says))
        }
    }

    @Test("A truncated GeoPackage is an error")
    func halfPackage() throws {
        let url = try files.squares(as: .geoPackage)
        let bytes = try Data(contentsOf: url)
        for size in [bytes.count / 2, 120, 20] {
            try bytes.prefix(size).write(to: url)
            #expect(throws: (any Error).self) {
                try BoundaryFile(url, .geoPackage, FieldMapping(["comune=NAME"]))
            }
        }
    }

    @Test("A truncated or overwritten shapefile is an error", arguments: ["shp", "shx", "dbf"])
    func damagedShapefile(part: String) throws {
        let url = try files.squares(as: .shapefile)
        let damaged = url.deletingPathExtension().appendingPathExtension(part)
        let bytes = try Data(contentsOf: damaged)
        var versions = [bytes.count - 9, bytes.count / 2, 20].map { bytes.prefix($0) }
        // The counts of parts and points extend beyond the file.
        for offset in [144, 148] where part == "shp" {
            var copy = bytes
            copy.replaceSubrange(offset..<offset + 4, with: [0xFF, 0xFF, 0xFF, 0x7F])
            versions.append(copy)
        }
        for version in versions {
            try version.write(to: damaged)
            #expect(throws: (any Error).self) {
                try BoundaryFile(url, .shapefile, FieldMapping(["comune=NAME"]))
            }
        }
    }

    @Test("SQL in the name of a layer is not executed")
    func hostileLayer() throws {
        let url = try files.squares(as: .geoPackage)
        let written = files.folder.url.appending(path: "written").path
        let name = "x\"; ATTACH '\(written)' AS w; CREATE TABLE w.t (a); --"
        let queue = try StandaloneDatabase(url)
        try queue.write { db in
            try db.execute("ALTER TABLE square RENAME TO \"\(name.replacing("\"", with: "\"\""))\"")
            try db.execute("UPDATE gpkg_contents SET table_name = ? WHERE data_type = 'features'", [name])
            try db.execute("UPDATE gpkg_geometry_columns SET table_name = ?", [name])
        }
        try queue.close()
        var file = try BoundaryFile(url, .geoPackage, FieldMapping(["comune=NAME"]))
        #expect(try file.all().count == 2)
        #expect(!FileManager.default.fileExists(atPath: written))
    }

    @Test("A GeoPackage with views or generated columns is rejected, because they could run SQL")
    func hostilePackage() throws {
        for sql in [
            "ALTER TABLE square RENAME TO hidden; CREATE VIEW square AS SELECT * FROM hidden",
            "ALTER TABLE gpkg_contents RENAME TO hidden; CREATE VIEW gpkg_contents AS SELECT * FROM hidden",
            "ALTER TABLE square ADD COLUMN computed TEXT AS (upper(NAME))",
            "UPDATE gpkg_geometry_columns SET column_name = x'00'",
            "UPDATE gpkg_spatial_ref_sys SET organization = NULL",
        ] {
            let url = try files.squares(as: .geoPackage)
            let queue = try StandaloneDatabase(url)
            try queue.write { db in try db.run(script: sql) }
            try queue.close()
            #expect(throws: (any Error).self, "\(sql)") {
                try BoundaryFile(url, .geoPackage, FieldMapping(["comune=NAME"]))
            }
            try FileManager.default.removeItem(at: url)
        }
    }

    @Test("An area with very many corners is split quickly")
    func manyCorners() throws {
        let count = 60_000
        let corners = (0...count).map { step -> String in
            let angle = Double(step % count) / Double(count) * 2 * .pi
            let radius = 1 + 0.2 * sin(400 * angle)
            return "[\(10 + radius * cos(angle)), \(45 + radius * sin(angle))]"
        }
        let (areas, _) = try read(
            Files.collection(Files.feature(#"{"NAME": "Round"}"#, polygon: "[[\(corners.joined(separator: ","))]]"))
        )
        #expect(areas.count == 1)
        #expect(try #require(areas.first).pieces.count > 200)
    }

    @Test("A field after the hundredth is found, and a hostile name of a reference system is ignored")
    func manyFields() throws {
        let fields = (0..<150).map { #""F\#($0)": "v\#($0)""# }.joined(separator: ", ")
        let crs = #""crs": {"properties": {"name": "ΐΐΐEPSG:x"}}, "#
        let text = Files.collection(Files.feature("{\(fields)}", polygon: Files.east), member: crs)
        #expect(try read(text, ["comune=F149"]).0.map(\.place.name) == ["v149"])
    }

    @Test(
        "The error for an invalid field mapping lists the valid fields",
        arguments: [
            (["comune=NOME"], "CODE, NAME, PEOPLE, PROV"), (["town=NAME"], "locality, comune"), (["comune"], "=FIELD"),
            (["comune=NAME", "comune=CODE"], "twice"), (["comune_code=CODE"], "one of locality, comune"),
            ([], "one of locality"),
        ]
    )
    func mapping(map: [String], says: String) throws {
        let error = #expect(throws: ServiceError.self) { try read(Files.squares, map) }
        #expect(error?.field == "map")
        #expect(error?.message.text.contains(says) == true, "\(error?.message.text ?? "")")
    }

    @Test("The finest mapped field determines the level of the areas")
    func levels() throws {
        let cases: [([String], ImportedPlace.Level)] = [
            (["country_code=A"], .country), (["region=A", "country_code=B"], .region),
            (["province=A", "region=B"], .province), (["locality=A", "comune=B"], .locality),
        ]
        for (map, level) in cases { #expect(try FieldMapping(map).level == level) }
    }

    @Test("A field with special characters is found, and SQL in names and paths is not executed")
    func oddFieldNames() throws {
        let name = "Na'me\\\" --.[$]"
        let text = Files.collection(
            Files.feature(#"{"Na'me\\\" --.[$]": "'); DROP TABLE place; --"}"#, polygon: Files.east)
        )
        #expect(try read(text, ["comune=\(name)"]).0.map(\.place.name) == ["'); DROP TABLE place; --"])
        let odd = files.folder.url.appending(path: "it's \"odd\".shp")
        let url = try files.squares(as: .shapefile)
        for part in ["shp", "shx", "dbf", "prj"] {
            let target = odd.deletingPathExtension().appendingPathExtension(part)
            try FileManager.default.copyItem(at: url.deletingPathExtension().appendingPathExtension(part), to: target)
        }
        var file = try BoundaryFile(odd, .shapefile, FieldMapping(["comune=NAME"]))
        #expect(try file.all().count == 2)
    }

    @Test(
        "The error for another format lists the supported formats",
        arguments: [
            ("", "is empty: expected GeoJSON"), ("PK\u{3}\u{4}", "unpack"), ("a,b\n1,2\n", "expected GeoJSON"),
            ("[]", "expected GeoJSON"),
        ]
    )
    func foreign(text: String, says: String) throws {
        let url = try files.write(text, "file")
        let error = #expect(throws: PlaceFileError.self) { try PlaceFile(url) }
        #expect(error?.description.contains(says) == true)
    }

    @Test("Folders, pipes and other special files are rejected before they are opened")
    func obstacles() throws {
        let pipe = files.folder.url.appending(path: "pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        let absent = files.folder.url.appending(path: "absent")
        for (url, says) in [
            (files.folder.url, "is a folder"), (pipe, "is a pipe or a device"), (absent, "does not exist"),
            (URL(filePath: "/dev/zero"), "is a pipe or a device"), (try files.write("", "empty"), "is empty"),
            (try files.write("x", "file").appending(path: "below"), "does not exist"),
        ] {
            let error = #expect(throws: PlaceFileError.self) { try PlaceFile(url) }
            #expect(error?.description.hasPrefix("\(url.path): \(says): expected GeoJSON") == true)
        }
    }

    @Test("Special files among the parts of a shapefile are rejected", arguments: ["shp", "shx", "dbf", "prj", "cpg"])
    func obstaclesBeside(part: String) throws {
        let url = try files.squares(as: .shapefile)
        let beside = url.deletingPathExtension().appendingPathExtension(part)
        for make in [{ mkfifo($0, 0o600) }, { mkdir($0, 0o700) }] {
            _ = try? FileManager.default.removeItem(at: beside)
            #expect(make(beside.path) == 0)
            let error = #expect(throws: PlaceFileError.self) {
                try BoundaryFile(url, .shapefile, FieldMapping(["comune=NAME"]))
            }
            #expect(error?.description.contains("squares.\(part): is a ") == true)
        }
    }

    @Test("A file without read permission is rejected", .enabled(if: geteuid() != 0, "root may read everything"))
    func forbidden() throws {
        let url = try files.write(Files.squares)
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: url.path)
        let error = #expect(throws: PlaceFileError.self) { try PlaceFile(url) }
        #expect(error?.description.contains("may not be read by this user") == true)
    }
}
