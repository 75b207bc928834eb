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

extension DueEvent {
    /// Nil for a browser.
    package var webhook: Int64? {
        if case .webhook(let key, _, _) = receiver { key } else { nil }
    }

    fileprivate var place: String { "\(webhook == nil) \(host)" }

    /// The table of the receiver, and its key there.
    fileprivate var receiverRow: (table: String, key: Int64) {
        switch receiver {
        case .device(let key, _, _, _): ("push_subscription", key)
        case .webhook(let key, _, _): ("webhook", key)
        }
    }
}

/// The result of an attempt to send a message.
package enum AttemptResult: Sendable {
    case delivered
    /// The subscription of the browser has ended.
    case ended
    /// - Parameters:
    ///   - until: the time of the next attempt; nil if the message is given up.
    ///   - isForAll: whether the receiver asked to send nothing until then.
    case failed(Webhook.Outcome, until: Timestamp?, isForAll: Bool)
}

/// A webhook that was disabled because its receiver takes nothing.
package struct DisabledWebhook: Equatable, Sendable {
    /// The `Account.id` of the owner.
    package let owner: UUID
    package let host: String

    package init(owner: UUID, host: String) { (self.owner, self.host) = (owner, host) }
}

/// Which messages can be sent beside those that are being sent.
package struct ChannelRoom {
    /// The messages that are being sent.
    package let messages: [Int64]
    /// The webhooks to which one is being sent: they get one at a time, in their order.
    package let webhooks: [Int64]
    /// The hosts whose browsers, or whose webhooks, have to wait.
    package let busyPushServices: [String]
    package let busyWebhookHosts: [String]
    /// The numbers of further messages.
    package let forPush: Int
    package let forWebhooks: Int
    /// Returns the number of further messages to a host, and takes whether it is meant as a push service.
    package let atHost: (String, Bool) -> Int

    package init(
        messages: [Int64] = [],
        webhooks: [Int64] = [],
        busyPushServices: [String] = [],
        busyWebhookHosts: [String] = [],
        forPush: Int,
        forWebhooks: Int,
        atHost: @escaping (String, Bool) -> Int
    ) {
        (self.messages, self.webhooks) = (messages, webhooks)
        (self.busyPushServices, self.busyWebhookHosts) = (busyPushServices, busyWebhookHosts)
        (self.forPush, self.forWebhooks, self.atHost) = (forPush, forWebhooks, atHost)
    }
}

extension ChannelStore {
    /// Returns messages that are due: for each host first that with the lowest turn, which has been due for the longest
    /// time, and then as many more as the host takes at once.
    package func next(due now: Timestamp, _ room: ChannelRoom) throws -> [DueEvent] {
        guard room.forPush > 0 || room.forWebhooks > 0 else { return [] }
        return try database.readNow { db in
            let heads = try Self.heads(due: now, room, db)
            var chosen = Choice(room)
            for event in heads { chosen.add(event) }
            for head in heads {
                let rest = chosen.rest(beside: head)
                guard rest > 0 else { continue }
                for event in try Self.following(head, due: now, room, limit: rest, db) { chosen.add(event) }
            }
            return chosen.events
        }
    }

    /// Messages, as many as there is room for, and one for each webhook.
    private struct Choice {
        let room: ChannelRoom
        private(set) var events: [DueEvent] = []
        private var webhooks: Set<Int64> = []
        private var loads: [String: Int] = [:]

        init(_ room: ChannelRoom) { self.room = room }

        /// The number of messages to the same host that may follow.
        func rest(beside event: DueEvent) -> Int {
            let total = event.webhook == nil ? room.forPush - pushes : room.forWebhooks - webhooks.count
            let load = loads[event.place] ?? 0
            return min(total, room.atHost(event.host, event.webhook == nil) - load)
        }

        private var pushes: Int { events.count - webhooks.count }

        mutating func add(_ event: DueEvent) {
            guard rest(beside: event) > 0 else { return }
            if let webhook = event.webhook, !webhooks.insert(webhook).inserted { return }
            loads[event.place, default: 0] += 1
            events.append(event)
        }
    }

