import Domain
import SQL

extension DatabaseCheck {
    /// A track has at most `Track.maxPoints` points, and devices send points only to tracks of open listings.
    static func tracks(_ db: SQLConnection) throws -> [String] {
        let long =
            try db.values(
                "SELECT track_id FROM track_point GROUP BY track_id HAVING count(*) > ? LIMIT 20",
                [Track.maxPoints]
            ) as [Int64]
        let open =
            try db.values(
                """
                SELECT track.id FROM track JOIN listing ON listing.id = listing_id
                WHERE closed_at IS NULL AND status <> 'lost' LIMIT 20
                """
            ) as [Int64]
        return long.map { "track \($0) has too many points" } + open.map { "track \($0) is open, its listing is not" }
    }
}
