package import Domain
package import Foundation
import SQL

/// The second factors of accounts. Callers pass encrypted secrets and the digests of recovery codes.
package struct SecondFactorStore: Sendable {
    private let database: any Database

    package init(_ database: any Database) { self.database = database }

    /// Returns the second factor of an account, whether or not it is confirmed.
    package func find(of account: Account) async throws -> SecondFactor? {
        try await database.read { db in
            try db.row(
                """
                SELECT sealed_secret, created_at, confirmed_at, last_step,
                    (SELECT count(*) FROM recovery_code
                    WHERE recovery_code.account_id = second_factor.account_id AND used_at IS NULL) AS left
                FROM second_factor WHERE account_id = ?
                """,
                [account.key]
            ) { row in
                try SecondFactor(
                    sealedSecret: row["sealed_secret"],
                    createdAt: row["created_at"],
                    confirmedAt: row["confirmed_at"],
                    lastStep: row["last_step"],
                    recoveryCodesLeft: row["left"]
                )
            }
        }
    }

    /// Returns the encrypted secret of the oldest confirmed factor, with the id of its account.
    package func oldestSecret() async throws -> (sealed: Data, account: UUID)? {
        try await database.read { db in
            try db.row(
                """
                SELECT sealed_secret, uuid FROM second_factor JOIN account ON account.id = account_id
                WHERE confirmed_at IS NOT NULL ORDER BY confirmed_at LIMIT 1
                """
            ) { row in try (row["sealed_secret"], row["uuid"]) }
        }
    }

    /// Returns whether the account has this recovery code and it was not used.
    package func hasRecoveryCode(_ digest: Data, of account: Account) async throws -> Bool {
        try await database.read { db in
            try db.exists(
                "SELECT 1 FROM recovery_code WHERE account_id = ? AND code_hash = ? AND used_at IS NULL",
                [account.key, digest]
            )
        }
    }

    /// Stores a secret that is not confirmed yet, in the place of an earlier one. Throws `conflict` if the account has
    /// a confirmed second factor.
    package func begin(
        _ sealedSecret: Data,
        of account: Account,
        proof: AccountStore.Proof,
        now: Timestamp
    ) async throws {
        try await database.write { db in
            try AccountStore.check(proof, accountKey: account.key, db)
            try Self.checkUnconfirmed(accountKey: account.key, db)
            try db.execute("DELETE FROM second_factor WHERE account_id = ?", [account.key])
            try db.execute(
                "INSERT INTO second_factor (account_id, sealed_secret, created_at) VALUES (?, ?, ?)",
                [account.key, sealedSecret, now.text]
            )
        }
    }

    /// Confirms the secret and ends all other sessions of the account, because they began without a second factor.
    ///
    /// - Parameters:
    ///   - recoveryCodes: the digests of the codes.
    ///   - session: the digest of the token of the session that stays.
    package func confirm(
        _ sealedSecret: Data,
        step: Int64,
        recoveryCodes: [Data],
        of account: Account,
        keeping session: Data,
        now: Timestamp
    ) async throws {
        try await database.write { db in
            guard try AccountStore.hasSession(session, accountKey: account.key, db) else {
                throw ServiceError(.unauthenticated, "this session was ended meanwhile: sign in again")
            }
            try Self.checkUnconfirmed(accountKey: account.key, db)
            let count = try db.execute(
                "UPDATE second_factor SET confirmed_at = ?, last_step = ? WHERE account_id = ? AND sealed_secret = ?",
                [now.text, step, account.key, sealedSecret]
            )
            guard count == 1 else {
                throw ServiceError(.conflict, "the secret was replaced meanwhile: use the new one", field: "code")
            }
            try Self.replaceRecoveryCodes(recoveryCodes, accountKey: account.key, db)
            try db.execute(
                "DELETE FROM session WHERE account_id = ? AND token_hash <> ?",
                [account.key, session]
            )
        }
    }

    /// Replaces all recovery codes.
    package func replaceRecoveryCodes(
        _ digests: [Data],
        of account: Account,
        proof: AccountStore.Proof,
        code: SecondFactor.Proof,
        now: Timestamp
    ) async throws {
        try await database.write { db in
            try AccountStore.check(proof, accountKey: account.key, db)
            try Self.use(code, accountKey: account.key, now, db)
            try Self.replaceRecoveryCodes(digests, accountKey: account.key, db)
        }
    }

    /// Removes the second factor at the request of its owner.
    package func remove(
        of account: Account,
        proof: AccountStore.Proof,
        code: SecondFactor.Proof,
        now: Timestamp
    ) async throws {
        try await database.write { db in
            try AccountStore.check(proof, accountKey: account.key, db)
            try Self.use(code, accountKey: account.key, now, db)
            try db.execute("DELETE FROM second_factor WHERE account_id = ?", [account.key])
        }
    }

    /// Removes the second factor of a person who has lost it. Throws `notFound` if there is none.
    package func remove(of account: Account, by actor: Audit.Actor) async throws {
        try await database.write { db in
            guard try db.execute("DELETE FROM second_factor WHERE account_id = ?", [account.key]) == 1 else {
                throw ServiceError(.notFound, "the account has no second factor")
            }
            try AuditLog.record(.accountSecondFactor, account.id.lowercased, note: "removed", by: actor, db)
        }
    }

    /// Marks a code as used, in the transaction that it permits. Does nothing if the account has no confirmed second
    /// factor. Throws `unauthenticated` if the code is missing, or was used meanwhile.
    static func use(
        _ code: SecondFactor.Proof?,
        accountKey: Int64,
        _ now: Timestamp,
        _ db: SQLConnection
    ) throws {
        guard try isConfirmed(accountKey: accountKey, db) else { return }
        let count: Int
        switch code {
        case .step(let step, let sealedSecret):
            count = try db.execute(
                """
                UPDATE second_factor SET last_step = ?1
                WHERE account_id = ?2 AND sealed_secret = ?3 AND last_step < ?1
                """,
                [step, accountKey, sealedSecret]
            )
        case .recoveryCode(let digest):
            count = try db.execute(
                "UPDATE recovery_code SET used_at = ? WHERE account_id = ? AND code_hash = ? AND used_at IS NULL",
                [now.text, accountKey, digest]
            )
        case nil:
            throw ServiceError.missingCode
        }
        guard count == 1 else {
            throw ServiceError(.unauthenticated, "code: was used already: expected the next one", field: "code")
        }
    }

    private static func isConfirmed(accountKey: Int64, _ db: SQLConnection) throws -> Bool {
        try db.exists(
            "SELECT 1 FROM second_factor WHERE account_id = ? AND confirmed_at IS NOT NULL",
            [accountKey]
        )
    }

    private static func checkUnconfirmed(accountKey: Int64, _ db: SQLConnection) throws {
        guard try !isConfirmed(accountKey: accountKey, db) else {
            throw ServiceError(.conflict, "the account has a second factor already: remove it first")
        }
    }

    private static func replaceRecoveryCodes(_ digests: [Data], accountKey: Int64, _ db: SQLConnection) throws {
        try db.execute("DELETE FROM recovery_code WHERE account_id = ?", [accountKey])
        for digest in digests {
            try db.execute("INSERT INTO recovery_code (account_id, code_hash) VALUES (?, ?)", [accountKey, digest])
        }
    }
}
