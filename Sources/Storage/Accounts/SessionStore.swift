package import Domain
package import Foundation
import SQL

/// The sessions of accounts: the digests of their tokens and their expiry times.
package struct SessionStore: Sendable {
    private let database: any Database

    package init(_ database: any Database) { self.database = database }

    /// Returns nil if the token is unknown or has expired, or if the account is disabled.
    package func findCaller(tokenHash: Data, now: Timestamp) throws -> (account: Account, lastUsedAt: Timestamp)? {
        try database.readNow { db in
            try Self.fetchCaller(tokenHash, now, db)
        }
    }

    static func fetchCaller(
        _ tokenHash: Data,
        _ now: Timestamp,
        _ db: SQLConnection
    ) throws -> (account: Account, lastUsedAt: Timestamp)? {
        let found: (account: Account, lastUsedAt: Timestamp)? = try db.row(callerSQL, [tokenHash, now]) { row in
            (try Account(row), try row["last_used_at"])
        }
        guard let (account, lastUsedAt) = found, account.role != .guest else { return found }
        return (try AccountStore.addMemberships(to: account, db), lastUsedAt)
    }

    private static let callerSQL = """
        SELECT \(Account.columns), last_used_at
        FROM session JOIN account ON account.id = account_id
        WHERE token_hash = ? AND expires_at > ? AND NOT disabled
        """

    /// Returns the sessions that have not expired, the most recently used first.
    package func findSessions(of account: Account, now: Timestamp) async throws -> [Session] {
        try await database.read { db in
            try db.rows(
                """
                SELECT uuid, token_hash, client, created_at, last_used_at, expires_at
                FROM session WHERE account_id = ? AND expires_at > ?
                ORDER BY last_used_at DESC, uuid LIMIT \(Session.maxPerAccount)
                """,
                [account.key, now.text]
            ) { row in
                try Session(
                    id: row["uuid"],
                    tokenHash: row["token_hash"],
                    client: row["client"],
                    createdAt: row["created_at"],
                    lastUsedAt: row["last_used_at"],
                    expiresAt: row["expires_at"]
                )
            }
        }
    }

    /// Throws `notFound` if the account has no such session.
    package func end(_ id: UUID, of account: Account) async throws {
        try await database.write { db in
            let count = try db.execute("DELETE FROM session WHERE uuid = ? AND account_id = ?", [id, account.key])
            guard count == 1 else { throw ServiceError(.notFound, "no such session", field: "id") }
        }
    }

    /// - Parameter tokenHash: the digest of the token of the session that remains.
    package func endOthers(of account: Account, keeping tokenHash: Data) async throws {
        try await database.write { db in
            try db.execute("DELETE FROM session WHERE account_id = ? AND token_hash <> ?", [account.key, tokenHash])
        }
    }

    /// Extends the expiry times of sessions that were used, and records the uses of API keys.
    package func touch(_ uses: [Data: Timestamp]) async throws {
        try await database.write { db in
            for (tokenHash, time) in uses {
                let role: Account.Role? = try db.value(
                    "SELECT role FROM session JOIN account ON account.id = account_id WHERE token_hash = ?", [tokenHash]
                )
                guard let lifetime = role?.sessionLifetime else {
                    try db.execute("UPDATE api_key SET last_used_at = ? WHERE token_hash = ?", [time, tokenHash])
                    continue
                }
                try db.execute(
                    """
                    UPDATE session SET last_used_at = ?, expires_at = min(ends_at, ?)
                    WHERE token_hash = ? AND last_used_at < ?
                    """,
                    [time.text, time.adding(seconds: lifetime.idle).text, tokenHash, time.text]
                )
            }
        }
    }

    /// Deletes a batch of expired sessions. Returns false if no more remain.
    package func prune(now: Timestamp) async throws -> Bool {
        try await database.prune("session", now: now)
    }

    static func insert(
        _ tokenHash: Data,
        client: String?,
        accountKey: Int64,
        role: Account.Role,
        now: Timestamp,
        _ db: SQLConnection
    ) throws {
        let lifetime = role.sessionLifetime
        // A browser may send the cookie of a session that has expired: the token is then used again.
        try db.execute("DELETE FROM session WHERE token_hash = ? AND expires_at <= ?", [tokenHash, now.text])
        try db.execute(
            """
            INSERT INTO session (token_hash, uuid, account_id, client, created_at, last_used_at, expires_at, ends_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                tokenHash, UUID().lowercased, accountKey, client, now.text, now.text,
                now.adding(seconds: lifetime.idle).text, now.adding(seconds: lifetime.whole).text,
            ]
        )
        try db.execute(
            """
            DELETE FROM session WHERE token_hash IN (
                SELECT token_hash FROM session WHERE account_id = ?
                ORDER BY last_used_at DESC, created_at DESC LIMIT \(Int64.max) OFFSET \(Session.maxPerAccount))
            """,
            [accountKey]
        )
    }

    /// Shortens the sessions of an account to the lifetime that its new role permits.
    static func shorten(accountKey: Int64, role: Account.Role, now: Timestamp, _ db: SQLConnection) throws {
        let lifetime = role.sessionLifetime
        try db.execute(
            """
            UPDATE session SET expires_at = min(expires_at, ?), ends_at = min(ends_at, ?) WHERE account_id = ?
            """,
            [
                now.adding(seconds: lifetime.idle).text, now.adding(seconds: lifetime.whole).text, accountKey,
            ]
        )
    }
}

extension Database {
    /// Deletes a batch of rows whose `expires_at` is past. Returns false if no more remain.
    func prune(_ table: String, now: Timestamp) async throws -> Bool {
        let piece = 500
        return try await write { db in
            let key = table == "session" || table == "pending_registration" ? "token_hash" : "account_id"
            return try db.execute(
                """
                DELETE FROM \(table)
                WHERE \(key) IN (SELECT \(key) FROM \(table) WHERE expires_at <= ? ORDER BY expires_at LIMIT \(piece))
                """,
                [now.text]
            ) == piece
        }
    }
}
