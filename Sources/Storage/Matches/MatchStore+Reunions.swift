package import Domain
import SpatiaLite

/// The places and times of an animal that came home because its two listings were linked.
package struct LinkedReunion: Sendable {
    package let lost: ListingContent
    package let metres: Double
    package let hours: Double
}

extension MatchStore {
    /// Returns the newest reunions of a species whose both listings name more than a town, for statistics only: the
    /// distances are those of the exact points. Returns nothing if there are fewer than `count` links.
    package func reunions(of species: Species, atLeast count: Int) throws -> [LinkedReunion] {
        try database.readNow { db in
            let links: [Int64] = try db.values(
                "SELECT 1 FROM match_answer WHERE linked_at IS NOT NULL LIMIT ?",
                [count]
            )
            guard links.count >= count else { return [] }
            let pairs = try db.rows(
                """
                SELECT lost_id, found_id FROM match_answer WHERE linked_at IS NOT NULL ORDER BY linked_at DESC LIMIT 1000
                """
            ) { row in (lost: row.integer(0), found: row.integer(1)) }
            return try pairs.compactMap { pair in try Self.reunion(pair.lost, pair.found, of: species, db) }
        }
    }

    private static func reunion(
        _ lost: Int64,
        _ found: Int64,
        of species: Species,
        _ db: SQLConnection
    ) throws -> LinkedReunion? {
        guard let home = try listing(lost, db), let find = try listing(found, db), home.content.species == species,
            let from = point(home), let to = point(find), let left = home.content.lastSeenAt,
            let came = find.content.lastSeenAt
        else { return nil }
        let hours = Double(came.milliseconds - left.milliseconds) / 3_600_000
        return LinkedReunion(lost: home.content, metres: from.distance(to: to), hours: max(0, hours))
    }

    /// Returns nil if only the town is known.
    private static func point(_ listing: Listing) -> Coordinate? {
        listing.location.exact ?? (listing.location.approximate ? nil : listing.location.coordinate)
    }
}
