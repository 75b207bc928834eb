package import Domain
package import Foundation
import SQL
import SpatiaLite

/// Reads polygons of GeoJSON, a GeoPackage or a shapefile with SpatiaLite, in a temporary database.
///
/// No area is returned before the whole file was read, so a damaged file causes an error and not a partial import.
package struct BoundaryFile {
    package struct Area: Sendable {
        package let place: ImportedPlace
        /// POLYGONs in SpatiaLite's format, in degrees of WGS 84, with a few hundred corners each.
        package let pieces: [Data]
    }

    /// The number of features that were left out.
    package struct Skipped: Sendable {
        package var withoutArea = 0
        package var withoutName = 0
    }

    /// The maximum number of corners of a piece. A look-up reads one or two pieces.
    private static let pieceCorners = 256
    private static let wgs84 = 4326

    /// Options for reading a file, needed if the file does not contain the information.
    package struct Options: Sendable {
        /// The layer of a GeoPackage that has more than one.
        package var layer: String?
        /// The EPSG code of the coordinates. It takes precedence over the code in the file.
        package var srid: Int?
        /// The encoding of a shapefile's texts as an iconv name. It takes precedence over the .cpg file.
        package var encoding: String?

        package init(layer: String? = nil, srid: Int? = nil, encoding: String? = nil) {
            (self.layer, self.srid, self.encoding) = (layer, srid, encoding)
        }
    }

    private let url: URL
    private let scratch: StandaloneDatabase
    private let mapping: FieldMapping
    package private(set) var skipped = Skipped()
    private var last: Int64 = 0

    package init(
        _ url: URL,
        _ format: PlaceFile.BoundaryFormat,
        _ mapping: FieldMapping,
        _ options: Options = Options()
    ) throws {
        self.url = url
        self.mapping = mapping
        scratch = try .scratch(readsFiles: format == .shapefile)
        try Self.telling(url, format) {
            try scratch.run { db in
                let source = BoundarySource(url: url, options: options, wanted: mapping.fileFields)
                try mapping.check(against: source.load(format, into: db))
                let mending = BoundaryMending(db: db)
                try mending.collect()
                try checkDegrees(db)
                try mend(mending, db)
                try cut(db)
                try checkTexts(db)
            }
        }
        skipped.withoutArea = try scratch.run { db in
            try db.value("SELECT (SELECT count(*) FROM feature) - (SELECT count(*) FROM shape)") ?? 0
        }
    }

    /// Returns the field names of the file, so that an error message can list them if no mapping was given.
    package static func fields(
        of url: URL,
        _ format: PlaceFile.BoundaryFormat,
        _ options: Options = Options()
    ) throws -> Set<String> {
        try telling(url, format) {
            try StandaloneDatabase.scratch(readsFiles: format == .shapefile).run { db in
                try BoundarySource(url: url, options: options, wanted: []).load(format, into: db)
            }
        }
    }

    private static func telling<Value>(
        _ url: URL,
        _ format: PlaceFile.BoundaryFormat,
        _ body: () throws -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch {
            guard let failure = SQLFailure(error) else { throw error }
            let reason = failure.isDamage ? nil : failure.message
            throw PlaceFileError(url, "cannot be read as \(format.name): \(reason ?? "it is damaged or not whole")")
        }
    }

    /// Returns the next areas with a name, at most `limit`; empty at the end.
    package mutating func next(atMost limit: Int = 1_000) throws -> [Area] {
        while true {
            let (areas, unnamed, key) = try scratch.run { [last] db in try read(db, after: last, limit) }
            guard key > last else { return [] }
            last = key
            skipped.withoutName += unnamed
            if !areas.isEmpty { return areas }
        }
    }

    private func read(_ db: SQLConnection, after last: Int64, _ limit: Int) throws -> ([Area], Int, Int64) {
        let rows = try db.rows(
            "SELECT id, properties, lon, lat, pieces FROM shape WHERE id > ? ORDER BY id LIMIT ?",
            [last, limit]
        ) { row in (key: try row[0] as Int64, area: try area(row)) }
        let areas = rows.compactMap(\.area)
        return (areas, rows.count - areas.count, rows.last?.key ?? last)
    }

    private func area(_ row: StatementRow) throws -> Area? {
        guard let place = try place(row), let pieces = MultiPolygonBlob(try row[4]).polygons() else { return nil }
        return Area(place: place, pieces: pieces)
    }

    private func place(_ row: StatementRow) throws -> ImportedPlace? {
        guard let point = Coordinate(lon: try row[2], lat: try row[3]) else { return nil }
        let number: Int64 = try row[0]
        let values = try Self.values(try row[1])
        do throws(ServiceError) {
            return try mapping.place(at: point, values)
        } catch {
            throw PlaceFileError(url, "\(feature(number, values)): \(error.message)")
        }
    }

    /// Returns the description of a feature in error messages.
    private func feature(_ number: Int64, _ values: [String: String]) -> String {
        mapping.title(values).map { "feature \(number) '\(PlaceText.excerpt($0))'" } ?? "feature \(number)"
    }

    private func feature(_ number: Int64, _ db: SQLConnection) throws -> String {
        let properties = try db.value("SELECT properties FROM feature WHERE id = ?", [number]) as String?
        return feature(number, try Self.values(properties ?? "{}"))
    }

    private static func values(_ properties: String) throws -> [String: String] {
        let object = try JSONSerialization.jsonObject(with: Data(properties.utf8)) as? [String: Any] ?? [:]
        return object.compactMapValues { value in
            switch value {
            case let text as String: text
            case let number as NSNumber: number.stringValue
            default: nil
            }
        }
    }

    private func checkDegrees(_ db: SQLConnection) throws {
        let outside =
            try db.value(
                """
                SELECT id FROM mended WHERE (
                    ST_MinX(geom) >= -180 AND ST_MaxX(geom) <= 180 AND ST_MinY(geom) >= -90 AND ST_MaxY(geom) <= 90
                ) IS NOT TRUE
                """
            ) as Int64?
        guard let outside else { return }
        let feature = try feature(outside, db)
        throw PlaceFileError(url, "\(feature) does not lie on the Earth in degrees: give --srid of its coordinates")
    }

    private func mend(_ mending: BoundaryMending, _ db: SQLConnection) throws {
        do {
            try mending.mend()
        } catch let failure as BoundaryMending.Failure {
            let feature = try feature(failure.feature, db)
            throw PlaceFileError(url, "\(feature) cannot be mended: expected polygons whose rings do not cross")
        }
    }

    /// Computes a point inside each area and splits the area into pieces.
    private func cut(_ db: SQLConnection) throws {
        try db.run(
            script: """
                CREATE TABLE shape (id INTEGER PRIMARY KEY, properties TEXT, lon REAL, lat REAL, pieces BLOB);
                INSERT INTO shape
                SELECT id, coalesce(properties, '{}'), ST_X(point), ST_Y(point),
                    SetSRID(ST_Subdivide(geom, \(Self.pieceCorners)), \(Self.wgs84))
                FROM (SELECT *, ST_PointOnSurface(geom) AS point FROM mended)
                WHERE point IS NOT NULL
                """
        )
        let whole = try db.value("SELECT id FROM shape WHERE pieces IS NULL") as Int64?
        guard let whole else { return }
        throw PlaceFileError(
            url,
            "\(try feature(whole, db)) cannot be cut into pieces: expected polygons that SpatiaLite takes"
        )
    }

    private func checkTexts(_ db: SQLConnection) throws {
        let rows = try PreparedStatement(db, "SELECT id, properties, lon, lat FROM shape")
        while try rows.next() { _ = try place(rows.row) }
    }
}
