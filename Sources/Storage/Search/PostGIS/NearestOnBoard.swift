import Domain
import Foundation
import SQL
import SpatiaLite

/// Finds the nearest open listings with the spatial index of the table `board`, in one statement for most pages.
///
/// PostgreSQL reads the index in the order of the plain distance in degrees. Each degree has a least length in metres
/// around the centre, so the last row that was read gives a lower bound of the distance of all further ones: listings
/// within this bound are in their exact order. The index of the type `geography` knows an order in metres, but on the
/// sphere; it takes three times as long and is one more index to write.
struct NearestOnBoard {
    private let db: SQLConnection
    private let query: ListingQuery
    private let space: SearchArea
    private let check: ListingMatcher
    private let withFeatures: Bool

    init(_ db: SQLConnection, _ query: ListingQuery, withFeatures: Bool) {
        (self.db, self.query, self.withFeatures) = (db, query, withFeatures)
        check = ListingMatcher(query)
        space = check.space
    }

    /// Returns nil if the budget of rows was used up before the page was full, or if the order is not certain because
    /// the centre is near a pole or the antimeridian.
    func page(budget: Int) throws -> [ListingHit]? {
        guard let centre = space.circle?.centre else { return [] }
        // A circle in degrees around a circle in metres.
        let stretch = 1 / max(0.05, cos(centre.lat * .pi / 180))
        var limit = Int(Double(query.limit + 1) * stretch * 1.1) + 8
        while true {
            let read = try read(around: centre, budget: budget, limit: limit)
            let hits = read.hits.sorted().prefix(query.limit + 1)
            guard let bound = read.bound else { return Array(hits) }
            if hits.count > query.limit, hits[query.limit].distance < bound { return Array(hits) }
            guard read.count == limit, limit < budget else { return nil }
            limit *= 4
        }
    }

    private struct Rows {
        var hits: [ListingHit] = []
        /// A lower bound of the distance of listings that were not read; nil if there are none.
        var bound: Double?
        var count = 0
    }

    private func read(around centre: Coordinate, budget: Int, limit: Int) throws -> Rows {
        let conditions = RowConditions(query: query).sql(over: [.point, .status, .species, .lastSeenAt])
        let sql: SQLText = """
            SELECT \(sql: columns) FROM (
                SELECT *, board_id >> 4 AS id, row_number() OVER () AS n FROM (
                    SELECT id AS board_id, lon, lat, status, species, last_seen_at, feature,
                        geom <-> \(centre.geometry) AS degrees
                    FROM board \(envelope)
                    ORDER BY geom <-> \(centre.geometry) LIMIT \(.integer(Int64(budget)))) AS rows) AS found
            \(conditions.readsListing ? ListReader.listing : "")
            WHERE found.n = \(.integer(Int64(budget))) OR (\(conditions.text) AND \(behindCursor))
            LIMIT \(.integer(Int64(limit)))
            """
        let scan = try PreparedStatement(db, sql.sql, sql.values, isKept: query.filter == nil)
        var rows = Rows()
        var (degrees, isAll) = (0.0, true)
        while try scan.next() {
            let row = scan.row
            rows.count += 1
            degrees = row.real(first + 4)
            guard row.integer(first + 3) < budget else {
                isAll = false
                break
            }
            if let hit = try hit(row) { rows.hits.append(hit) }
        }
        if !isAll || rows.count == limit { rows.bound = Self.leastDistance(from: centre, beyond: degrees) }
        return rows
    }

    /// The columns that `ListingMatcher` reads come first.
    private var first: CInt { query.hasWords ? CInt(ListingRow.checkedColumns.count) : 0 }

    private var columns: String {
        let own = ["found.id", "found.lon", "found.lat", "found.n", "found.degrees"]
        return ((query.hasWords ? ListingRow.checkedColumns : []) + own + (withFeatures ? ["found.feature"] : []))
            .joined(separator: ", ")
    }

    private func hit(_ row: StatementRow) throws -> ListingHit? {
        guard let point = Coordinate(lon: row.real(first + 1), lat: row.real(first + 2)),
            let distance = query.hasWords ? try check.distance(of: ListingRow(row)) : space.distance(to: point)
        else { return nil }
        let hit = ListingHit(
            key: row.integer(first),
            distance: distance,
            feature: withFeatures ? row.text(first + 5).map(Array.init) : nil
        )
        return query.isAfterCursor(hit) ? hit : nil
    }

    /// The index of the box ends the search where the area ends.
    private var envelope: SQLText {
        guard !space.isEverywhere, space.extents.count == 1, let box = space.extents.first else { return "" }
        return "WHERE geom && \(box.envelope)"
    }

    /// Excludes most of the listings that earlier pages have shown: one degree has at most this length.
    private var behindCursor: SQLText {
        guard let shown = query.cursor.flatMap({ Double($0.value) }) else { return "true" }
        return "found.degrees >= \(.real(shown / Self.greatestDegree * 0.999_999))"
    }

    /// In metres: that of the greatest radius of curvature, at the poles.
    private static let greatestDegree = 6_399_594 * Double.pi / 180

    /// In metres: slightly less than the least radius of curvature, for rounding.
    private static let leastRadius = 6_335_439.0 * (1 - 1e-8)

    /// Returns a lower bound of the distance in metres of points that are at least so many degrees away.
    ///
    /// With p for the latitude, the haversine of the angle between two points is
    /// sin²(dp/2) + cos(p1) cos(p2) sin²(dl/2). If |dp| < d, cos(p2) is at least cos(|p1| + d), and the sum is at least
    /// cos(p1) cos(|p1| + d) sin²(d/2), because sin²(√x/2) is concave; otherwise it is at least sin²(d/2). A difference
    /// of longitudes above 180 degrees is that of a point across the antimeridian.
    static func leastDistance(from centre: Coordinate, beyond degrees: Double) -> Double {
        let d = min(.pi, degrees * .pi / 180)
        let lat = abs(centre.lat) * .pi / 180
        let narrowing = max(0, cos(lat) * cos(min(.pi / 2, lat + d)))
        let direct = 2 * asin(narrowing.squareRoot() * sin(d / 2))
        // The angle to the antimeridian, at the pole if that is nearest.
        let east = (180 - abs(centre.lon)) * .pi / 180
        let across = east < .pi / 2 ? asin(cos(lat) * sin(east)) : .pi / 2 - lat
        return min(direct, across) * leastRadius
    }
}
