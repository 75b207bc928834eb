package import Domain
import SQL
import SpatiaLite

/// The places and times of an animal that came home because its two listings were linked.
package struct LinkedReunion: Sendable {
    package let lost: ListingContent
    package let metres: Double
    package let hours: Double
}

extension MatchStore {
    /// Returns the newest reunions of a species whose both listings name more than a town. Returns nothing if there are
    /// fewer than `count` links.
    ///
    /// The distances are those of the public points. The radii of search areas, which strangers see, follow from them: who
    /// moves an own listing of a reunion could otherwise find the exact point of the other one.
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
        guard let home = try Listing.fetch(db, key: lost), let find = try Listing.fetch(db, key: found),
            home.content.species == species,
            let from = point(home), let to = point(find), let left = home.content.lastSeenAt,
            let came = find.content.lastSeenAt
        else { return nil }
        let hours = Double(came.milliseconds - left.milliseconds) / 3_600_000
        let (own, other) = (CandidateSearch.uncertainty(of: home), CandidateSearch.uncertainty(of: find))
        let between = from.distance(to: to)
        let metres = (between * between + own * own + other * other).squareRoot()
        return LinkedReunion(lost: home.content, metres: metres, hours: max(0, hours))
    }

    /// Returns nil if only the town is known.
    private static func point(_ listing: Listing) -> Coordinate? {
        let location = listing.location
        return location.exact != nil || !location.approximate ? location.coordinate : nil
    }
}
