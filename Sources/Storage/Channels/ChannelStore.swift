package import Domain
import Foundation
package import SQL

/// The browsers and webhooks of accounts, and the messages that wait for them.
package struct ChannelStore: Sendable {
    /// The most waiting messages of all accounts together. Further ones are dropped.
    package static let maxWaiting = 50_000
    /// How many of them are only for messages that do not belong to a later turn of a fan-out.
    private static let reserve = 10_000
    /// The most waiting messages of one account. A further one replaces the oldest.
    package static let maxWaitingPerAccount = 500
    /// The most messages to one push service that wait for their first attempt before `isCongested`.
    private static let maxAhead = 200
    private static let maxPayloadBytes = 16_384

    let database: any Database

    package init(_ database: any Database) { self.database = database }

    /// Whether this node sends what is stored.
    package var isLeader: Bool { database.isLeader }

    // MARK: - Adding messages

    /// Stores an event for each browser of an account, within the transaction that causes it. `ChannelSender.wake()`
    /// after the commit sends it at once. What concerns an organisation goes to the browsers of its managers.
    ///
    /// - Parameter account: the `Account.key`.
    /// - Returns: the number of messages that were stored. It is smaller if messages with the key wait already, or if too
    ///   many messages wait.
    @discardableResult
    package static func appendPush(
        _ event: OutgoingEvent,
        to account: Int64,
        at now: Timestamp,
        _ db: SQLConnection
    ) throws -> Int {
        guard !event.push.isEmpty else { return 0 }
        let devices = try db.rows(
            """
            SELECT push_subscription.id, host, push_subscription.language
            FROM push_subscription JOIN account ON account.id = account_id
            WHERE NOT disabled AND (account_id = ?1 OR account_id IN (
                SELECT account_id FROM organisation_member WHERE organisation_id = ?1 AND role = 'manager'))
            """,
            [account]
        ) { row in (key: row.integer(0), host: try row["host"] as String, language: try row["language"] as Language) }
        return try devices.reduce(0) { count, device in
            guard let text = event.push[device.language] ?? event.push.values.first else { return count }
            let target = Target(account: account, host: device.host, device: device.key)
            return try count + (insert(event, try payload(text, device.language), target, now, db) ? 1 : 0)
        }
    }

    /// Whether so many messages wait for their first attempt at a push service of the account that others should wait
    /// before they are stored.
    static func isCongested(for account: Int64, _ db: SQLConnection) throws -> Bool {
        try db.exists(
            """
            SELECT 1 FROM (SELECT DISTINCT host AS name FROM push_subscription WHERE account_id = ?) AS hosts
            WHERE EXISTS (
                SELECT 1 FROM outgoing_event WHERE host = name AND attempts = 0 AND push_subscription_id IS NOT NULL
                LIMIT 1 OFFSET ?)
            """,
            [account, maxAhead]
        )
    }

    /// Makes the notification of browsers for a notice.
    package typealias Push = @Sendable (Notice) -> (event: OutgoingEvent, at: Timestamp)

    static func append(_ push: Push?, _ notice: Notice?, _ db: SQLConnection) throws {
        guard let notice, let (event, time) = push?(notice),
            let recipient: Int64 = try db.value("SELECT id FROM account WHERE uuid = ?", [notice.recipient])
        else { return }
        try appendPush(event, to: recipient, at: time, db)
    }

    /// Stores an event like `appendPush(_:to:at:_:)`, for each enabled webhook of an account.
    ///
    /// - Parameter only: the key of the only webhook that gets the event; nil for all.
    package static func appendToWebhooks(
        _ event: OutgoingEvent,
        of account: Int64,
        _ only: Int64?,
        at now: Timestamp,
        _ db: SQLConnection
    ) throws -> Int {
        let webhooks = try db.rows(
            """
            SELECT webhook.id, host FROM webhook JOIN account ON account.id = account_id
            WHERE account_id = ?1 AND disabled_at IS NULL AND NOT disabled AND (webhook.id = ?2 OR ?2 IS NULL)
            """,
            [account, only]
        ) { row in Target(account: account, host: try row["host"], webhook: row.integer(0)) }
        guard !webhooks.isEmpty else { return 0 }
        let fields: JSONValue = ["type": .string(event.type), "timestamp": .string(now.text), "data": event.data]
        let payload = try fields.json
        return try webhooks.reduce(0) { try $0 + (insert(event, payload, $1, now, db) ? 1 : 0) }
    }

    private struct Target {
        let account: Int64
        let host: String
        var device: Int64?
        var webhook: Int64?
    }

    private static func payload(_ text: PushText, _ language: Language) throws -> String {
        try [
            "title": text.title, "body": text.body, "path": text.path, "tag": text.tag, "lang": language.rawValue,
        ].json
    }

    private static func insert(
        _ event: OutgoingEvent,
        _ payload: String,
        _ target: Target,
        _ now: Timestamp,
        _ db: SQLConnection
    ) throws -> Bool {
        guard payload.utf8.count <= maxPayloadBytes else {
            throw ServiceError.invalid("data", "expected at most \(maxPayloadBytes) bytes")
        }
        // The message that causes the event must not fail because other messages wait.
        let most = event.turn > 0 ? maxWaiting - reserve : maxWaiting
        guard try !db.exists("SELECT 1 FROM outgoing_event LIMIT 1 OFFSET ?", [most - 1]) else { return false }
        let key = try db.row(
            """
            INSERT INTO outgoing_event (
                uuid, push_subscription_id, webhook_id, account_id, host, type, key, payload, urgency, turn,
                listings, created_at, next_attempt_at, expires_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?12, ?12, ?13) ON CONFLICT DO NOTHING RETURNING id
            """,
            [
                UUID(), target.device, target.webhook, target.account, target.host, event.type, event.key, payload,
                event.urgency.rawValue, event.turn, ToldReaders.column(event.listings), now,
                now.adding(seconds: event.timeToLive),
            ]
        ) { $0.integer(0) }
        guard key != nil else { return false }
        try db.execute(
            """
            DELETE FROM outgoing_event WHERE id IN (
                SELECT id FROM outgoing_event WHERE account_id = ? ORDER BY id DESC LIMIT \(Int64.max) OFFSET ?)
            """,
            [target.account, maxWaitingPerAccount]
        )
        return true
    }
}
