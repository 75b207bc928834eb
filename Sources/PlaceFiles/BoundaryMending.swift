import Foundation
import SQL
import SpatiaLite

/// Copies the polygons of the table `feature` to `mended (id, properties, geom)` as valid MULTIPOLYGONs.
///
/// Invalid geometries are repaired polygon by polygon and then united, so that a point where two polygons of a feature
/// overlap belongs to the feature.
struct BoundaryMending {
    /// A feature that cannot be repaired.
    struct Failure: Error {
        let feature: Int64
    }

    /// The repair attempts in order: the unchanged geometry; SpatiaLite's repair, which rejects some rings that
    /// collapsed to a line or a point; the area that the lines enclose.
    private static let ways = [
        "?", "ST_MakeValid(?)", "ST_MakeValid(ST_BuildArea(ST_UnaryUnion(LinesFromRings(?))))",
    ]

    let db: SQLConnection

    /// Copies the geometries without repairing them.
    func collect() throws {
        try db.run(
            script: """
                CREATE TABLE mended (id INTEGER PRIMARY KEY, properties TEXT, geom BLOB);
                INSERT INTO mended
                SELECT id, properties, CastToXY(CastToMultiPolygon(geom)) FROM feature
                WHERE GeometryType(CastToXY(geom)) IN ('POLYGON', 'MULTIPOLYGON');
                """
        )
    }

    func mend() throws {
        try db.execute("CREATE TEMP TABLE part (geom BLOB)")
        for feature in try db.values("SELECT id FROM mended WHERE ST_IsValid(geom) <> 1") as [Int64] {
            do {
                try mend(feature: feature)
            } catch  where SQLFailure(error) != nil {
                throw Failure(feature: feature)
            }
        }
        try db.execute("DELETE FROM mended WHERE geom IS NULL")
    }

    private func mend(feature: Int64) throws {
        try db.execute("DELETE FROM part")
        let geometry = try db.value("SELECT geom FROM mended WHERE id = ?", [feature]) as Data?
        guard let polygons = geometry.flatMap({ MultiPolygonBlob($0).polygons() }) else {
            throw Failure(feature: feature)
        }
        for polygon in polygons {
            try db.execute("INSERT INTO part VALUES (?)", [try valid(polygon)])
        }
        try db.execute(
            """
            UPDATE mended SET geom = (
                SELECT CastToMultiPolygon(ExtractMultiPolygon(ST_UnaryUnion(ST_Collect(geom)))) FROM part WHERE geom IS NOT NULL)
            WHERE id = ?
            """,
            [feature]
        )
        guard
            try db.value("SELECT geom IS NULL OR ST_IsValid(geom) = 1 FROM mended WHERE id = ?", [feature]) == true
        else { throw Failure(feature: feature) }
    }

    /// Returns nil if the polygon encloses no area, for example an island that collapsed to a point.
    private func valid(_ polygon: Data) throws -> Data? {
        var refusal: (any Error)?
        for way in Self.ways {
            do {
                if let found = try areas(way, polygon) { return found }
            } catch  where SQLFailure(error) != nil {
                refusal = error
            }
        }
        if let refusal, try !isFlat(polygon) { throw refusal }
        return nil
    }

    private func areas(_ way: String, _ polygon: Data) throws -> Data? {
        try db.value(
            """
            SELECT geom FROM (SELECT ExtractMultiPolygon(CastToMulti(\(way))) AS geom)
            WHERE geom IS NOT NULL AND ST_IsValid(geom) = 1
            """,
            [polygon]
        ) as Data?
    }

    private func isFlat(_ polygon: Data) throws -> Bool {
        try db.value("SELECT ST_Area(?) = 0", [polygon]) ?? false
    }
}
