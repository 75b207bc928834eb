package import Domain
package import Foundation
import SQL

/// A browser's subscription to messages, after a check.
package struct NewPushDevice: Sendable {
    let endpoint: String
    let host: String
    let p256dh: String
    let auth: String
    let language: Language

    /// - Parameters:
    ///   - p256dh: in base64url without padding, as is `auth`.
    package init(endpoint: String, host: String, p256dh: String, auth: String, language: Language) {
        (self.endpoint, self.host, self.p256dh) = (endpoint, host, p256dh)
        (self.auth, self.language) = (auth, language)
    }
}

extension ChannelStore {
    private static let device = "SELECT uuid, host, language, created_at, failing_since FROM push_subscription"

    /// Returns the browsers of an account, oldest first.
    package func findDevices(of account: Account) throws -> [PushDevice] {
        try database.readNow { db in
            try db.rows("\(Self.device) WHERE account_id = ? ORDER BY id", [account.key], PushDevice.init)
        }
    }

    /// Stores a browser, or changes it if its endpoint is known. A browser of another account is moved if it shows the
    /// same keys: whoever has them could read the messages anyway. What waits for it is deleted then.
    ///
    /// - Parameter session: the digest of the token of the session, with which the subscription ends.
    /// - Throws: `conflict` if the endpoint belongs to another account and has other keys, `quotaExceeded` if the account
    ///   has too many browsers.
    package func subscribe(
        _ device: NewPushDevice,
        by account: Account,
        session: Data,
        at now: Timestamp
    ) async throws -> (device: PushDevice, isNew: Bool) {
        try await database.write { db in
            try ListingDerivation.throwIfBanned(account.key, db)
            guard try AccountStore.hasSession(session, accountKey: account.key, db) else {
                throw ServiceError(.unauthenticated, "this session was ended meanwhile: sign in again")
            }
            let known = try db.row(
                "SELECT id, account_id, p256dh = ? AND auth = ? AS is_same FROM push_subscription WHERE endpoint = ?",
                [device.p256dh, device.auth, device.endpoint]
            ) { row in
                (key: row.integer(0), owner: try row["account_id"] as Int64, isSame: try row["is_same"] as Bool)
            }
            if let known, known.owner != account.key {
                guard known.isSame else {
                    throw ServiceError(.conflict, "endpoint: belongs to another account", field: "endpoint")
                }
                try db.execute("DELETE FROM outgoing_event WHERE push_subscription_id = ?", [known.key])
            }
            if known?.owner != account.key { try Self.checkCount(of: account, db) }
            try db.execute(
                """
                INSERT INTO push_subscription (
                    account_id, session_hash, endpoint, host, p256dh, auth, language, created_at, uuid)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (endpoint) DO UPDATE SET account_id = excluded.account_id,
                    session_hash = excluded.session_hash, p256dh = excluded.p256dh, auth = excluded.auth,
                    language = excluded.language, failing_since = NULL
                """,
                [
                    account.key, session, device.endpoint, device.host, device.p256dh, device.auth,
                    device.language.rawValue, now, UUID(),
                ]
            )
            let stored = try db.row("\(Self.device) WHERE endpoint = ?", [device.endpoint], PushDevice.init)
            guard let stored else { throw UnreadableRow("push_subscription") }
            return (stored, known == nil)
        }
    }

    /// Throws `notFound` if the account has no such browser.
    package func unsubscribe(_ id: UUID, of account: Account) async throws {
        try await database.write { db in
            let count = try db.execute(
                "DELETE FROM push_subscription WHERE uuid = ? AND account_id = ?",
                [id, account.key]
            )
            guard count == 1 else { throw ServiceError(.notFound, "no such push subscription") }
        }
    }

    private static func checkCount(of account: Account, _ db: SQLConnection) throws {
        guard try db.count("push_subscription WHERE account_id = ?", [account.key]) < PushDevice.maxCount else {
            throw ServiceError(
                .quotaExceeded, "an account has at most \(PushDevice.maxCount) push subscriptions: delete one first")
        }
    }
}

extension PushDevice {
    fileprivate init(_ row: StatementRow) throws {
        try self.init(
            id: row["uuid"],
            service: row["host"],
            language: row["language"],
            createdAt: row["created_at"],
            failingSince: row["failing_since"]
        )
    }
}
