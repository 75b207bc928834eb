package import Domain
package import Foundation
import SQL

/// Deletes and closes data at the end of its retention time. Each method processes one batch and returns the number of
/// rows. If this number equals the batch size, more rows may remain.
package struct RetentionStore: Sendable {
    private let database: any Database

    /// The maximum number of listings per write, so that other writes do not wait long.
    package static let batchSize = 100

    package init(_ database: any Database) { self.database = database }

    /// A listing that will soon be closed, with its owner.
    package struct Warning: Sendable {
        package let listing: ListingCode
        package let animal: AnimalName
        /// The `Account.id`.
        package let owner: UUID
        package let expiresAt: Timestamp
    }

    /// Marks listings that will soon be closed as warned about, and returns them. The web pages show the warning from
    /// then on; the caller can notify the owners in other ways, too.
    package func warn(at now: Timestamp) async throws -> [Warning] {
        try await database.write { db in
            let rows = try db.rows(
                """
                SELECT listing.id, code, \(AnimalName.columns), account.uuid AS owner, renewed_at
                FROM listing_renewal CROSS JOIN listing CROSS JOIN account
                WHERE listing.id = listing_id AND account.id = account_id
                    AND is_open AND warned_at IS NULL AND renewed_at <= ?
                ORDER BY renewed_at LIMIT ?
                """,
                [now.adding(days: Expiry.warning - Expiry.listing).text, Self.batchSize]
            ) { row in
                let renewed: Timestamp = try row["renewed_at"]
                let end = max(renewed.adding(days: Expiry.listing), now.adding(days: Expiry.minWarningTime))
                let warning = try Warning(
                    listing: row["code"],
                    animal: AnimalName(row),
                    owner: row["owner"],
                    expiresAt: end
                )
                return (key: try row["id"] as Int64, warning: warning)
            }
            for (key, _) in rows {
                try db.execute("UPDATE listing_renewal SET warned_at = ? WHERE listing_id = ?", [now, key])
            }
            return rows.map(\.warning)
        }
    }

    /// Closes listings that their owners did not renew after the warning.
    package func expire(at now: Timestamp) async throws -> Int {
        try await database.write { db in
            let due = try db.rows(
                """
                SELECT listing_id, status
                FROM listing_renewal CROSS JOIN listing
                WHERE listing.id = listing_id AND is_open AND warned_at <= ? AND renewed_at <= ? LIMIT ?
                """,
                [
                    now.adding(days: -Expiry.minWarningTime).text, now.adding(days: -Expiry.listing).text,
                    Self.batchSize,
                ]
            ) { row in (try row[0] as Int64, try row[1] as String) }
            for (key, status) in due {
                try db.execute(
                    "UPDATE listing SET status = 'closed', version = version + 1, updated_at = ? WHERE id = ?",
                    [now.text, key]
                )
                try db.execute("UPDATE listing_renewal SET expired_from = ? WHERE listing_id = ?", [status, key])
            }
            return due.count
        }
    }

    /// Deletes events that are too old for any client to resume from, at most 100 times `batchSize`. Returns
    /// `batchSize` if more may remain, and 0 otherwise.
    package func pruneEvents(at now: Timestamp) async throws -> Int {
        let most = 100 * Self.batchSize
        let oldest = now.adding(days: -Expiry.events).text
        let count = try await database.write { db in
            // Events are in the order of time, so the first event that is young enough ends the deletion.
            try db.execute(
                """
                DELETE FROM event WHERE id < (
                    SELECT coalesce(min(CASE WHEN at > ? THEN id END), max(id) + 1)
                    FROM (SELECT id, at FROM event ORDER BY id LIMIT ?) AS earliest)
                """,
                [oldest, most]
            )
        }
        return count == most ? Self.batchSize : 0
    }
}
