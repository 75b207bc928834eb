import Domain
import Foundation
import SQL

/// Loads the features of a file into the table `feature (id, properties, geom)` of a temporary database, with the
/// properties as a JSON object and the geometries in degrees of WGS 84.
struct BoundarySource {
    private static let wgs84 = 4326
    /// The maximum length of a text in SQLite.
    private static let maxTextLength = 1_000_000_000

    let url: URL
    let options: BoundaryFile.Options
    /// The fields that the mapping reads. Other fields are skipped because a table may have more columns than SQLite's
    /// JSON functions accept arguments.
    let wanted: Set<String>

    /// - Returns: The field names.
    func load(_ format: PlaceFile.BoundaryFormat, into db: SQLConnection) throws -> Set<String> {
        let known =
            switch format {
            case .geoJSON: try loadGeoJSON(db)
            case .geoPackage: try loadGeoPackage(db)
            case .shapefile: try loadShapefile(db)
            }
        guard try db.value("SELECT count(*) FROM feature") ?? 0 > 0 else {
            throw PlaceFileError(url, "holds no features")
        }
        return known
    }

    /// Parses the document with SQLite's JSON functions and only the geometries with SpatiaLite, because SpatiaLite's
    /// GeoJSON reader accepts a truncated file without an error.
    private func loadGeoJSON(_ db: SQLConnection) throws -> Set<String> {
        let data = try Data(contentsOf: url, options: .mappedIfSafe)
        guard data.count < Self.maxTextLength else {
            throw PlaceFileError(url, "is larger than a gigabyte: convert it to a GeoPackage")
        }
        let bytes = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
        guard let text = String(validating: bytes, as: UTF8.self) else { throw PlaceFileError(url, "is not UTF-8") }
        try db.execute("CREATE TEMP TABLE document AS SELECT ? AS text", [text])
        guard try db.value("SELECT json_valid(text) FROM document") == true else {
            throw PlaceFileError(url, "is not whole: no valid JSON")
        }
        guard try db.value("SELECT json_type(text, '$.features') FROM document") == "array" else {
            throw PlaceFileError(url, "expected a FeatureCollection")
        }
        let srid = try options.srid ?? declaredSRID(db)
        try requireSystem(srid, db)
        try db.run(
            script: """
                CREATE TEMP TABLE member AS
                SELECT feature.key + 1 AS id, CASE feature.type WHEN 'object' THEN feature.value ELSE '{}' END AS value
                FROM document, json_each(document.text, '$.features') AS feature;
                DROP TABLE document;
                """
        )
        let known = try Set(
            db.values("SELECT DISTINCT field.key FROM member, json_each(\(Self.properties)) AS field") as [String]
        )
        // The names are compared in SQL, byte by byte: Swift treats composed and decomposed accents as equal.
        let read = known.filter(wanted.contains)
        try db.execute(
            """
            CREATE TABLE feature AS
            SELECT id, (
                SELECT json_group_object(key, \(Self.value)) FROM json_each(\(Self.properties))
                WHERE key IN (\(Array(repeating: "?", count: read.count).joined(separator: ", ")))) AS properties,
                \(Self.degrees("coalesce(\(Self.geometry), \(Self.geometryOfWholeRings))", srid)) AS geom
            FROM member
            """,
            Array(read)
        )
        try db.execute("DROP TABLE member")
        return known
    }

    private static let properties = """
        CASE json_type(member.value, '$.properties') WHEN 'object' THEN json_extract(member.value, '$.properties')
            ELSE '{}' END
        """
    /// Values other than texts and finite numbers become NULL.
    private static let value = """
        CASE WHEN type IN ('object', 'array') OR abs(value) > 1e308 THEN NULL ELSE value END
        """

    private static let coordinates = "(member.value -> '$.geometry.coordinates')"
    // SpatiaLite rejects geometries with additional members.
    private static let geometry = geometry(of: coordinates)
    /// SpatiaLite rejects rings with less than four corners, which occur where an island collapsed when its coast was
    /// simplified.
    private static let geometryOfWholeRings = """
        CASE json_extract(member.value, '$.geometry.type')
            WHEN 'Polygon' THEN \(geometry(of: wholeRings(of: coordinates)))
            WHEN 'MultiPolygon' THEN \(geometry(of: wholePolygons))
            END
        """
    private static let wholePolygons = """
        (SELECT json_group_array(json(rings)) FROM (
            SELECT \(wholeRings(of: "polygon.value")) AS rings FROM json_each(\(coordinates)) AS polygon
            WHERE polygon.type = 'array')
        WHERE rings IS NOT NULL)
        """

