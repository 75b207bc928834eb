package import Domain
package import Foundation
import SQL

/// A message that is due, with what is needed to send it.
package struct DueEvent: Sendable {
    package enum Receiver: Sendable {
        case device(key: Int64, endpoint: String, p256dh: String, auth: String)
        /// The secrets sign, the present one first.
        case webhook(key: Int64, url: String, secrets: [String])
    }

    package let key: Int64
    /// The same for each attempt.
    package let id: UUID
    package let receiver: Receiver
    package let host: String
    package let eventKey: String
    package let payload: String
    package let urgency: OutgoingEvent.Urgency
    /// The number of attempts that failed.
    package let attempts: Int
    package let expiresAt: Timestamp
}

/// A webhook that was disabled because its receiver takes nothing.
package struct DisabledWebhook: Equatable, Sendable {
    /// The `Account.id` of the owner.
    package let owner: UUID
    package let host: String

    package init(owner: UUID, host: String) {
        (self.owner, self.host) = (owner, host)
    }
}

extension ChannelStore {
    /// Returns a message for each of the hosts: that with the lowest turn, which has been due for the longest time.
    ///
    /// - Parameters:
    ///   - keys: the messages that are being sent.
    ///   - hosts: the hosts that have to wait.
    ///   - webhooks: the webhooks that have to wait.
    ///   - takesWebhooks: whether messages to webhooks are returned.
    package func next(
        due now: Timestamp,
        except keys: some Collection<Int64>,
        hosts: some Collection<String>,
        webhooks: some Collection<Int64>,
        takesWebhooks: Bool,
        limit: Int
    ) throws -> [DueEvent] {
        let values: [any SQLBindable] = try [
            now, Self.list(Array(keys)), Self.list(Array(hosts)), Self.list(Array(webhooks)), takesWebhooks, limit,
        ]
        return try database.readNow { db in try db.rows(Self.dueSQL, values, DueEvent.init) }
    }

    /// The hosts are found by one step in the index for each, so that a host with many messages costs no more.
    private static let dueSQL = """
        WITH RECURSIVE known (name) AS (
            SELECT min(host) FROM outgoing_event
            UNION ALL SELECT (SELECT min(host) FROM outgoing_event WHERE host > name) FROM known WHERE name IS NOT NULL),
        first (event) AS (
            SELECT (
                SELECT id FROM outgoing_event
                WHERE host = name AND next_attempt_at <= ?1
                    AND id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each(?2))
                    AND (webhook_id IS NULL OR ?5
                        AND webhook_id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each(?4)))
                ORDER BY turn, next_attempt_at, id LIMIT 1)
            FROM known
            WHERE name IS NOT NULL AND name NOT IN (SELECT value FROM json_each(?3))
                AND EXISTS (SELECT 1 FROM outgoing_event WHERE host = name AND next_attempt_at <= ?1))
        SELECT outgoing_event.*, endpoint, p256dh, auth, url, secret,
            CASE WHEN previous_until > ?1 THEN previous_secret END AS former
        FROM first CROSS JOIN outgoing_event
            LEFT JOIN push_subscription ON push_subscription.id = push_subscription_id
            LEFT JOIN webhook ON webhook.id = webhook_id
        WHERE outgoing_event.id = event
        ORDER BY turn, next_attempt_at, outgoing_event.id LIMIT ?6
        """

