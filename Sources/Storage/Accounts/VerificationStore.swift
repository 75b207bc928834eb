package import Domain
package import Foundation
import SQL

/// Registrations, password resets and address changes that wait for confirmation by a token sent by e-mail, and the private
/// links of guests.
package struct VerificationStore: Sendable {
    /// In seconds.
    package static let registrationTime = 12 * 3600.0
    /// In seconds. This time is short because anyone who reads the e-mail later can set the password.
    package static let resetTime = 3600.0
    /// In seconds.
    package static let changeTime = 12 * 3600.0

    /// The tables of tokens that restoring a backup ends. The links of guests stay, as their sessions do, because a guest has no
    /// other way back.
    package static let tables = ["pending_registration", "password_reset", "address_change"]

    /// The tables whose rows expire.
    package static let expiring = tables + ["guest_link"]

    let database: any Database

    package init(_ database: any Database) { self.database = database }

    /// The operation that a token confirms.
    package enum Purpose: Equatable, Sendable {
        case registration(passwordHash: String)
        case change
        /// - Parameter guest: the `Account.key` of the guest whose account it opens.
        case link(guest: Int64)
    }

    /// Stores a pending registration. Returns false and stores nothing if an account has the address.
    package func keep(
        _ registration: AccountStore.Registration,
        guest: Account?,
        tokenHash: Data,
        until end: Timestamp
    ) async throws -> Bool {
        try await database.write { db in
            guard try !AccountStore.isTaken(registration.email, db) else { return false }
            let profile = registration.profile
            try db.execute(
                """
                INSERT INTO pending_registration (
                    token_hash, email, password_hash, language, first_name, last_name, phone, picture, guest_id,
                    expires_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, (SELECT id FROM account WHERE id = ? AND role = 'guest'), ?)
                """,
                [
                    tokenHash, registration.email, registration.passwordHash,
                    (registration.language ?? .english).rawValue, profile.firstName, profile.lastName, profile.phone,
                    profile.picture, guest?.key, end.text,
                ]
            )
            return true
        }
    }

    /// Returns nil if the token is unknown, used or expired.
    package func findPurpose(tokenHash: Data, now: Timestamp) async throws -> Purpose? {
        try await database.read { db in
            let hash: String? = try db.value(
                "SELECT password_hash FROM pending_registration WHERE token_hash = ? AND expires_at > ?",
                [tokenHash, now])
            if let hash { return .registration(passwordHash: hash) }
            if let guest = try Self.linked(tokenHash, now, db) { return .link(guest: guest) }
            return try Self.changing(tokenHash, now, db) == nil ? nil : .change
        }
    }

    /// Creates the account, or turns the guest into one, and begins a session.
    package func register(
        tokenHash: Data,
        session: Data,
        client: String?,
        now: Timestamp
    ) async throws -> Account {
        try await database.write { db in
            guard let (registration, guestKey) = try Self.pending(tokenHash, now, db) else { throw Self.invalidToken }
            try AccountStore.checkFree(registration.email, db)
            // The account may have been registered in another way since: then it is not a guest any more.
            let guest = try guestKey.map { try AccountStore.getAccount(key: $0, db) }
            let key = try AccountStore.upsertUser(
                registration,
                upgrading: guest?.role == .guest ? guest : nil,
                db
            )
            // Other pending registrations with this address did not prove that the address is theirs.
            try db.execute("DELETE FROM pending_registration WHERE email = ?", [registration.email])
            return try AccountStore.insertSession(session, client, accountKey: key, now, db)
        }
    }

    /// Stores a password reset. Returns nil and stores nothing if no active account has the address.
    package func keepReset(of email: String, tokenHash: Data, until end: Timestamp) async throws -> Account? {
        try await database.write { db in
            guard let account = try Account.fetch(db, "email = ? AND NOT disabled", [email]).first else { return nil }
            try db.execute(
                """
                INSERT INTO password_reset (account_id, token_hash, expires_at) VALUES (?, ?, ?)
                ON CONFLICT (account_id) DO UPDATE
                SET token_hash = excluded.token_hash, expires_at = excluded.expires_at
                """,
                [account.key, tokenHash, end.text]
            )
            return account
        }
    }

    /// Returns the account whose password the token resets.
    package func findReset(tokenHash: Data, now: Timestamp) async throws -> Account {
        try await database.read { db in try Self.resetting(tokenHash, now, db) }
    }

    /// Sets the password, confirms the address, to which the token was sent, ends all sessions, and deletes pending
    /// password resets and address changes.
    package func reset(tokenHash: Data, passwordHash: String, now: Timestamp) async throws -> Account {
        try await database.write { db in
            let account = try Self.resetting(tokenHash, now, db)
            try db.execute(
                """
                UPDATE account SET password_hash = ?, email_confirmed = TRUE, updated_at = ?
                WHERE id = ?
                """,
                [passwordHash, now, account.key]
            )
            try AccountStore.delete(["session", "password_reset", "address_change"], of: account.key, db)
            return account
        }
    }

    /// Stores an address change. Returns false and stores nothing if another account has the address, and nil if the
    /// proof is no longer valid.
    package func keepChange(
        of account: Account,
        to email: String,
        proof: AccountStore.Proof,
        tokenHash: Data,
        until end: Timestamp
    ) async throws -> Bool? {
        try await database.write { db in
            guard try AccountStore.holds(proof, accountKey: account.key, db) else { return nil }
            guard try !AccountStore.isTaken(email, besides: account.key, db) else { return false }
            try db.execute(
                """
                INSERT INTO address_change (account_id, token_hash, email, expires_at)
                VALUES (?, ?, ?, ?)
                ON CONFLICT (account_id) DO UPDATE
                SET token_hash = excluded.token_hash, email = excluded.email, expires_at = excluded.expires_at
                """,
                [account.key, tokenHash, email, end.text]
            )
            return true
        }
    }

    /// Changes the address of the account, or confirms the one that it has.
    ///
    /// - Returns: the account as it was before; nil if it had the address.
    package func change(tokenHash: Data, now: Timestamp) async throws -> Account? {
        try await database.write { db in
            guard let (key, email) = try Self.changing(tokenHash, now, db) else { throw Self.invalidToken }
            let account = try AccountStore.getAccount(key: key, db)
            try AccountStore.setEmail(accountKey: key, email, isConfirmed: true, db)
            return account.email?.lowercased() == email.lowercased() ? nil : account
        }
    }

    /// Deletes a batch of expired rows. Returns false if no more remain.
    package func prune(_ table: String, now: Timestamp) async throws -> Bool {
        try await database.prune(table, now: now)
    }

    static let invalidToken = ServiceError.invalid(
        "token",
        "is not valid, was used, or is too old: ask for another mail"
    )

    /// Returns a pending registration, and the `Account.key` of the guest who will keep the account.
    private static func pending(
        _ tokenHash: Data,
        _ now: Timestamp,
        _ db: SQLConnection
    ) throws -> (AccountStore.Registration, guest: Int64?)? {
        try db.row(
            "SELECT * FROM pending_registration WHERE token_hash = ? AND expires_at > ?",
            [tokenHash, now]
        ) { row in
            let registration = try AccountStore.Registration(
                email: row["email"], passwordHash: row["password_hash"], profile: Profile(row),
                language: Language(rawValue: row["language"]))
            return (registration, try row["guest_id"])
        }
    }

    private static func resetting(_ tokenHash: Data, _ now: Timestamp, _ db: SQLConnection) throws -> Account {
        let account = try Account.fetch(
            db,
            """
            account.id = (SELECT account_id FROM password_reset WHERE token_hash = ? AND expires_at > ?)
            AND NOT disabled
            """,
            [tokenHash, now.text]
        ).first
        guard let account else { throw invalidToken }
        return account
    }

    private static func changing(_ tokenHash: Data, _ now: Timestamp, _ db: SQLConnection) throws -> (Int64, String)? {
        try db.row(
            """
            SELECT account_id, address_change.email FROM address_change JOIN account ON id = account_id
            WHERE token_hash = ? AND expires_at > ? AND NOT disabled
            """,
            [tokenHash, now.text]
        ) { row in (try row["account_id"], try row[1]) }
    }
}