    /// Returns the first message of each kind for each host.
    private static func heads(due now: Timestamp, _ room: ChannelRoom, _ db: SQLConnection) throws -> [DueEvent] {
        let values: [any SQLBindable] = try [
            now, room.messages.json, room.busyPushServices.json, room.busyWebhookHosts.json, room.webhooks.json,
            room.forPush > 0, room.forWebhooks > 0, room.forPush + room.forWebhooks,
        ]
        return try db.rows(headsSQL, values, DueEvent.init)
    }

    /// Returns messages of the same kind to the same host.
    private static func following(
        _ head: DueEvent,
        due now: Timestamp,
        _ room: ChannelRoom,
        limit: Int,
        _ db: SQLConnection
    ) throws -> [DueEvent] {
        var values: [any SQLBindable] = try [now, (room.messages + [head.key]).json, head.host, limit]
        if let webhook = head.webhook { values.append(try (room.webhooks + [webhook]).json) }
        return try db.rows(followingSQL(isPush: head.webhook == nil), values, DueEvent.init)
    }

    static func followingSQL(isPush: Bool) -> String {
        """
        \(select)
        FROM outgoing_event \(receivers)
        WHERE outgoing_event.id IN (
            SELECT id FROM outgoing_event WHERE host = ?3 AND \(isPush ? push : webhook)
            ORDER BY turn, next_attempt_at, id LIMIT ?4)
        ORDER BY turn, next_attempt_at, outgoing_event.id
        """
    }

    /// Each kind has an index.
    private static let push = """
        webhook_id IS NULL AND next_attempt_at <= ?1 AND id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each(?2))
        """

    private static let webhook = """
        webhook_id IS NOT NULL AND next_attempt_at <= ?1
            AND id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each(?2))
            AND webhook_id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each(?5))
        """

    private static let select = """
        SELECT outgoing_event.*, endpoint, p256dh, auth, url, secret,
            CASE WHEN previous_until > ?1 THEN previous_secret END AS former
        """

    private static let receivers = """
        LEFT JOIN push_subscription ON push_subscription.id = push_subscription_id
        LEFT JOIN webhook ON webhook.id = webhook_id
        """

    /// The hosts are found by one step in the index for each, so that a host with many messages costs no more.
    static let headsSQL = """
        WITH RECURSIVE known (name) AS (
            SELECT min(host) FROM outgoing_event
            UNION ALL SELECT (SELECT min(host) FROM outgoing_event WHERE host > name) FROM known WHERE name IS NOT NULL),
        ready (name) AS (
            SELECT name FROM known
            WHERE EXISTS (SELECT 1 FROM outgoing_event WHERE host = name AND next_attempt_at <= ?1)),
        first (event) AS (
            SELECT (
                SELECT id FROM outgoing_event WHERE host = name AND \(push) ORDER BY turn, next_attempt_at, id LIMIT 1)
            FROM ready WHERE ?6 AND name NOT IN (SELECT value FROM json_each(?3))
            UNION ALL
            SELECT (
                SELECT id FROM outgoing_event WHERE host = name AND \(webhook)
                ORDER BY turn, next_attempt_at, id LIMIT 1)
            FROM ready WHERE ?7 AND name NOT IN (SELECT value FROM json_each(?4)))
        \(select)
        FROM first CROSS JOIN outgoing_event \(receivers)
        WHERE outgoing_event.id = event
        ORDER BY turn, next_attempt_at, outgoing_event.id LIMIT ?8
        """

    /// Returns the time of the first attempt after `now`.
    package func nextAttempt(after now: Timestamp) throws -> Timestamp? {
        try database.nextAttempt(in: "outgoing_event", after: now)
    }

    package func countWaiting() throws -> Int {
        try database.readNow { db in try db.count("outgoing_event") }
    }

    // MARK: - After an attempt

