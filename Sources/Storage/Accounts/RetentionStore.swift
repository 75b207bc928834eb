package import Domain
package import Foundation
import GRDB
import SpatiaLite

/// What goes when its time is over. Each call does some of it and tells how much: there is more where that is `batchSize`.
package struct RetentionStore: Sendable {
    private let database: DatabaseFile

    /// So that nobody who writes waits for long.
    package static let batchSize = 100

    package init(_ database: DatabaseFile) {
        self.database = database
    }

    /// A listing that ends soon, for its owner.
    package struct Warning: Sendable {
        package let listing: UUID
        package let name: String?
        /// The `Account.id`.
        package let owner: UUID
        /// Nil for a guest's.
        package let email: String?
        package let language: Language?
        package let expiresAt: Timestamp
    }

    /// Notes of listings that end soon that their owners have been told, which the pages do from now on; for whoever tells them elsewhere.
    package func warn(at now: Timestamp) async throws -> [Warning] {
        try await database.write { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT listing.id, listing.uuid, name, account.uuid AS owner, email, language, renewed_at
                    FROM listing_renewal CROSS JOIN listing ON listing.id = listing_id
                        CROSS JOIN account ON account.id = account_id
                    WHERE is_open AND warned_at IS NULL AND renewed_at <= ?
                    ORDER BY renewed_at LIMIT ?
                    """,
                arguments: [now.adding(days: Expiry.warning - Expiry.listing).text, Self.batchSize]
            )
            for row in rows {
                try db.execute(
                    sql: "UPDATE listing_renewal SET warned_at = ? WHERE listing_id = ?",
                    arguments: [now.text, row["id"] as Int64]
                )
            }
            return rows.compactMap { row in
                guard let id = UUID(uuidString: row["uuid"]), let owner = UUID(uuidString: row["owner"]) else {
                    return nil
                }
                let renewed = Timestamp(stored: row["renewed_at"])
                let end = max(renewed.adding(days: Expiry.listing), now.adding(days: Expiry.minWarningTime))
                return Warning(
                    listing: id,
                    name: row["name"],
                    owner: owner,
                    email: row["email"],
                    language: (row["language"] as String?).flatMap(Language.init),
                    expiresAt: end
                )
            }
        }
    }

    /// Closes listings whose owners did not renew them after they were told.
    package func expire(at now: Timestamp) async throws -> Int {
        try await database.write { db in
            let due = try Row.fetchAll(
                db,
                sql: """
                    SELECT listing_id, status
                    FROM listing_renewal CROSS JOIN listing ON listing.id = listing_id
                    WHERE is_open AND warned_at <= ? AND renewed_at <= ? LIMIT ?
                    """,
                arguments: [
                    now.adding(days: -Expiry.minWarningTime).text, now.adding(days: -Expiry.listing).text,
                    Self.batchSize,
                ]
            )
            for row in due {
                let key: Int64 = row["listing_id"]
                try db.execute(
                    sql: "UPDATE listing SET status = 'closed', version = version + 1, updated_at = ? WHERE id = ?",
                    arguments: [now.text, key]
                )
                try db.execute(
                    sql: "UPDATE listing_renewal SET expired_from = ? WHERE listing_id = ?",
                    arguments: [row["status"] as String, key]
                )
            }
            return due.count
        }
    }

    /// Forgets events that nobody resumes from any more.
    package func pruneEvents(at now: Timestamp) async throws -> Int {
        let most = 100 * Self.batchSize
        let oldest = now.adding(days: -Expiry.events).text
        let count = try await database.write { db in
            // Events are in order of time: the first that stays ends it.
            try db.execute(
                sql: """
                    DELETE FROM event WHERE id < (
                        SELECT coalesce(min(CASE WHEN at > ? THEN id END), max(id) + 1)
                        FROM (SELECT id, at FROM event ORDER BY id LIMIT ?))
                    """,
                arguments: [oldest, most]
            )
            return db.changesCount
        }
        return count == most ? Self.batchSize : 0
    }
}
