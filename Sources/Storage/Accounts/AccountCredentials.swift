package import Domain
package import Foundation
import GRDB

/// What somebody signs in with, and by what they may change it.
extension AccountStore {
    /// By what somebody may change what they sign in with.
    package struct Proof: Sendable {
        /// Of the password that was shown.
        let passwordHash: String
        /// The digest of the token that asks.
        let session: Data

        package init(passwordHash: String, session: Data) {
            self.passwordHash = passwordHash
            self.session = session
        }
    }

    /// Throws `conflict` where the account has another password meanwhile, `unauthenticated` where the session has ended.
    static func check(_ proof: Proof, accountKey: Int64, _ db: Database) throws {
        guard try has(proof.passwordHash, accountKey: accountKey, db) else {
            throw ServiceError(
                .conflict,
                "current_password: was changed meanwhile: try again with the new one",
                field: "current_password"
            )
        }
        guard try hasSession(proof.session, accountKey: accountKey, db) else {
            throw ServiceError(.unauthenticated, "this session was ended meanwhile: sign in again")
        }
    }

    /// Whether it still counts.
    static func holds(_ proof: Proof, accountKey: Int64, _ db: Database) throws -> Bool {
        try has(proof.passwordHash, accountKey: accountKey, db) && hasSession(proof.session, accountKey: accountKey, db)
    }

    static func has(_ passwordHash: String, accountKey: Int64, _ db: Database) throws -> Bool {
        try Row.fetchOne(
            db,
            sql: "SELECT 1 FROM account WHERE id = ? AND password_hash = ?",
            arguments: [accountKey, passwordHash]
        ) != nil
    }

    static func hasSession(_ tokenHash: Data, accountKey: Int64, _ db: Database) throws -> Bool {
        try Row.fetchOne(
            db,
            sql: "SELECT 1 FROM session WHERE token_hash = ? AND account_id = ?",
            arguments: [tokenHash, accountKey]
        ) != nil
    }

    /// Ends every other session: whoever knew the old password is out.
    ///
    /// - Parameters:
    ///   - proof: of who changes their own; nil for what needs none.
    ///   - actor: who changes another one's.
    package func setPassword(
        _ account: Account,
        hash: String,
        keeping tokenHash: Data?,
        proof: Proof? = nil,
        by actor: Audit.Actor? = nil
    ) async throws {
        try await database.write { db in
            if let proof { try Self.check(proof, accountKey: account.key, db) }
            try db.execute(
                sql: """
                    UPDATE account SET password_hash = ?, updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
                    WHERE id = ? AND role <> 'guest'
                    """,
                arguments: [hash, account.key]
            )
            guard db.changesCount == 1 else { throw ServiceError(.conflict, "a guest has no password") }
            try db.execute(
                sql: "DELETE FROM session WHERE account_id = ? AND token_hash IS NOT ?",
                arguments: [account.key, tokenHash]
            )
            if let actor { try AuditLog.record(.accountPassword, account.id.lowercased, by: actor, db) }
            for table in ["password_reset", "address_change"] {
                try db.execute(sql: "DELETE FROM \(table) WHERE account_id = ?", arguments: [account.key])
            }
        }
    }

    /// Throws `conflict` where the address is taken.
    package func setEmail(_ account: Account, _ email: String, proof: Proof) async throws {
        try await database.write { db in
            try Self.check(proof, accountKey: account.key, db)
            try Self.setEmail(accountKey: account.key, email, db)
        }
    }

    /// What was asked for with the old address does not count any more.
    static func setEmail(accountKey: Int64, _ email: String, _ db: Database) throws {
        try checkFree(email, db)
        try db.execute(
            sql: """
                UPDATE account SET email = ?, updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
                WHERE id = ? AND role <> 'guest'
                """,
            arguments: [email, accountKey]
        )
        for table in ["password_reset", "address_change"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE account_id = ?", arguments: [accountKey])
        }
    }

    /// The same password, hashed otherwise; unless it was changed meanwhile.
    package func replaceHash(of account: Account, _ old: String, with new: String) async throws {
        try await database.write { db in
            try db.execute(
                sql: "UPDATE account SET password_hash = ? WHERE id = ? AND password_hash = ?",
                arguments: [new, account.key, old]
            )
        }
    }
}