    private static func geometry(of coordinates: String) -> String {
        """
        GeomFromGeoJSON(json_object(
            'type', json_extract(member.value, '$.geometry.type'), 'coordinates', json(\(coordinates))))
        """
    }

    /// Returns SQL that is NULL if the outer ring has less than four corners.
    private static func wholeRings(of polygon: String) -> String {
        """
        (SELECT json_group_array(json(ring.value)) FROM json_each(\(polygon)) AS ring
            WHERE CASE ring.type WHEN 'array' THEN json_array_length(ring.value) > 3 END
            HAVING json_array_length(\(polygon), '$[0]') > 3)
        """
    }

    private func requireSystem(_ srid: Int, _ db: SQLConnection) throws {
        let known =
            try db.value("SELECT EXISTS (SELECT 1 FROM spatial_ref_sys WHERE srid = ? AND srid > 0)", [srid]) as Bool?
        guard known == true else {
            throw ServiceError.invalid(
                "srid",
                "expected the EPSG number of the coordinates, one that SpatiaLite knows, got \(srid)"
            )
        }
    }

    /// Returns the reference system in the `crs` member of GeoJSON of 2008. RFC 7946 always uses WGS 84.
    private func declaredSRID(_ db: SQLConnection) throws -> Int {
        let name = try db.value("SELECT json_extract(text, '$.crs.properties.name') FROM document") as String?
        guard let name, name.range(of: "EPSG:", options: .caseInsensitive) != nil else { return Self.wgs84 }
        // The forms are "EPSG:32632", "urn:ogc:def:crs:EPSG::32632" and "urn:ogc:def:crs:EPSG:8.9:32632".
        return name.split(separator: ":").last.flatMap { Int($0) } ?? Self.wgs84
    }

    private func loadGeoPackage(_ db: SQLConnection) throws -> Set<String> {
        // Views and generated columns can execute SQL of the file's author. Our functions are disabled in them, and
        // `requireTables` rejects them.
        try db.execute("PRAGMA trusted_schema = OFF")
        try db.execute("ATTACH ? AS package", [url.path])
        try requireTables(["gpkg_contents", "gpkg_geometry_columns", "gpkg_spatial_ref_sys"], db)
        let layers =
            try db.values("SELECT table_name FROM package.gpkg_contents WHERE data_type = 'features' ORDER BY 1")
            as [String]
        guard let layer = options.layer ?? (layers.count == 1 ? layers[0] : nil), layers.contains(layer) else {
            guard !layers.isEmpty else { throw PlaceFileError(url, "has no layer with areas") }
            throw ServiceError.invalid("layer", "expected one of \(layers.joined(separator: ", "))")
        }
        let column = try db.row(
            """
            SELECT column_name, organization, organization_coordsys_id
            FROM package.gpkg_geometry_columns JOIN package.gpkg_spatial_ref_sys USING (srs_id) WHERE table_name = ?
            """,
            [layer]
        ) { row in
            (
                name: try row[0] as String?, organization: try row[1] as String?, number: try row[2] as Int?
            )
        }
        try requireTables([layer], db)
        guard let column, let geometry = column.name else {
            throw PlaceFileError(url, "its layer \(layer) has no geometry")
        }
        let isEPSG = column.organization?.uppercased() == "EPSG"
        guard let srid = options.srid ?? (isEPSG ? column.number : nil) else {
            throw ServiceError.invalid("srid", "expected the EPSG number of the coordinates: the file does not tell it")
        }
        try requireSystem(srid, db)
        let known = try copy(
            from: "package.\(layer.sqlIdentifier)",
            geometry: "GeomFromGPB(\(geometry.sqlIdentifier))",
            except: geometry,
            srid,
            db
        )
        try db.execute("DETACH package")
        return known
    }

