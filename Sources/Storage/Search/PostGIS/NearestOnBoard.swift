import Domain
import Foundation
import SQL
import SpatiaLite

/// Finds the nearest open listings with the index of the table `board`, in one statement for most pages.
///
/// PostgreSQL reads the index in the order of the distance on a Mercator map. A distance there has a least length in
/// metres, so the last row that was read gives a lower bound of the distance of all further ones: listings within this
/// bound are in their exact order (decision 0136).
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
        guard let circle = space.circle else { return [] }
        guard abs(circle.centre.lat) < Self.northernmost else { return nil }
        // Rows that are nearer than the last one on the map may be farther away: see `leastDistance`.
        var limit = Int(Double(query.limit + 1) * 1.03) + 6
        while true {
            let read = try read(around: circle.centre, budget: budget, limit: limit)
            let hits = read.hits.sorted().prefix(query.limit + 1)
            guard let bound = read.bound else { return Array(hits) }
            let needed = hits.count > query.limit ? hits[query.limit].distance : circle.radius ?? .infinity
            if needed < bound { return Array(hits) }
            guard read.count == limit, limit < budget else { return nil }
            limit = min(4 * limit, budget)
        }
    }

    private struct Rows {
        var hits: [ListingHit] = []
        /// A lower bound of the distance of listings that were not read; nil if there are none.
        var bound: Double?
        var count = 0
    }

    private func read(around centre: Coordinate, budget: Int, limit: Int) throws -> Rows {
        let sql =
            query.isEveryOpenListing && query.cursor == nil
            ? statement(around: centre, limit: limit)
            : statement(around: centre, budget: budget, limit: limit)
        let scan = try PreparedStatement(db, sql.sql, sql.values, isKept: query.filter == nil)
        var rows = Rows()
        var (reach, isAll) = (0.0, true)
        while try scan.next() {
            let row = scan.row
            rows.count += 1
            reach = row.real(first + 4)
            guard row.integer(first + 3) < budget else {
                isAll = false
                break
            }
            if let hit = try hit(row) { rows.hits.append(hit) }
        }
        if !isAll || rows.count == limit { rows.bound = Self.leastDistance(from: centre, beyond: reach) }
        return rows
    }

    /// Without conditions, each row is a result.
    private func statement(around centre: Coordinate, limit: Int) -> SQLText {
        """
        SELECT id >> 4, lon, lat, 0, mercator(lon, lat) <-> \(centre.mercator)\(sql: withFeatures ? ", feature" : "")
        FROM board \(envelope)
        ORDER BY mercator(lon, lat) <-> \(centre.mercator) LIMIT \(.integer(Int64(limit)))
        """
    }

    /// Reads rows until there are enough results or the budget is used up, which row number `budget` tells.
    private func statement(around centre: Coordinate, budget: Int, limit: Int) -> SQLText {
        let conditions = RowConditions(query: query).sql(over: [.point, .status, .species, .lastSeenAt])
        return """
            SELECT \(sql: columns) FROM (
                SELECT *, board_id >> 4 AS id, row_number() OVER () AS n FROM (
                    SELECT id AS board_id, lon, lat, status, species, last_seen_at, feature,
                        mercator(lon, lat) <-> \(centre.mercator) AS degrees
                    FROM board \(envelope)
                    ORDER BY mercator(lon, lat) <-> \(centre.mercator) LIMIT \(.integer(Int64(budget)))) AS rows
                ) AS found
            \(conditions.readsListing ? ListReader.listing : "")
            WHERE found.n = \(.integer(Int64(budget))) OR (\(conditions.text) AND \(behindCursor))
            LIMIT \(.integer(Int64(limit)))
            """
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
        return "WHERE mercator(lon, lat) <@ \(box.mercator)"
    }

    /// Excludes most of the listings that earlier pages have shown: one degree of the map has at most this length.
    private var behindCursor: SQLText {
        guard let shown = query.cursor.flatMap({ Double($0.value) }) else { return "true" }
        return "found.degrees >= \(.real(shown / Self.greatestDegree * 0.999_999))"
    }

    /// In metres: at the equator.
    private static let greatestDegree = 6_378_137 * Double.pi / 180

    /// In metres: slightly less than the least radius of curvature, for rounding.
    private static let leastRadius = 6_335_439.0 * (1 - 1e-8)

    /// The latitude up to which a degree of the map is at most `greatestDegree` long for all listings, also for those
    /// beyond the end of the map.
    private static let northernmost = 89.9

    /// Returns a lower bound of the distance in metres of points that are at least so many degrees away on the map.
    ///
    /// At the latitude p, one radian of the map is M cos(p) long to the north and N cos(p) to the east. Both radii of
    /// curvature M and N are at least `leastRadius`, so no way out of a circle on the map is shorter than the meridian
    /// towards the nearer pole, on a sphere with this radius. A difference of longitudes above 180 degrees is that of a
    /// point across the antimeridian.
    static func leastDistance(from centre: Coordinate, beyond degrees: Double) -> Double {
        let lat = abs(centre.lat) * .pi / 180
        let direct = atan(sinh(asinh(tan(lat)) + degrees * .pi / 180)) - lat
        // The angle to the antimeridian, at the pole if that is nearest.
        let east = (180 - abs(centre.lon)) * .pi / 180
        let across = east < .pi / 2 ? asin(cos(lat) * sin(east)) : .pi / 2 - lat
        // One micrometre is more than the error of the difference.
        return min(direct, across) * leastRadius - 1e-6
    }
}

extension ListingQuery {
    /// Whether the area is the only condition.
    fileprivate var isEveryOpenListing: Bool {
        conditions == 0 && isOpen && Set(statuses).isSuperset(of: Listing.Status.open)
    }
}

extension Coordinate {
    /// The point on the Mercator map as an SQL expression.
    fileprivate var mercator: SQLText { "mercator(\(.real(lon)), \(.real(lat)))" }
}

extension CellCover.Extent {
    /// The box on the Mercator map as an SQL expression.
    fileprivate var mercator: SQLText {
        "box(mercator(\(.real(west)), \(.real(south))), mercator(\(.real(east)), \(.real(north))))"
    }
}
