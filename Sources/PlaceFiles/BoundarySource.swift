import Domain
import Foundation
import GRDB

/// Brings the features of a file into the table `feature (id, properties, geom)` of a scratch database: properties as a JSON
/// object, geometries in degrees of WGS 84.
struct BoundarySource {
    private static let wgs84 = 4326
    /// SQLite's longest text.
    private static let longestText = 1_000_000_000

    let url: URL
    let options: BoundaryFile.Options
    /// The fields that somebody will read; a table may have more columns than SQLite makes JSON of.
    let wanted: Set<String>

    /// - Returns: the names of the fields.
    func load(_ format: PlaceFile.BoundaryFormat, into db: Database) throws -> Set<String> {
        let known =
            switch format {
            case .geoJSON: try loadGeoJSON(db)
            case .geoPackage: try loadGeoPackage(db)
            case .shapefile: try loadShapefile(db)
            }
        guard try Int.fetchOne(db, sql: "SELECT count(*) FROM feature") ?? 0 > 0 else {
            throw PlaceFileError(url, "holds no features")
        }
        return known
    }

    /// SpatiaLite's own reader of GeoJSON takes what it could read of a broken file for all of it: only geometries are left
    /// to it, the document is SQLite's.
    private func loadGeoJSON(_ db: Database) throws -> Set<String> {
        let data = try Data(contentsOf: url, options: .mappedIfSafe)
        guard data.count < Self.longestText else {
            throw PlaceFileError(url, "is larger than a gigabyte: convert it to a GeoPackage")
        }
        let bytes = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
        guard let text = String(validating: bytes, as: UTF8.self) else { throw PlaceFileError(url, "is not UTF-8") }
        try db.execute(sql: "CREATE TEMP TABLE document AS SELECT ? AS text", arguments: [text])
        guard try Bool.fetchOne(db, sql: "SELECT json_valid(text) FROM document") == true else {
            throw PlaceFileError(url, "is not whole: no valid JSON")
        }
        guard try String.fetchOne(db, sql: "SELECT json_type(text, '$.features') FROM document") == "array" else {
            throw PlaceFileError(url, "expected a FeatureCollection")
        }
        let srid = try options.srid ?? declaredSRID(db)
        // SpatiaLite reads no geometry with further members.
        let geometry = """
            GeomFromGeoJSON(json_object('type', json_extract(value, '$.geometry.type'),
                'coordinates', json_extract(value, '$.geometry.coordinates')))
            """
        try db.execute(
            sql: """
                CREATE TABLE feature AS
                SELECT id, json_extract(value, '$.properties') AS properties, \(Self.degrees(geometry, srid)) AS geom
                FROM (
                    SELECT feature.key + 1 AS id, CASE feature.type WHEN 'object' THEN feature.value ELSE '{}' END AS value
                    FROM document, json_each(document.text, '$.features') AS feature);
                DROP TABLE document;
                """
        )
        return try String.fetchSet(
            db,
            sql: """
                SELECT DISTINCT field.key
                FROM feature, json_each(CASE json_type(properties) WHEN 'object' THEN properties ELSE '{}' END) AS field
                """
        )
    }

    /// What GeoJSON of 2008 could tell; that of RFC 7946 is always in WGS 84.
    private func declaredSRID(_ db: Database) throws -> Int {
        let name = try String.fetchOne(db, sql: "SELECT json_extract(text, '$.crs.properties.name') FROM document")
        guard let name, name.range(of: "EPSG:", options: .caseInsensitive) != nil else { return Self.wgs84 }
        // "EPSG:32632", "urn:ogc:def:crs:EPSG::32632" and "urn:ogc:def:crs:EPSG:8.9:32632".
        return name.split(separator: ":").last.flatMap { Int($0) } ?? Self.wgs84
    }

    private func loadGeoPackage(_ db: Database) throws -> Set<String> {
        // Views and generated columns of a foreign file run what its maker likes: none of ours, and none at all.
        try db.execute(sql: "PRAGMA trusted_schema = OFF")
        try db.execute(sql: "ATTACH ? AS package", arguments: [url.path])
        try requireTables(["gpkg_contents", "gpkg_geometry_columns", "gpkg_spatial_ref_sys"], db)
        let layers = try String.fetchAll(
            db,
            sql: "SELECT table_name FROM package.gpkg_contents WHERE data_type = 'features' ORDER BY 1"
        )
        guard let layer = options.layer ?? (layers.count == 1 ? layers[0] : nil), layers.contains(layer) else {
            guard !layers.isEmpty else { throw PlaceFileError(url, "has no layer with areas") }
            throw ServiceError.invalid("layer", "expected one of \(layers.joined(separator: ", "))")
        }
        let column = try Row.fetchOne(
            db,
            sql: """
                SELECT column_name, organization, organization_coordsys_id
                FROM package.gpkg_geometry_columns JOIN package.gpkg_spatial_ref_sys USING (srs_id) WHERE table_name = ?
                """,
            arguments: [layer]
        )
        try requireTables([layer], db)
        guard let column, let geometry = String.fromDatabaseValue(column[0]) else {
            throw PlaceFileError(url, "its layer \(layer) has no geometry")
        }
        let isEPSG = String.fromDatabaseValue(column[1])?.uppercased() == "EPSG"
        guard let srid = options.srid ?? (isEPSG ? Int.fromDatabaseValue(column[2]) : nil) else {
            throw ServiceError.invalid("srid", "expected the EPSG number of the coordinates: the file does not tell it")
        }
        let known = try copy(
            from: "package.\(layer.sqlIdentifier)",
            geometry: "GeomFromGPB(\(geometry.sqlIdentifier))",
            except: geometry,
            srid,
            db
        )
        try db.execute(sql: "DETACH package")
        return known
    }

