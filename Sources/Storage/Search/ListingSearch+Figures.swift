package import Domain
import SQL

extension ListingSearch {
    /// Returns the figures of the board. Reunions are counted in an index of their own; a million take about 30 ms.
    package func figures(now: Timestamp) throws -> BoardFigures {
        try database.readNow { db in
            var figures = BoardFigures()
            for (status, _, count) in try Self.openListings(db) {
                guard let status = Listing.Status(rawValue: status) else { continue }
                figures.open[status, default: 0] += count
            }
            figures.reunited = try Self.reunions(since: Timestamp(stored: ""), db)
            figures.recentlyReunited = try Self.reunions(since: now.adding(days: -30), db)
            return figures
        }
    }

    /// The last change of a reunited listing is its reunion, unless its owner edits it afterwards.
    private static func reunions(since time: Timestamp, _ db: SQLConnection) throws -> Int {
        try db.value(
            """
            SELECT count(*) FROM listing \(db.indexed(by: "listing_reunited"))
            WHERE status = 'reunited' AND hidden = 0 AND updated_at >= ?
            """,
            [time.text]
        ) ?? 0
    }

    /// Returns the number of listings on the board by status and species.
    static func openListings(_ db: SQLConnection) throws -> [(status: String, species: String, count: Int)] {
        // The counts of the coarsest cells are a few dozen rows.
        let level = Int64(CellCover.levels[0])
        return try db.rows(
            """
            SELECT status, species, CAST(sum(listings) AS BIGINT) FROM board_count
            WHERE cell >= ? AND cell < ? GROUP BY status, species ORDER BY status, species
            """,
            [level << 28, (level + 1) << 28]
        ) { row in (try row[0], try row[1], try row[2]) }
    }
}
