import Domain
import Foundation
import GRDB
import PlaceFiles
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

    @Test("What is no area or has no name is left out and counted")
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

    @Test("Heights, a byte order mark and crooked rings are taken; a bow tie becomes two triangles")
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

    @Test("A system told by old GeoJSON is followed, and metres without one are refused")
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
        "A broken file is an error that says how",
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
            #expect(error.message.contains(says))
        }
    }

    @Test("Half of a GeoPackage is an error")
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

    @Test("A shapefile of which anything is cut or overwritten is an error", arguments: ["shp", "shx", "dbf"])
    func damagedShapefile(part: String) throws {
        let url = try files.squares(as: .shapefile)
        let damaged = url.deletingPathExtension().appendingPathExtension(part)
        let bytes = try Data(contentsOf: damaged)
        var versions = [bytes.count - 9, bytes.count / 2, 20].map { bytes.prefix($0) }
        // Counts of parts and points that reach beyond the file.
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

    @Test("A layer's name is only a name, whatever it says")
    func hostileLayer() throws {
        let url = try files.squares(as: .geoPackage)
        let written = files.folder.url.appending(path: "written").path
        let name = "x\"; ATTACH '\(written)' AS w; CREATE TABLE w.t (a); --"
        let queue = try DatabaseQueue(path: url.path)
        try queue.write { db in
            try db.execute(sql: "ALTER TABLE square RENAME TO \"\(name.replacing("\"", with: "\"\""))\"")
            try db.execute(
                sql: "UPDATE gpkg_contents SET table_name = ? WHERE data_type = 'features'",
                arguments: [name]
            )
            try db.execute(sql: "UPDATE gpkg_geometry_columns SET table_name = ?", arguments: [name])
        }
        try queue.close()
        var file = try BoundaryFile(url, .geoPackage, FieldMapping(["comune=NAME"]))
        #expect(try file.all().count == 2)
        #expect(!FileManager.default.fileExists(atPath: written))
    }

    @Test("A GeoPackage whose tables are views, or compute their columns, is refused: they would run in our hands")
    func hostilePackage() throws {
        for sql in [
            "ALTER TABLE square RENAME TO hidden; CREATE VIEW square AS SELECT * FROM hidden",
            "ALTER TABLE gpkg_contents RENAME TO hidden; CREATE VIEW gpkg_contents AS SELECT * FROM hidden",
            "ALTER TABLE square ADD COLUMN computed TEXT AS (upper(NAME))",
            "UPDATE gpkg_geometry_columns SET column_name = x'00'",
            "UPDATE gpkg_spatial_ref_sys SET organization = NULL",
        ] {
            let url = try files.squares(as: .geoPackage)
            let queue = try DatabaseQueue(path: url.path)
            try queue.write { db in try db.execute(sql: sql) }
            try queue.close()
            #expect(throws: (any Error).self, "\(sql)") {
                try BoundaryFile(url, .geoPackage, FieldMapping(["comune=NAME"]))
            }
            try FileManager.default.removeItem(at: url)
        }
    }

    @Test("One area with very many corners is cut in little time")
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

    @Test("A field beyond the hundredth is found, and a hostile name of a system is none")
    func manyFields() throws {
        let fields = (0..<150).map { #""F\#($0)": "v\#($0)""# }.joined(separator: ", ")
        let crs = #""crs": {"properties": {"name": "ΐΐΐEPSG:x"}}, "#
        let text = Files.collection(Files.feature("{\(fields)}", polygon: Files.east), member: crs)
        #expect(try read(text, ["comune=F149"]).0.map(\.place.name) == ["v149"])
    }

    @Test(
        "A mistake in the mapping names what there is",
        arguments: [
            (["comune=NOME"], "CODE, NAME, PEOPLE, PROV"), (["town=NAME"], "locality, comune"), (["comune"], "=FIELD"),
            (["comune=NAME", "comune=CODE"], "twice"), (["comune_code=CODE"], "one of locality, comune"),
            ([], "one of locality"),
        ]
    )
    func mapping(map: [String], says: String) throws {
        let error = #expect(throws: ServiceError.self) { try read(Files.squares, map) }
        #expect(error?.field == "map")
        #expect(error?.message.contains(says) == true, "\(error?.message ?? "")")
    }

    @Test("The finest field told is what the areas are")
    func levels() throws {
        let cases: [([String], ImportedPlace.Level)] = [
            (["country_code=A"], .country), (["region=A", "country_code=B"], .region),
            (["province=A", "region=B"], .province), (["locality=A", "comune=B"], .locality),
        ]
        for (map, level) in cases { #expect(try FieldMapping(map).level == level) }
    }

    @Test("A field with odd letters in its name is found, and SQL in a name or a path is only text")
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
        "What is none of the formats is refused with their list",
        arguments: [
            ("", "expected GeoJSON"), ("PK\u{3}\u{4}", "unpack"), ("a,b\n1,2\n", "expected GeoJSON"),
            ("[]", "expected GeoJSON"),
        ]
    )
    func foreign(text: String, says: String) throws {
        let url = try files.write(text, "file")
        let error = #expect(throws: PlaceFileError.self) { try PlaceFile(url) }
        #expect(error?.description.contains(says) == true)
    }
}
