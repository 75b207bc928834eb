package import Domain
package import Foundation
import SQL

/// The alerts for possible matches of listings. Each listing that is posted has one, until its owner deletes it.
extension AlertStore {
    /// Creates the alert of a listing of the account, or changes and continues the one that it has.
    ///
    /// - Returns: the alert, and whether it is new.
    package func createOrContinue(
        for listing: Listing,
        name: String?,
        minProbability: Double,
        by account: Account,
        at now: Timestamp = .now
    ) async throws -> (alert: Alert, isNew: Bool) {
        try await database.write { db in
            try ListingDerivation.throwIfBanned(account.key, db)
            let isNew = try !db.exists("SELECT 1 FROM alert WHERE listing_id = ?", [listing.key])
            let id: String? = try db.value(
                """
                INSERT INTO alert (uuid, account_id, listing_id, name, min_probability, created_at, updated_at)
                VALUES (?, ?, ?, ?, ?, ?6, ?6)
                ON CONFLICT (listing_id) DO UPDATE SET name = excluded.name, min_probability = excluded.min_probability,
                    paused = FALSE, version = alert.version + 1, updated_at = excluded.updated_at
                WHERE alert.account_id = excluded.account_id
                RETURNING uuid
                """,
                [UUID(), account.key, listing.key, name, minProbability, now.text]
            )
            guard let id = id.flatMap(UUID.init) else { throw ServiceError(.notFound, "no such listing") }
            return (try Self.get(id, account, db), isNew)
        }
    }

    /// Stores that a listing is a possible match of listings with alerts, and notes what their owners are to be told.
    ///
    /// - Parameters:
    ///   - found: the keys of the alerts, with the probabilities.
    ///   - zone: returns the time zone of the listing.
    package func add(
        _ found: [(alert: Int64, probability: Double)],
        of listing: Listing,
        in zone: TimeZone,
        at now: Timestamp = .now
    ) async throws {
        guard let status = listing.content.status, !found.isEmpty else { return }
        let schedule = NotificationSchedule(at: now, in: zone)
        try await database.write { db in
            let notedAt = try Self.notedAt(listing.key, db) ?? now
            for (alert, probability) in found {
                let finding = Finding(
                    alert: alert,
                    listing: listing.key,
                    status: status.rawValue,
                    probability: probability,
                    turn: 0,
                    notedAt: notedAt
                )
                try Self.add(finding, schedule, at: now, db)
            }
        }
    }
}
