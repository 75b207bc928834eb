import Domain
import Foundation
import SQL

/// The conditions of a query in SQL, except those on the area.
///
/// The text depends only on which conditions there are; their values are bound. So PostgreSQL prepares few statements
/// and keeps their plans. All conditions are exact except that on words, which `ListingMatcher` decides.
struct RowConditions {
    let query: ListingQuery

    /// The columns that a list has besides `id`, so that its rows need not be looked up in `listing` for them.
    struct Columns: OptionSet {
        let rawValue: Int
        static let point = Columns(rawValue: 1)
        static let status = Columns(rawValue: 2)
        static let species = Columns(rawValue: 4)
        static let lastSeenAt = Columns(rawValue: 8)
    }

    /// Returns the conditions on rows of `found`.
    ///
    /// - Returns: the conditions, and whether they read the row of `listing`.
    func sql(over columns: Columns) -> (text: SQLText, readsListing: Bool) {
        var (parts, readsListing) = ([SQLText](), false)
        func source(_ column: Columns) -> String {
            if columns.contains(column) { return "found" }
            readsListing = true
            return "listing"
        }
        // A list that has the status contains no hidden listings.
        if !query.includesHidden, !columns.contains(.status) { parts.append("NOT listing.hidden") }
        parts.append("\(sql: source(.status)).status = ANY(\(.array(query.statuses.map(\.rawValue))))")
        if let species = query.species { parts.append("\(sql: source(.species)).species = \(.text(species.rawValue))") }
        if let since = query.since { parts.append("\(sql: source(.lastSeenAt)).last_seen_at >= \(.text(since.text))") }
        if let until = query.until { parts.append("\(sql: source(.lastSeenAt)).last_seen_at < \(.text(until.text))") }
        let others = [owner, breed, places, query.rowCondition.map { SQLText("(\($0.sql))", $0.values) }]
            .compactMap(\.self)
        if let words = TextQuery(query)?.condition { parts.append(words) }
        return ((parts + others).joined(" AND "), readsListing || !others.isEmpty || query.hasWords)
    }

    private var owner: SQLText? {
        query.owner.map { "listing.account_id = \(.integer($0))" }
    }

    private var breed: SQLText? {
        guard case .keys(let keys)? = query.breed else { return nil }
        // Listings of an earlier version whose words have not been read yet have no facets.
        return """
            (\(Self.one(of: keys, in: "breed_facets"))\(sql: query.includesCrosses ? "" : " AND NOT listing.mixed")
            OR listing.breed_facets IS NULL AND coalesce(listing.breed_key, '') = ANY(\(.array(keys.sorted()))))
            """
    }

    private var places: SQLText? {
        query.places.isEmpty ? nil : Self.one(of: query.places, in: "place_names")
    }

    /// The condition that a column, which is a JSON array of texts without quotes, contains one of the texts.
    private static func one(of texts: Set<String>, in column: String) -> SQLText {
        """
        EXISTS (
            SELECT 1 FROM unnest(CAST(\(.array(texts.sorted().map { "\"\($0)\"" })) AS text[])) AS wanted (name)
            WHERE strpos(listing.\(sql: column), wanted.name) > 0)
        """
    }
}

extension SearchArea {
    /// Returns a condition that a point may be in the area. It holds for points up to half a percent of the radius
    /// outside of the circle, because PostGIS would need ten times as long as this for the exact distance.
    ///
    /// - Parameter table: has the columns `lon` and `lat`.
    func condition(over table: String) -> SQLText? {
        guard !isEverywhere else { return nil }
        let (lon, lat): (SQLText, SQLText) = ("\(sql: table).lon", "\(sql: table).lat")
        let boxes = extents.map { extent -> SQLText in
            """
            (\(lon) BETWEEN \(.real(extent.west)) AND \(.real(extent.east))
                AND \(lat) BETWEEN \(.real(extent.south)) AND \(.real(extent.north)))
            """
        }
        guard !boxes.isEmpty else { return "false" }
        let boxed: SQLText = "(\(boxes.joined(" OR ")))"
        guard let circle, let radius = circle.radius else { return boxed }
        // The haversine of the angle between the points: `Coordinate.lowerBound` explains the least radius of curvature.
        let angle = min(.pi, radius / 6_335_439)
        let greatest = pow(sin(angle / 2), 2) * (1 + 1e-8) + 1e-18
        let (centre, narrowing) = (circle.centre, cos(circle.centre.lat * .pi / 180))
        return """
            \(boxed) AND power(sin(radians(\(lat) - \(.real(centre.lat))) / 2), 2)
                + \(.real(narrowing)) * cos(radians(\(lat)))
                    * power(sin(radians(\(lon) - \(.real(centre.lon))) / 2), 2) <= \(.real(greatest))
            """
    }
}

extension CellCover.Extent {
    /// The box as an SQL expression.
    var envelope: SQLText {
        "ST_MakeEnvelope(\(.real(west)), \(.real(south)), \(.real(east)), \(.real(north)), 4326)"
    }
}