    private func requireTables(_ names: [String], _ db: Database) throws {
        for name in names {
            let kind = try String.fetchOne(
                db,
                sql: "SELECT type FROM package.sqlite_master WHERE name = ?",
                arguments: [name]
            )
            let generated = try Int.fetchOne(
                db,
                sql: "SELECT count(*) FROM pragma_table_xinfo(?, 'package') WHERE hidden IN (2, 3)",
                arguments: [name]
            )
            guard kind == "table", generated == 0 else {
                throw PlaceFileError(url, "expected \(name) as a plain table")
            }
        }
    }

    private func loadShapefile(_ db: Database) throws -> Set<String> {
        let base = url.deletingPathExtension()
        for part in ["shx", "dbf"] where !FileManager.default.fileExists(atPath: base.appendingPathExtension(part).path)
        {
            throw PlaceFileError(url, "expected its .\(part) beside it")
        }
        let guessed = try Int.fetchOne(db, sql: "SELECT PROJ_GuessSridFromSHP(?)", arguments: [base.path])
        guard let srid = options.srid ?? guessed, srid > 0 else {
            throw ServiceError.invalid("srid", "expected the EPSG number of the coordinates: the .prj does not tell it")
        }
        let stated = try? String(contentsOf: base.appendingPathExtension("cpg"), encoding: .ascii).trimmingCharacters(
            in: .whitespacesAndNewlines
        )
        let encoding = options.encoding ?? stated ?? "UTF-8"
        guard encoding.allSatisfy({ $0.isLetter || $0.isNumber || "-_.".contains($0) }) else {
            throw ServiceError.invalid("encoding", "expected a name like UTF-8 or ISO-8859-1, got '\(encoding)'")
        }
        let records = try ShapefileCheck(base: base).records()
        return try withPlainPath(base) { path in
            try db.execute(
                sql: "CREATE VIRTUAL TABLE shapes USING VirtualShape('\(path)', '\(encoding)', \(srid), 0, 'SAME')"
            )
            let known = try copy(from: "shapes", geometry: "Geometry", except: "Geometry", srid, db)
            let read = try Int.fetchOne(db, sql: "SELECT count(*) FROM feature") ?? 0
            guard read == records else {
                throw PlaceFileError(url, "record \(read + 1) cannot be read: is its text \(encoding)? give --encoding")
            }
            try db.execute(sql: "DROP TABLE shapes")
            return known
        }
    }

    /// VirtualShape takes a path between quotes but knows no way to write one with a quote in it.
    private func withPlainPath<Value>(_ base: URL, _ body: (String) throws -> Value) throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for part in ["shp", "shx", "dbf"] {
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: "shapes.\(part)"),
                withDestinationURL: base.appendingPathExtension(part).absoluteURL
            )
        }
        return try body(folder.appending(path: "shapes").path)
    }

    private func copy(
        from table: String,
        geometry: String,
        except column: String,
        _ srid: Int,
        _ db: Database
    ) throws -> Set<String> {
        let columns = try db.makeStatement(sql: "SELECT * FROM \(table)").columnNames
        let fields = columns.filter { $0.lowercased() != column.lowercased() }
        // A binary value has no place in JSON.
        let pairs = fields.filter(wanted.contains).flatMap { name in
            let quoted = name.sqlIdentifier
            return [
                "'\(name.replacing("'", with: "''"))'",
                "CASE typeof(\(quoted)) WHEN 'blob' THEN NULL ELSE \(quoted) END",
            ]
        }
        try db.execute(
            sql: """
                CREATE TABLE feature AS
                SELECT row_number() OVER () AS id, json_object(\(pairs.joined(separator: ", "))) AS properties,
                    \(Self.degrees(geometry, srid)) AS geom
                FROM \(table)
                """
        )
        return Set(fields)
    }

    private static func degrees(_ geometry: String, _ srid: Int) -> String {
        srid == wgs84 ? "SetSRID(\(geometry), \(wgs84))" : "ST_Transform(SetSRID(\(geometry), \(srid)), \(wgs84))"
    }
}

extension String {
    /// Between quotes, those inside doubled: GRDB's own quoting leaves them, and this name comes from a foreign file.
    fileprivate var sqlIdentifier: String { "\"" + replacing("\"", with: "\"\"") + "\"" }
}
