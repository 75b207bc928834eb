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
        let area = SearchArea(
            circle: ListingQuery.Circle(centre: search.centre, radius: radius),
            box: search.box
        )
        let sql = """
            SELECT id, ST_X(geom), ST_Y(geom) FROM \(table) WHERE \(conditionOfIndex) AND \(search.condition)
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

    func points(where condition: String?) -> String {
        """
        SELECT id, ST_X(geom), ST_Y(geom) FROM \(table) WHERE \(conditionOfIndex) AND \(condition ?? "TRUE") LIMIT ?
        """
    }

    var conditionOfIndex: String { "\(table).geom && ST_MakeEnvelope(?, ?, ?, ?, 4326)" }

    func extentOfTable(_ db: SQLConnection) throws -> BoundingBox? {
        let sides = try db.row(
            """
            SELECT ST_XMin(box), ST_YMin(box), ST_XMax(box), ST_YMax(box)
            FROM (SELECT ST_Extent(geom) AS box FROM \(table)) AS extent
            """
        ) { row in try (0..<4).map { try row[CInt($0)] as Double? } }
        guard let sides = sides?.compactMap(\.self), sides.count == 4,
            let southWest = Coordinate(lon: sides[0], lat: sides[1]),
            let northEast = Coordinate(lon: sides[2], lat: sides[3])
        else { return nil }
        return BoundingBox(southWest: southWest, northEast: northEast)
    }
}
