package import Domain
package import Foundation
import GRDB

/// Accounts and the tokens they sign in with. Passwords arrive hashed, tokens as digests.
package struct AccountStore: Sendable {
    private let database: DatabaseFile

    package init(_ database: DatabaseFile) {
        self.database = database
    }

    package struct Registration: Sendable {
        package let email: String
        package let passwordHash: String
        package let profile: Profile

        package init(email: String, passwordHash: String, profile: Profile) {
            self.email = email
            self.passwordHash = passwordHash
            self.profile = profile
        }
    }

    package func createGuest(tokenHash: Data) async throws -> Account {
        try await database.write { db in
            try db.execute(
                sql: "INSERT INTO account (uuid, role) VALUES (?, 'guest')",
                arguments: [UUID().lowercased]
            )
            return try Self.insertSession(tokenHash, accountKey: db.lastInsertedRowID, db)
        }
    }

    /// A guest who registers stays the same account, so all that was posted stays.
    ///
    /// Throws `conflict` where the e-mail is taken.
    package func register(
        _ registration: Registration,
        upgrading guest: Account?,
        tokenHash: Data?
    ) async throws -> Account {
        try await database.write { db in
            let taken = try Row.fetchOne(
                db,
                sql: "SELECT 1 FROM account WHERE email = ?",
                arguments: [registration.email]
            )
            guard taken == nil else {
                throw ServiceError(.conflict, "email: there is an account with this address already", field: "email")
            }
            let key = try Self.upsertUser(registration, upgrading: guest, db)
            guard let tokenHash else { return try Self.getAccount(key: key, db) }
            return try Self.insertSession(tokenHash, accountKey: key, db)
        }
    }

    /// Signs in, and brings along what was posted as guest.
    package func signIn(_ account: Account, tokenHash: Data, bringing guest: Account?) async throws -> Account {
        try await database.write { db in
            if let guest, guest.role == .guest, guest.key != account.key {
                // A reference is unique for one owner: where both used it, the guest's gives way.
                try db.execute(
                    sql: """
                        UPDATE listing SET reference = NULL
                        WHERE account_id = ? AND reference IN (SELECT reference FROM listing WHERE account_id = ?)
                        """,
                    arguments: [guest.key, account.key]
                )
                try db.execute(
                    sql: "UPDATE listing SET account_id = ? WHERE account_id = ?",
                    arguments: [account.key, guest.key]
                )
                // So that what was posted as guest is not posted again.
                try db.execute(
                    sql: "UPDATE OR IGNORE idempotency_key SET account_id = ? WHERE account_id = ?",
                    arguments: [account.key, guest.key]
                )
                try db.execute(sql: "DELETE FROM account WHERE id = ?", arguments: [guest.key])
            }
            return try Self.insertSession(tokenHash, accountKey: account.key, db)
        }
    }

    /// Nil for an unknown token and for a disabled account.
    package func findAccount(tokenHash: Data) async throws -> Account? {
        try await database.read { db in
            try Self.fetch(
                db,
                where: "id = (SELECT account_id FROM session WHERE token_hash = ?) AND NOT disabled",
                [tokenHash]
            )
        }
    }

    /// The account with its password's hash.
    package func findCredentials(email: String) async throws -> (Account, passwordHash: String)? {
        try await database.read { db in
            guard let account = try Self.fetch(db, where: "email = ?", [email]),
                let hash = try String.fetchOne(
                    db,
                    sql: "SELECT password_hash FROM account WHERE id = ?",
                    arguments: [account.key]
                )
            else { return nil }
            return (account, hash)
        }
    }

    package func findAccount(email: String) async throws -> Account? {
        try await database.read { db in try Self.fetch(db, where: "email = ?", [email]) }
    }

    package func findAccount(id: UUID) async throws -> Account? {
        try await database.read { db in try Self.fetch(db, where: "uuid = ?", [id.lowercased]) }
    }

    /// Newest first.
    package func findAccounts(role: Account.Role?, limit: Int) async throws -> [Account] {
        try await database.read { db in
            try Account.fetch(
                db,
                "(? IS NULL OR role = ?) ORDER BY created_at DESC, id DESC LIMIT ?",
                [role?.rawValue, role?.rawValue, limit]
            )
        }
    }

    /// Looks at the account as it is, and throws where it must not be changed.
    package typealias Check = @Sendable (Account) throws -> Void

    package func update(
        _ account: Account,
        profile: Profile,
        _ check: @escaping Check = { _ in }
    ) async throws -> Account {
        try await database.write { db in
            try check(try Self.getAccount(key: account.key, db))
            try db.execute(
                sql: """
                    UPDATE account
                    SET first_name = ?, last_name = ?, phone = ?, picture = ?,
                        updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
                    WHERE id = ?
                    """,
                arguments: [
                    profile.firstName, profile.lastName, profile.phone, profile.picture, account.key,
                ]
            )
            return try Self.getAccount(key: account.key, db)
        }
    }

    /// Ends every other session: whoever knew the old password is out.
    package func setPassword(_ account: Account, hash: String, keeping tokenHash: Data?) async throws {
        try await database.write { db in
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
        }
    }

    package func setRole(_ account: Account, _ role: Account.Role) async throws {
        try await database.write { db in
            try db.execute(
                sql: "UPDATE account SET role = ? WHERE id = ?",
                arguments: [role.rawValue, account.key]
            )
        }
    }

    /// A disabled account is signed out everywhere and cannot sign in.
    package func setDisabled(_ account: Account, _ disabled: Bool) async throws {
        try await database.write { db in
            try db.execute(
                sql: "UPDATE account SET disabled = ? WHERE id = ?",
                arguments: [disabled, account.key]
            )
            if disabled {
                try db.execute(sql: "DELETE FROM session WHERE account_id = ?", arguments: [account.key])
            }
        }
    }

    package func endSession(tokenHash: Data) async throws {
        try await database.write { db in
            try db.execute(sql: "DELETE FROM session WHERE token_hash = ?", arguments: [tokenHash])
        }
    }

    /// Removes the account and, by the schema's foreign keys, all it holds.
    package func remove(_ account: Account, _ check: @escaping Check = { _ in }) async throws {
        try await database.write { db in
            try check(try Self.getAccount(key: account.key, db))
            try db.execute(sql: "DELETE FROM account WHERE id = ?", arguments: [account.key])
        }
    }

    private static func upsertUser(
        _ registration: Registration,
        upgrading guest: Account?,
        _ db: Database
    ) throws -> Int64 {
        let profile = registration.profile
        let values: StatementArguments = [
            registration.email, registration.passwordHash, profile.firstName, profile.lastName, profile.phone,
            profile.picture,
        ]
        if let guest, guest.role == .guest {
            try db.execute(
                sql: """
                    UPDATE account
                    SET role = 'user', email = ?, password_hash = ?, first_name = ?, last_name = ?, phone = ?,
                        picture = ?, updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
                    WHERE id = ? AND role = 'guest'
                    """,
                arguments: values + [guest.key]
            )
            guard db.changesCount == 1 else { throw ServiceError(.conflict, "the guest has registered already") }
            // Whoever holds the guest's token must not get into the account it became.
            try db.execute(sql: "DELETE FROM session WHERE account_id = ?", arguments: [guest.key])
            return guest.key
        }
        try db.execute(
            sql: """
                INSERT INTO account (role, email, password_hash, first_name, last_name, phone, picture, uuid)
                VALUES ('user', ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: values + [UUID().lowercased]
        )
        return db.lastInsertedRowID
    }

    private static func insertSession(_ tokenHash: Data, accountKey: Int64, _ db: Database) throws -> Account {
        try db.execute(
            sql: "INSERT INTO session (token_hash, account_id) VALUES (?, ?)",
            arguments: [tokenHash, accountKey]
        )
        return try getAccount(key: accountKey, db)
    }

    private static func getAccount(key: Int64, _ db: Database) throws -> Account {
        guard let account = try fetch(db, where: "id = ?", [key]) else {
            throw ServiceError(.notFound, "no such account")
        }
        return account
    }

    private static func fetch(
        _ db: Database,
        where condition: String,
        _ arguments: StatementArguments
    ) throws -> Account? {
        try Account.fetch(db, condition, arguments).first
    }
}

extension Account {
    fileprivate static func fetch(
        _ db: Database,
        _ condition: String,
        _ arguments: StatementArguments
    ) throws -> [Account] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT id, uuid, role, email, first_name, last_name, phone, picture, disabled, created_at
                FROM account WHERE \(condition)
                """
        )
        return try Row.fetchAll(statement, arguments: arguments).map { row in
            guard let id = UUID(uuidString: row["uuid"]), let role = Role(rawValue: row["role"]) else {
                throw DatabaseError(message: "account \(row["id"] as Int64): not readable")
            }
            return Account(
                key: row["id"],
                id: id,
                role: role,
                email: row["email"],
                profile: Profile(
                    firstName: row["first_name"],
                    lastName: row["last_name"],
                    phone: row["phone"],
                    picture: row["picture"]
                ),
                disabled: row["disabled"],
                createdAt: Timestamp(stored: row["created_at"])
            )
        }
    }
}

extension UUID {
    package var lowercased: String { uuidString.lowercased() }
}
