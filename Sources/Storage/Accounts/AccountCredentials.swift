package import Domain
package import Foundation
import SQL

/// The e-mail address and password of an account, and the checks before a change to them.
extension AccountStore {
    /// Evidence that a request may change the credentials of an account: the password that was checked, and the
    /// session.
    package struct Proof: Sendable {
        /// The stored hash of the password that the client has proved to know.
        let passwordHash: String
        /// The digest of the session token that the request carries.
        let session: Data

        package init(passwordHash: String, session: Data) {
            (self.passwordHash, self.session) = (passwordHash, session)
        }
    }

    /// Throws `conflict` if the password was changed after it was checked, and `unauthenticated` if the session has
    /// ended.
    static func check(_ proof: Proof, accountKey: Int64, _ db: SQLConnection) throws {
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

    /// Returns whether the proof is still valid.
    static func holds(_ proof: Proof, accountKey: Int64, _ db: SQLConnection) throws -> Bool {
        try has(proof.passwordHash, accountKey: accountKey, db) && hasSession(proof.session, accountKey: accountKey, db)
    }

    static func has(_ passwordHash: String, accountKey: Int64, _ db: SQLConnection) throws -> Bool {
        try db.exists("SELECT 1 FROM account WHERE id = ? AND password_hash = ?", [accountKey, passwordHash])
    }

    static func hasSession(_ tokenHash: Data, accountKey: Int64, _ db: SQLConnection) throws -> Bool {
        try db.exists("SELECT 1 FROM session WHERE token_hash = ? AND account_id = ?", [tokenHash, accountKey])
    }

    /// Sets a new password and ends all sessions except the given one, so that persons who knew the old password lose
    /// access.
    ///
    /// - Parameters:
    ///   - proof: the evidence for a change by the account's owner; nil if none is required.
    ///   - actor: the person who changes the password of another account; nil for the owner.
    package func setPassword(
        _ account: Account,
        hash: String,
        keeping tokenHash: Data?,
        proof: Proof? = nil,
        by actor: Audit.Actor? = nil
    ) async throws {
        try await database.write { db in
            if let proof { try Self.check(proof, accountKey: account.key, db) }
            let count = try db.execute(
                """
                UPDATE account SET password_hash = ?, updated_at = ? WHERE id = ? AND role <> 'guest'
                """,
                [hash, Timestamp.now, account.key]
            )
            guard count == 1 else { throw ServiceError(.conflict, "a guest has no password") }
            try db.execute(
                "DELETE FROM session WHERE account_id = ? AND token_hash IS DISTINCT FROM ?",
                [account.key, tokenHash]
            )
            if let actor { try AuditLog.record(.accountPassword, account.id.lowercased, by: actor, db) }
            try Self.delete(["password_reset", "address_change"], of: account.key, db)
        }
    }

    /// Sets a new e-mail address, which is not confirmed. Throws `conflict` if another account has it.
    package func setEmail(_ account: Account, _ email: String, proof: Proof) async throws {
        try await database.write { db in
            try Self.check(proof, accountKey: account.key, db)
            try Self.setEmail(accountKey: account.key, email, isConfirmed: false, db)
        }
    }

    /// Also deletes pending password resets and address changes, because they were requested with the old address.
    static func setEmail(accountKey: Int64, _ email: String, isConfirmed: Bool, _ db: SQLConnection) throws {
        try checkFree(email, besides: accountKey, db)
        try db.execute(
            """
            UPDATE account SET email = ?, email_confirmed = ?, updated_at = ?
            WHERE id = ? AND role <> 'guest'
            """,
            [email, isConfirmed, Timestamp.now, accountKey]
        )
        try delete(["password_reset", "address_change"], of: accountKey, db)
    }

    /// Replaces the hash of an unchanged password, for example after the hash parameters have changed. Does nothing if
    /// the password was changed meanwhile.
    package func replaceHash(of account: Account, _ old: String, with new: String) async throws {
        try await database.write { db in
            try db.execute(
                "UPDATE account SET password_hash = ? WHERE id = ? AND password_hash = ?",
                [new, account.key, old]
            )
        }
    }
}