    private func requireTables(_ names: [String], _ db: SQLConnection) throws {
        for name in names {
            let kind = try db.value("SELECT type FROM package.sqlite_master WHERE name = ?", [name]) as String?
            let generated =
                try db.value("SELECT count(*) FROM pragma_table_xinfo(?, 'package') WHERE hidden IN (2, 3)", [name])
                as Int?
            guard kind == "table", generated == 0 else {
                throw PlaceFileError(url, "expected \(name) as a plain table")
            }
        }
    }

    private func loadShapefile(_ db: SQLConnection) throws -> Set<String> {
        let base = url.deletingPathExtension()
        for part in ["shp", "shx", "dbf"] {
            try base.appendingPathExtension(part).requireReadable("the shapefile's .\(part)")
        }
        let system = base.appendingPathExtension("prj")
        if FileManager.default.fileExists(atPath: system.path) {
            try system.requireReadable("the shapefile's reference system")
        }
        let encoding = try encoding(base).name
        let records = try ShapefileCheck(base: base).records()
        guard let srid = try options.srid ?? guessedSRID(base, db), srid > 0 else {
            throw ServiceError.invalid("srid", "expected the EPSG number of the coordinates: the .prj does not tell it")
        }
        try requireSystem(srid, db)
        return try withPlainPath(base) { path in
            try db.execute(
                "CREATE VIRTUAL TABLE shapes USING VirtualShape('\(path)', '\(encoding)', \(srid), 0, 'SAME')"
            )
            let known = try copy(from: "shapes", geometry: "Geometry", except: "Geometry", srid, db)
            let read = try db.value("SELECT count(*) FROM feature") ?? 0
            guard read == records else {
                throw PlaceFileError(url, "record \(read + 1) cannot be read: is its text \(encoding)? give --encoding")
            }
            try db.execute("DROP TABLE shapes")
            return known
        }
    }

    /// Compares the .prj file with all reference systems, which takes PROJ half a second.
    private func guessedSRID(_ base: URL, _ db: SQLConnection) throws -> Int? {
        try db.value("SELECT PROJ_GuessSridFromSHP(?)", [base.path])
    }

    /// Returns the encoding from the options or else from the .cpg file; UTF-8 if neither has one.
    private func encoding(_ base: URL) throws -> TextEncoding {
        if let text = options.encoding {
            guard let encoding = TextEncoding(text) else {
                throw ServiceError.invalid("encoding", "\(TextEncoding.expectation), got '\(PlaceText.excerpt(text))'")
            }
            return encoding
        }
        let stated = base.appendingPathExtension("cpg")
        let text = try shortText(stated)
        guard let encoding = TextEncoding(text.isEmpty ? "UTF-8" : text) else {
            throw PlaceFileError(
                stated,
                "\(TextEncoding.expectation), got '\(PlaceText.excerpt(text))': give --encoding"
            )
        }
        return encoding
    }

    private func shortText(_ file: URL) throws -> String {
        guard FileManager.default.fileExists(atPath: file.path), file.obstacleToReading != "is empty" else { return "" }
        try file.requireReadable("the encoding of the shapefile's texts")
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        return String(decoding: try handle.read(upToCount: 1_000) ?? Data(), as: UTF8.self)
            .trimmingCharacters(in: TextEncoding.padding)
    }

    /// VirtualShape's path argument is quoted and cannot contain quotes, so a link with a plain path is made.
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
        _ db: SQLConnection
    ) throws -> Set<String> {
        let statement = try PreparedStatement(db, "SELECT * FROM \(table)", isKept: false)
        let columns = (0..<statement.row.columnCount).map(statement.row.name)
        let fields = columns.filter { $0.lowercased() != column.lowercased() }
        // JSON cannot represent binary values and infinite numbers.
        let pairs = fields.filter(wanted.contains).flatMap { name in
            let quoted = name.sqlIdentifier
            return [
                "'\(name.replacing("'", with: "''"))'",
                "CASE WHEN typeof(\(quoted)) = 'blob' OR abs(\(quoted)) > 1e308 THEN NULL ELSE \(quoted) END",
            ]
        }
        try db.execute(
            """
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
    /// Quotes an identifier and doubles the quotes in it, because names from imported files are untrusted.
    fileprivate var sqlIdentifier: String { "\"" + replacing("\"", with: "\"\"") + "\"" }
}
