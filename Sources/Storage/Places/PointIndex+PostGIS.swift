import Domain
import SQL

/// The index is a GiST index.
extension PointIndex {
    /// In metres.
    private static let firstRadius = 1000.0
    private static let growth = 3.0

    /// Reads the points in growing circles until one contains enough of them: all points that were not read are farther
    /// away. The order of PostGIS's operator `<->` would be that of degrees.
    func nearestByRings(_ search: Search, _ db: SQLConnection) throws -> [Hit] {
        let last = search.radius ?? Coordinate.maxDistance
        var radius = min(Self.firstRadius, last)
        while true {
            let hits = try hits(search, within: radius, db)
            if hits.count >= search.limit || radius >= last { return Array(hits.prefix(search.limit)) }
            radius = min(last, radius * Self.growth)
        }
    }

    private func hits(_ search: Search, within radius: Double, _ db: SQLConnection) throws -> [Hit] {
        let area = SearchArea(circle: ListingQuery.Circle(centre: search.centre, radius: radius), box: search.box)
        let sql = """
            SELECT id, ST_X(geom), ST_Y(geom) FROM \(table) WHERE \(condition(on: .postGIS)) AND \(search.condition)
            """
        var hits: [Hit] = []
        for extent in area.extents {
            let scan = try PreparedStatement(db, sql, extent.corners)
            while try scan.next() {
                guard let point = Coordinate(lon: scan.real(1), lat: scan.real(2)),
                    let distance = area.distance(to: point)
                else { continue }
                hits.append(Hit(key: scan.integer(0), distance: distance))
            }
        }
        // Boxes of circles across the antimeridian may share a point on it.
        var keys: Set<Int64> = []
        return hits.filter { keys.insert($0.key).inserted }
            .sorted { ($0.distance, $0.key) < ($1.distance, $1.key) }
    }

    func extentOfTable(_ db: SQLConnection) throws -> BoundingBox? {
        try db.row(
            """
            SELECT ST_XMin(box), ST_YMin(box), ST_XMax(box), ST_YMax(box)
            FROM (SELECT ST_Extent(geom) AS box FROM \(table)) AS extent WHERE box IS NOT NULL
            """
        ) { row in BoundingBox(west: row.real(0), south: row.real(1), east: row.real(2), north: row.real(3)) } ?? nil
    }
}
