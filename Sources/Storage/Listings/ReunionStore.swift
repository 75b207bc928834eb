package import Domain
import SQL

/// The reunions that the board shows, because the owners of the listings agreed to it.
package struct ReunionStore: Sendable {
    private let database: any Database

    package init(_ database: any Database) {
        self.database = database
    }

    /// Shows a reunion on the board, or withdraws it. Does nothing for a listing that is not `reunited`.
    package func setShown(_ isShown: Bool, _ listing: Listing, at now: Timestamp = .now) async throws {
        try await database.write { db in
            guard isShown else {
                try db.execute("DELETE FROM shown_reunion WHERE listing_id = ?", [listing.key])
                return
            }
            try db.execute(
                """
                INSERT INTO shown_reunion (listing_id, shown_at)
                SELECT id, ? FROM listing WHERE id = ? AND status = 'reunited' ON CONFLICT DO NOTHING
                """,
                [now.text, listing.key]
            )
        }
    }

    package func isShown(_ listing: Listing) throws -> Bool {
        try database.readNow { db in
            try db.exists("SELECT 1 FROM shown_reunion WHERE listing_id = ?", [listing.key])
        }
    }

    /// Returns the listings of the reunions that were shown last.
    package func findNewest(limit: Int) throws -> [Listing] {
        try database.readNow { db in
            let newest: [Int64] = try db.values(
                """
                SELECT listing_id FROM shown_reunion CROSS JOIN listing
                WHERE listing.id = listing_id AND NOT hidden ORDER BY shown_at DESC LIMIT ?
                """,
                [limit]
            )
            return try newest.compactMap { key in
                try db.row("\(ListingRow.select) WHERE listing.id = ?", [key]) { try Listing(ListingRow($0)) }
            }
        }
    }
}