    private static func list(_ values: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(values), as: UTF8.self)
    }

    /// Returns the time of the first attempt after `now`.
    package func nextAttempt(after now: Timestamp) throws -> Timestamp? {
        try database.readNow { db in
            let text: String? = try db.value(
                "SELECT min(next_attempt_at) FROM outgoing_event WHERE next_attempt_at > ?",
                [now]
            )
            return text.map(Timestamp.init(stored:))
        }
    }

    package func countWaiting() throws -> Int {
        try database.readNow { db in try db.value("SELECT count(*) FROM outgoing_event") ?? 0 }
    }

    // MARK: - After an attempt

    /// Deletes a message that was taken.
    package func settle(_ event: DueEvent) async throws {
        try await database.write { db in
            try Self.delete(event, db)
            switch event.receiver {
            case .device(let key, _, _, _):
                try db.execute(
                    "UPDATE push_subscription SET failing_since = NULL WHERE id = ? AND failing_since IS NOT NULL",
                    [key]
                )
            case .webhook(let key, _, _):
                try db.execute(
                    """
                    UPDATE webhook SET failing_since = NULL, last_outcome = 'delivered'
                    WHERE id = ? AND (failing_since IS NOT NULL OR last_outcome IS DISTINCT FROM 'delivered')
                    """,
                    [key]
                )
            }
        }
    }

    /// Records a failed attempt.
    ///
    /// - Parameters:
    ///   - outcome: what a webhook answered; nil for browsers.
    ///   - time: the time of the next attempt; nil to give the message up.
    ///   - isForAll: whether the receiver asked to send nothing until then.
    ///   - isOver: whether a webhook is disabled that has been failing since this time.
    /// - Returns: the webhook if it was disabled now.
    package func fail(
        _ event: DueEvent,
        _ outcome: Webhook.Outcome?,
        until time: Timestamp?,
        isForAll: Bool,
        at now: Timestamp,
        isOver: @escaping @Sendable (Timestamp) -> Bool
    ) async throws -> DisabledWebhook? {
        try await database.write { db in
            if let time {
                try db.execute(
                    "UPDATE outgoing_event SET attempts = attempts + 1, next_attempt_at = ? WHERE id = ?",
                    [time, event.key]
                )
                if isForAll { try Self.postpone(event, until: time, db) }
            } else {
                try Self.delete(event, db)
            }
            switch event.receiver {
            case .device(let key, _, _, _):
                try db.execute(
                    "UPDATE push_subscription SET failing_since = coalesce(failing_since, ?) WHERE id = ?",
                    [now, key]
                )
                return nil
            case .webhook(let key, _, _): return try Self.note(outcome, of: key, at: now, isOver, db)
            }
        }
    }

    /// Deletes a browser whose subscription has ended, with what waits for it.
    package func removeDevice(_ key: Int64) async throws {
        try await database.write { db in try db.execute("DELETE FROM push_subscription WHERE id = ?", [key]) }
    }

    /// Deletes a batch of messages that are too old, and returns their number. Messages that are being sent stay.
    package func removeExpired(at now: Timestamp, except keys: some Collection<Int64>) async throws -> Int {
        let expired = "SELECT id FROM outgoing_event WHERE expires_at <= ?"
        guard try database.readNow({ db in try db.exists(expired, [now]) }) else { return 0 }
        let keys = try Self.list(Array(keys))
        return try await database.write { db in
            try db.execute(
                """
                DELETE FROM outgoing_event
                WHERE id IN (
                    \(expired) AND id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each(?))
                    ORDER BY expires_at LIMIT 1000)
                """,
                [now, keys]
            )
        }
    }

    private static func delete(_ event: DueEvent, _ db: SQLConnection) throws {
        try db.execute("DELETE FROM outgoing_event WHERE id = ?", [event.key])
    }

    private static func postpone(_ event: DueEvent, until time: Timestamp, _ db: SQLConnection) throws {
        let (column, key) =
            switch event.receiver {
            case .device(let key, _, _, _): ("push_subscription_id", key)
            case .webhook(let key, _, _): ("webhook_id", key)
            }
        try db.execute(
            "UPDATE outgoing_event SET next_attempt_at = ?1 WHERE \(column) = ?2 AND next_attempt_at < ?1",
            [time, key]
        )
    }

    private static func note(
        _ outcome: Webhook.Outcome?,
        of webhook: Int64,
        at now: Timestamp,
        _ isOver: (Timestamp) -> Bool,
        _ db: SQLConnection
    ) throws -> DisabledWebhook? {
        try db.execute(
            "UPDATE webhook SET failing_since = coalesce(failing_since, ?), last_outcome = ? WHERE id = ?",
            [now, outcome?.rawValue, webhook]
        )
        let found = try db.row(
            """
            SELECT failing_since, account.uuid AS owner, host FROM webhook JOIN account ON account.id = account_id
            WHERE webhook.id = ? AND disabled_at IS NULL
            """,
            [webhook]
        ) { row in
            (
                since: try row["failing_since"] as Timestamp,
                disabled: DisabledWebhook(owner: try row["owner"], host: try row["host"])
            )
        }
        guard let found, outcome == .gone || isOver(found.since) else { return nil }
        try disable(webhook, at: now, db)
        return found.disabled
    }
}

extension DueEvent {
    fileprivate init(_ row: StatementRow) throws {
        if let device = try row["push_subscription_id"] as Int64? {
            receiver = .device(
                key: device,
                endpoint: try row["endpoint"],
                p256dh: try row["p256dh"],
                auth: try row["auth"]
            )
        } else {
            let secrets = [try row["secret"] as String?, try row["former"]].compactMap(\.self)
            receiver = .webhook(key: try row["webhook_id"], url: try row["url"], secrets: secrets)
        }
        key = try row["id"]
        id = try row["uuid"]
        host = try row["host"]
        eventKey = try row["key"]
        payload = try row["payload"]
        urgency = try row["urgency"]
        attempts = Int(try row["attempts"] as Int64)
        expiresAt = try row["expires_at"]
    }
}