    /// Records what became of messages, in one transaction.
    ///
    /// - Parameter isOver: whether a webhook is disabled that has been failing since this time.
    /// - Returns: the webhooks that were disabled now.
    package func settle(
        _ results: [(DueEvent, AttemptResult)],
        at now: Timestamp,
        isOver: @escaping @Sendable (Timestamp) -> Bool
    ) async throws -> [DisabledWebhook] {
        try await database.write { db in
            let delivered = results.compactMap { event, result in
                if case .delivered = result, case .device = event.receiver { event.key } else { nil }
            }
            try ToldReaders.note(delivered, of: .push, at: now, db)
            return try results.compactMap { event, result in
                switch result {
                case .delivered: try Self.settle(event, db)
                case .ended: try Self.removeReceiver(of: event, db)
                case .failed(let outcome, until: let time, let isForAll):
                    try Self.schedule(event, until: time, isForAll: isForAll, db)
                    return try Self.note(outcome, of: event, at: now, isOver, db)
                }
                return nil
            }
        }
    }

    private static func settle(_ event: DueEvent, _ db: SQLConnection) throws {
        try delete(event, db)
        let (table, key) = event.receiverRow
        try db.execute("UPDATE \(table) SET failing_since = NULL WHERE id = ? AND failing_since IS NOT NULL", [key])
        let delivered = "UPDATE webhook SET last_outcome = ?1 WHERE id = ?2 AND last_outcome IS DISTINCT FROM ?1"
        if let webhook = event.webhook { try db.execute(delivered, [Webhook.Outcome.delivered.rawValue, webhook]) }
    }

    /// Deletes a browser whose subscription has ended, with all that waits for it.
    private static func removeReceiver(of event: DueEvent, _ db: SQLConnection) throws {
        guard case .device(let key, _, _, _) = event.receiver else { return try delete(event, db) }
        try db.execute("DELETE FROM push_subscription WHERE id = ?", [key])
    }

    private static func schedule(
        _ event: DueEvent,
        until time: Timestamp?,
        isForAll: Bool,
        _ db: SQLConnection
    ) throws {
        guard let time else { return try delete(event, db) }
        try db.execute(
            "UPDATE outgoing_event SET attempts = attempts + 1, next_attempt_at = ? WHERE id = ?",
            [time, event.key]
        )
        if isForAll { try postpone(event, until: time, db) }
    }

    /// Deletes a batch of messages that are too old, and returns their number. Messages that are being sent stay.
    package func removeExpired(at now: Timestamp, except keys: some Collection<Int64>) async throws -> Int {
        try await database.removeExpired(from: "outgoing_event", at: now, except: keys)
    }

    private static func delete(_ event: DueEvent, _ db: SQLConnection) throws {
        try db.execute("DELETE FROM outgoing_event WHERE id = ?", [event.key])
    }

    private static func postpone(_ event: DueEvent, until time: Timestamp, _ db: SQLConnection) throws {
        let (table, key) = event.receiverRow
        try db.execute(
            "UPDATE outgoing_event SET next_attempt_at = ?1 WHERE \(table)_id = ?2 AND next_attempt_at < ?1",
            [time, key])
    }

    private static func note(
        _ outcome: Webhook.Outcome,
        of event: DueEvent,
        at now: Timestamp,
        _ isOver: (Timestamp) -> Bool,
        _ db: SQLConnection
    ) throws -> DisabledWebhook? {
        let (table, key) = event.receiverRow
        try db.execute("UPDATE \(table) SET failing_since = coalesce(failing_since, ?) WHERE id = ?", [now, key])
        guard let webhook = event.webhook else { return nil }
        try db.execute("UPDATE webhook SET last_outcome = ? WHERE id = ?", [outcome.rawValue, webhook])
        let found = try db.row(
            """
            SELECT failing_since, account.uuid AS owner, host FROM webhook JOIN account ON account.id = account_id
            WHERE webhook.id = ? AND disabled_at IS NULL
            """,
            [webhook]
        ) { row in
            try (since: row["failing_since"] as Timestamp, DisabledWebhook(owner: row["owner"], host: row["host"]))
        }
        guard let (since, disabled) = found, outcome == .gone || isOver(since) else { return nil }
        try disable(webhook, at: now, db)
        return disabled
    }
}

extension DueEvent {
    fileprivate init(_ row: StatementRow) throws {
        if let device = try row["push_subscription_id"] as Int64? {
            receiver = try .device(key: device, endpoint: row["endpoint"], p256dh: row["p256dh"], auth: row["auth"])
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
        attempts = try row["attempts"]
        expiresAt = try row["expires_at"]
    }
}
