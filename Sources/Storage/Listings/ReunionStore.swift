package import Domain
package import Foundation
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

    /// An animal that came home in the past, with the listing of its finder if there is one.
    package struct Past: Sendable {
        package let lost: UUID
        package var found: UUID?
        package let at: Timestamp

        package init(lost: UUID, found: UUID? = nil, at: Timestamp) {
            (self.lost, self.found, self.at) = (lost, found, at)
        }
    }

    /// Records when animals came home whose listings were reunited already when they were stored, and links the listings of
    /// owner and finder. Listings with a history keep theirs.
    package func record(_ reunions: [Past]) async throws {
        for start in stride(from: 0, to: reunions.count, by: 50) {
            let some = reunions[start..<min(start + 50, reunions.count)]
            try await database.write { db in
                for reunion in some { try Self.record(reunion, db) }
            }
        }
    }

    private static func record(_ reunion: Past, _ db: SQLConnection) throws {
        for (id, former) in [(reunion.lost, Listing.Status.lost), (reunion.found, .found)] {
            guard let id else { continue }
            try db.execute(
                """
                INSERT INTO listing_history (listing_id, at, type, former, status)
                SELECT id, ?, 'status', ?, status FROM listing WHERE uuid = ? AND status = 'reunited'
                    AND NOT EXISTS (SELECT 1 FROM listing_history WHERE listing_id = listing.id)
                """,
                [reunion.at.text, former.rawValue, id.lowercased]
            )
        }
        guard let found = reunion.found else { return }
        try db.execute(
            """
            INSERT INTO match_answer (lost_id, found_id, lost_answer, lost_answered_at, found_answer, found_answered_at,
                found_status, linked_at)
            SELECT lost.id, other.id, 'yes', ?1, 'yes', ?1, 'found', ?1 FROM listing AS lost, listing AS other
            WHERE lost.uuid = ?2 AND other.uuid = ?3 AND lost.status = 'reunited' AND other.status = 'reunited'
            ON CONFLICT DO NOTHING
            """,
            [reunion.at.text, reunion.lost.lowercased, found.lowercased]
        )
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
