package import Domain
package import Foundation
import SQL

/// A change of a webhook.
package struct WebhookChange: Sendable {
    /// Nil if the address stays.
    package let address: (url: String, host: String)?
    /// Nil if it stays as it is.
    package let isEnabled: Bool?

    package init(address: (url: String, host: String)?, isEnabled: Bool?) {
        (self.address, self.isEnabled) = (address, isEnabled)
    }
}

extension ChannelStore {
    /// Returns the webhooks of an account, oldest first.
    package func findWebhooks(of account: Account) throws -> [Webhook] {
        try database.readNow { db in
            try db.rows("SELECT * FROM webhook WHERE account_id = ? ORDER BY id", [account.key], Webhook.init)
        }
    }

    /// Throws `notFound` if the account has no such webhook.
    package func getWebhook(id: UUID, of account: Account) throws -> Webhook {
        try database.readNow { db in try Self.get(id, account, db) }
    }

    package func createWebhook(
        _ address: (url: String, host: String),
        secret: String,
        by account: Account,
        at now: Timestamp
    ) async throws -> Webhook {
        let id = UUID()
        return try await database.write { db in
            try ListingDerivation.throwIfBanned(account.key, db)
            guard try db.count("webhook WHERE account_id = ?", [account.key]) < Webhook.maxCount else {
                throw ServiceError(
                    .quotaExceeded, "an account has at most \(Webhook.maxCount) webhooks: delete one first")
            }
            try db.execute(
                "INSERT INTO webhook (uuid, account_id, url, host, secret, created_at) VALUES (?, ?, ?, ?, ?, ?)",
                [id, account.key, address.url, address.host, secret, now]
            )
            return try Self.get(id, account, db)
        }
    }

    /// Changes a webhook. One that is enabled again begins without failures; one that is disabled gets nothing of what
    /// waits.
    package func edit(
        _ id: UUID,
        of account: Account,
        _ change: WebhookChange,
        at now: Timestamp
    ) async throws -> Webhook {
        try await database.write { db in
            let webhook = try Self.get(id, account, db)
            if let (url, host) = change.address {
                try db.execute(
                    "UPDATE webhook SET url = ?, host = ?, failing_since = NULL, last_outcome = NULL WHERE id = ?",
                    [url, host, webhook.key]
                )
                try db.execute("UPDATE outgoing_event SET host = ? WHERE webhook_id = ?", [host, webhook.key])
            }
            switch change.isEnabled {
            case true? where webhook.disabledAt != nil:
                try db.execute(
                    "UPDATE webhook SET disabled_at = NULL, failing_since = NULL WHERE id = ?",
                    [webhook.key]
                )
            case false? where webhook.disabledAt == nil: try Self.disable(webhook.key, at: now, db)
            default: break
            }
            return try Self.get(id, account, db)
        }
    }

    /// Replaces the secret. The one before signs too, until the end of `Webhook.rotationTime`.
    package func rotate(
        _ id: UUID,
        of account: Account,
        secret: String,
        at now: Timestamp
    ) async throws -> Webhook {
        try await database.write { db in
            let webhook = try Self.get(id, account, db)
            try db.execute(
                "UPDATE webhook SET previous_secret = secret, previous_until = ?, secret = ? WHERE id = ?",
                [now.adding(seconds: Webhook.rotationTime), secret, webhook.key]
            )
            return webhook
        }
    }

    package func remove(_ id: UUID, of account: Account) async throws {
        try await database.write { db in
            let webhook = try Self.get(id, account, db)
            try db.execute("DELETE FROM webhook WHERE id = ?", [webhook.key])
        }
    }

    /// Stores an event for one webhook. Throws `conflict` if it is disabled.
    package func append(
        _ event: OutgoingEvent,
        toWebhook id: UUID,
        of account: Account,
        at now: Timestamp
    ) async throws {
        try await database.write { db in
            let webhook = try Self.get(id, account, db)
            guard webhook.disabledAt == nil else {
                throw ServiceError(.conflict, "the webhook is disabled: enable it first")
            }
            _ = try Self.appendToWebhooks(event, of: account.key, webhook.key, at: now, db)
        }
    }

    static func disable(_ webhook: Int64, at now: Timestamp, _ db: SQLConnection) throws {
        try db.execute("UPDATE webhook SET disabled_at = ? WHERE id = ?", [now, webhook])
        try db.execute("DELETE FROM outgoing_event WHERE webhook_id = ?", [webhook])
    }

    private static func get(_ id: UUID, _ account: Account, _ db: SQLConnection) throws -> Webhook {
        let found = try db.row(
            "SELECT * FROM webhook WHERE uuid = ? AND account_id = ?",
            [id, account.key],
            Webhook.init
        )
        guard let found else { throw ServiceError(.notFound, "no such webhook") }
        return found
    }
}

extension Webhook {
    fileprivate init(_ row: StatementRow) throws {
        try self.init(
            key: row["id"],
            id: row["uuid"],
            url: row["url"],
            createdAt: row["created_at"],
            failingSince: row["failing_since"],
            disabledAt: row["disabled_at"],
            lastOutcome: row["last_outcome"]
        )
    }
}
