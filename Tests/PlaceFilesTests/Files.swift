import Domain
import Foundation
import PlaceFiles
import SQL
import SpatiaLite
import Storage
import TestSupport
import Testing

/// Writes boundary files for tests in the three formats, with SpatiaLite for the binary ones.
struct Files {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    func write(_ text: String, _ name: String = "areas.geojson") throws -> URL {
        let url = folder.url.appending(path: name)
        try Data(text.utf8).write(to: url)
        return url
    }

    /// Two squares of one degree around (11, 46) and (12, 46); the first has a hole in its middle.
    static let squares = collection(
        feature(#"{"NAME": "West", "CODE": "A001", "PROV": "BZ", "PEOPLE": 1200}"#, polygon: westWithHole),
        feature(#"{"NAME": "East", "CODE": "A002", "PROV": "BZ", "PEOPLE": "7"}"#, polygon: east)
    )

    static let westWithHole = """
        [[[10.5, 45.5], [11.5, 45.5], [11.5, 46.5], [10.5, 46.5], [10.5, 45.5]],
         [[10.9, 45.9], [10.9, 46.1], [11.1, 46.1], [11.1, 45.9], [10.9, 45.9]]]
        """
    static let east = "[[[11.5, 45.5], [12.5, 45.5], [12.5, 46.5], [11.5, 46.5], [11.5, 45.5]]]"

    static func feature(_ properties: String, polygon: String) -> String {
        feature(properties, geometry: #"{"type": "Polygon", "coordinates": \#(polygon)}"#)
    }

    static func feature(_ properties: String, geometry: String) -> String {
        #"{"type": "Feature", "properties": \#(properties), "geometry": \#(geometry)}"#
    }

    static func collection(_ features: String..., member: String = "") -> String {
        #"{"type": "FeatureCollection", \#(member)"features": [\#(features.joined(separator: ", "))]}"#
    }

    /// The same squares in metres of UTM zone 32 N, as a shapefile or a GeoPackage.
    func squares(as format: PlaceFile.BoundaryFormat) throws -> URL {
        guard format != .geoJSON else { return try write(Self.squares) }
        let parts = format == .geoPackage ? ["squares.gpkg"] : ["shp", "shx", "dbf", "prj"].map { "squares.\($0)" }
        for part in parts {
            let copy = folder.url.appending(path: part)
            try? FileManager.default.removeItem(at: copy)
            try FileManager.default.copyItem(at: try Self.made.get().folder.url.appending(path: part), to: copy)
        }
        return folder.url.appending(path: parts[0])
    }

    /// Both binary formats, written once for all tests.
    private static let made = Result {
        let files = try Files()
        try files.makeSquares(as: .shapefile)
        try files.makeSquares(as: .geoPackage)
        return files
    }

    private func makeSquares(as format: PlaceFile.BoundaryFormat) throws {
        switch format {
        case .geoJSON: preconditionFailure("written as text")
        case .shapefile:
            try make("squares.shp") { db, url in
                let base = url.deletingPathExtension().path
                let count = try db.value("SELECT ExportSHP('square', 'geom', ?, 'UTF-8')", [base]) as Int?
                precondition(count == 2)
            }
        case .geoPackage:
            try make("squares.gpkg") { db, url in
                try db.execute("ATTACH ? AS package", [url.path])
                // SpatiaLite can create these tables only in the main database.
                try db.run(
                    script: """
                        CREATE TABLE package.gpkg_contents (table_name TEXT, data_type TEXT);
                        CREATE TABLE package.gpkg_geometry_columns (table_name TEXT, column_name TEXT, srs_id INTEGER);
                        CREATE TABLE package.gpkg_spatial_ref_sys (
                            srs_id INTEGER, organization TEXT, organization_coordsys_id INTEGER);
                        INSERT INTO package.gpkg_contents VALUES ('square', 'features'), ('notes', 'attributes');
                        INSERT INTO package.gpkg_geometry_columns VALUES ('square', 'shape', 7);
                        INSERT INTO package.gpkg_spatial_ref_sys VALUES (7, 'EPSG', 32632);
                        CREATE TABLE package.square AS
                        SELECT NAME, CODE, PROV, PEOPLE, x'00' AS thumbnail, AsGPB(geom) AS shape FROM square;
                        """
                )
                try db.execute("DETACH package")
            }
        }
    }

    private func make(_ name: String, _ write: (SQLConnection, URL) throws -> Void) throws {
        let url = folder.url.appending(path: name)
        let queue = try StandaloneDatabase.scratch(readsFiles: true)
        try queue.run { db in
            try db.execute("CREATE TABLE square (NAME TEXT, CODE TEXT, PROV TEXT, PEOPLE INTEGER)")
            _ = try db.value("SELECT AddGeometryColumn('square', 'geom', 32632, 'POLYGON', 'XY')") as Int?
            for (name, code, people, polygon) in [
                ("West", "A001", 1200, Self.westWithHole), ("East", "A002", 7, Self.east),
            ] {
                try db.execute(
                    """
                    INSERT INTO square VALUES (?, ?, 'BZ', ?,
                        ST_Transform(SetSRID(GeomFromGeoJSON(?), 4326), 32632))
                    """,
                    [name, code, people, #"{"type": "Polygon", "coordinates": \#(polygon)}"#]
                )
            }
            try write(db, url)
        }
        try queue.close()
    }
}

extension BoundaryFile.Area {
    func covers(_ lon: Double, _ lat: Double) throws -> Bool {
        let point = try #require(Coordinate(lon: lon, lat: lat))
        return pieces.contains { $0.withUnsafeBytes { PolygonBlob($0)?.covers(point) == true } }
    }
}

extension BoundaryFile {
    mutating func all() throws -> [Area] {
        var result: [Area] = []
        while case let areas = try next(), !areas.isEmpty { result += areas }
        return result
    }
}

extension PlaceStore {
    /// Imports a file in the same way as the command.
    @discardableResult
    func put(_ url: URL, _ map: [String], set: [String] = [], named name: String = "test") async throws -> Int {
        guard case .boundaries(let format) = try PlaceFile(url) else { throw CocoaError(.fileReadUnknown) }
        var file = try BoundaryFile(url, format, try FieldMapping(map, constants: set))
        return try await put(name, .boundaries) { try file.next().map { Entry($0.place, areas: $0.pieces) } }
    }

    @discardableResult
    func put(table url: URL, _ name: String = "table") async throws -> Int {
        let format = try PlaceFile(url)
        let kind: Kind = if case .postalCodes = format { .postalCodes } else { .settlements }
        var file = try GeoNamesFile(url, format)
        return try await put(name, kind) { try file.next().map { Entry($0) } }
    }
}
