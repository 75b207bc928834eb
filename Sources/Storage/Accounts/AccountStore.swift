package import Domain
package import Foundation
import SQL

/// Accounts and their credentials. Callers pass password hashes and token digests, never the passwords and tokens.
package struct AccountStore: Sendable {
    let database: any Database

    package init(_ database: any Database) { self.database = database }

    package struct Registration: Sendable {
        package let email: String
        package let passwordHash: String
        package let profile: Profile
        package let language: Language?
        /// Whether the address is known to be the person's.
        package let isEmailConfirmed: Bool

        package init(
            email: String,
            passwordHash: String,
            profile: Profile,
            language: Language? = nil,
            isEmailConfirmed: Bool = true
        ) {
            (self.email, self.passwordHash, self.profile) = (email, passwordHash, profile)
            (self.language, self.isEmailConfirmed) = (language, isEmailConfirmed)
        }
    }

    /// - Parameter client: the name of the client program, which the list of sessions shows.
    package func createGuest(
        tokenHash: Data,
        client: String? = nil,
        now: Timestamp = .now
    ) async throws -> Account {
        try await database.write { db in
            let key: Int64 = try db.insert(
                "INSERT INTO account (uuid, role) VALUES (?, 'guest') RETURNING id",
                [UUID()]
            )
            return try Self.insertSession(tokenHash, client, accountKey: key, now, db)
        }
    }

    /// Registers an account. A guest who registers keeps the same account, and with it all listings.
    ///
    /// Throws `conflict` if the e-mail address is taken.
    package func register(
        _ registration: Registration,
        upgrading guest: Account?,
        tokenHash: Data?,
        client: String? = nil,
        now: Timestamp = .now
    ) async throws -> Account {
        try await database.write { db in
            try Self.checkFree(registration.email, db)
            let key = try Self.upsertUser(registration, upgrading: guest, db)
            guard let tokenHash else { return try Self.getAccount(key: key, db) }
            return try Self.insertSession(tokenHash, client, accountKey: key, now, db)
        }
    }

    /// Begins a session and transfers the guest's listings, reports, messages, sightings and alerts to the account.
    ///
    /// Throws `unauthenticated` if the account has a second factor and `code` does not prove it.
    ///
    /// - Parameters:
    ///   - passwordHash: the hash of the password that was checked. Throws `unauthenticated` if the account has another
    ///     password meanwhile.
    ///   - code: the checked code of the second factor, which becomes used.
    package func signIn(
        _ account: Account,
        showing passwordHash: String? = nil,
        code: SecondFactor.Proof? = nil,
        tokenHash: Data,
        bringing guest: Account?,
        client: String? = nil,
        language: Language? = nil,
        now: Timestamp = .now
    ) async throws -> Account {
        try await database.write { db in
            if let passwordHash, try !Self.has(passwordHash, accountKey: account.key, db) {
                throw ServiceError(.unauthenticated, "the password was changed meanwhile")
            }
            try SecondFactorStore.use(code, accountKey: account.key, now, db)
            if let language, account.language == nil {
                try db.execute("UPDATE account SET language = ? WHERE id = ?", [language.rawValue, account.key])
            }
            let signedIn = try Self.insertSession(tokenHash, client, accountKey: account.key, now, db)
            if let guest, guest.role == .guest, guest.key != account.key {
                // A reference is unique per owner. If both accounts use it, the guest's listing loses its reference.
                try db.execute(
                    """
                    UPDATE listing SET reference = NULL
                    WHERE account_id = ? AND reference IN (SELECT reference FROM listing WHERE account_id = ?)
                    """,
                    [guest.key, account.key]
                )
                try db.execute("UPDATE listing SET account_id = ? WHERE account_id = ?", [account.key, guest.key])
                // Transfers the reports about the guest's listings, and the reports by the guest.
                try db.execute("UPDATE report_case SET account_id = ? WHERE account_id = ?", [account.key, guest.key])
                try db.execute(
                    """
                    UPDATE report SET account_id = ?1
                    WHERE account_id = ?2 AND case_id NOT IN (SELECT case_id FROM report WHERE account_id = ?1)
                    """,
                    [account.key, guest.key]
                )
                try Self.bringConversations(of: guest.key, to: account.key, db)
                try Self.bringSightings(of: guest.key, to: account.key, db)
                try Self.bringAlerts(of: guest.key, to: account.key, session: tokenHash, db)
                try db.execute("DELETE FROM account WHERE id = ?", [guest.key])
            }
            return signedIn
        }
    }

    /// Returns nil if the token is unknown or has expired, or if the account is disabled.
    package func findAccount(tokenHash: Data, now: Timestamp = .now) async throws -> Account? {
        try await database.read { db in try SessionStore.fetchCaller(tokenHash, now, db)?.account }
    }

    /// Returns the account and its password hash.
    package func findCredentials(email: String) async throws -> (Account, passwordHash: String)? {
        try await database.read { db in
            guard let account = try Self.fetch(db, where: "email = ?", [email]),
                let hash = try db.value("SELECT password_hash FROM account WHERE id = ?", [account.key]) as String?
            else { return nil }
            return (account, hash)
        }
    }

    package func findAccount(key: Int64) throws -> Account? {
        try database.readNow { db in try Self.fetch(db, where: "id = ?", [key]) }
    }

    package func findAccount(email: String) async throws -> Account? {
        try await database.read { db in try Self.fetch(db, where: "email = ?", [email]) }
    }

    package func findAccount(id: UUID) async throws -> Account? {
        try await database.read { db in try Self.fetch(db, where: "uuid = ?", [id.lowercased]) }
    }

    /// Returns accounts, newest first.
    package func findAccounts(role: Account.Role?, limit: Int) async throws -> [Account] {
        try await database.read { db in
            try Account.fetch(
                db,
                "(role = ?1 OR ?1 IS NULL) ORDER BY created_at DESC, id DESC LIMIT ?2",
                [role?.rawValue, limit]
            )
        }
    }

    /// Receives the account as it is in the transaction, and throws if the account must not be changed.
    package typealias Check = @Sendable (Account) throws -> Void

    package func update(
        _ account: Account,
        profile: Profile,
        _ check: @escaping Check = { _ in }
    ) async throws -> Account {
        try await database.write { db in
            try check(try Self.getAccount(key: account.key, db))
            try db.execute(
                """
                UPDATE account
                SET first_name = ?, last_name = ?, phone = ?, picture = ?, updated_at = ?
                WHERE id = ?
                """,
                [
                    profile.firstName, profile.lastName, profile.phone, profile.picture, Timestamp.now, account.key,
                ]
            )
            return try Self.getAccount(key: account.key, db)
        }
    }

    /// Throws `conflict` if the new role is admin and the account is banned, or if no admin would be left.
    package func setRole(
        _ account: Account,
        _ role: Account.Role,
        by actor: Audit.Actor = .commandLine,
        now: Timestamp = .now
    ) async throws {
        try await database.write { db in
            if role == .admin, try Self.isBanned(accountKey: account.key, db) {
                throw ServiceError(.conflict, "who is banned cannot be admin: lift the ban first")
            }
            if role != .admin { try Self.checkAnotherAdmin(than: account, db) }
            try db.execute("UPDATE account SET role = ? WHERE id = ?", [role.rawValue, account.key])
            try SessionStore.shorten(accountKey: account.key, role: role, now: now, db)
            let note = "\(account.role.rawValue) to \(role.rawValue)"
            try AuditLog.record(.accountRole, account.id.lowercased, note: note, by: actor, db)
        }
    }

    /// Throws `conflict` if the account is the only admin.
    private static func checkAnotherAdmin(than account: Account, _ db: SQLConnection) throws {
        guard try getAccount(key: account.key, db).role == .admin,
            try !db.exists("SELECT 1 FROM account WHERE role = 'admin' AND id <> ?", [account.key])
        else { return }
        let name = account.email ?? account.id.lowercased
        throw ServiceError(
            .conflict,
            "\(name) is the only admin: make another one first, with doggofinder accounts make-admin EMAIL",
            field: "role"
        )
    }

    private static func isBanned(accountKey: Int64, _ db: SQLConnection) throws -> Bool {
        try db.exists(
            """
            SELECT 1 FROM account
            WHERE id = ? AND (disabled OR EXISTS (SELECT 1 FROM ban WHERE account_id = account.id))
            """,
            [accountKey]
        )
    }

    package func endSession(tokenHash: Data) async throws {
        try await database.write { db in try db.execute("DELETE FROM session WHERE token_hash = ?", [tokenHash]) }
    }

    /// Deletes the account. The foreign keys of the schema delete everything that belongs to it. Throws `conflict` if
    /// it is the only admin, or the only manager of an organisation with other members.
    ///
    /// - Parameter actor: the person who deletes another account; nil for the owner.
    package func remove(
        _ account: Account,
        by actor: Audit.Actor? = nil,
        _ check: @escaping Check = { _ in }
    ) async throws {
        try await database.write { db in
            try check(try Self.getAccount(key: account.key, db))
            try Self.checkAnotherAdmin(than: account, db)
            try Self.leaveAll(account.key, db)
            try db.execute("DELETE FROM account WHERE id = ?", [account.key])
            if let actor { try AuditLog.record(.accountRemove, account.id.lowercased, by: actor, db) }
        }
    }

    static func upsertUser(
        _ registration: Registration,
        upgrading guest: Account?,
        _ db: SQLConnection
    ) throws -> Int64 {
        let profile = registration.profile
        let values: [any SQLBindable] = [
            registration.email, registration.passwordHash, profile.firstName, profile.lastName, profile.phone,
            profile.picture, registration.language?.rawValue, registration.isEmailConfirmed,
        ]
        if let guest, guest.role == .guest {
            let count = try db.execute(
                """
                UPDATE account
                SET role = 'user', email = ?, password_hash = ?, first_name = ?, last_name = ?, phone = ?,
                    picture = ?, language = ?, email_confirmed = ?, updated_at = ?
                WHERE id = ? AND role = 'guest'
                """,
                values + [Timestamp.now, guest.key]
            )
            guard count == 1 else { throw ServiceError(.conflict, "the guest has registered already") }
            // A holder of the guest's token or link must not get access to the registered account.
            try delete(["session", "guest_link"], of: guest.key, db)
            return guest.key
        }
        return try db.insert(
            """
            INSERT INTO account (
                role, email, password_hash, first_name, last_name, phone, picture, language, email_confirmed, uuid)
            VALUES ('user', ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
            """,
            values + [UUID()]
        )
    }

    /// Deletes the rows of an account from tables.
    static func delete(_ tables: [String], of account: Int64, _ db: SQLConnection) throws {
        for table in tables { try db.execute("DELETE FROM \(table) WHERE account_id = ?", [account]) }
    }

    /// Throws `conflict` if an account has the address.
    ///
    /// - Parameter key: the `Account.key` of an account that may have it.
    static func checkFree(_ email: String, besides key: Int64? = nil, _ db: SQLConnection) throws {
        guard try !isTaken(email, besides: key, db) else {
            throw ServiceError(.conflict, "email: there is an account with this address already", field: "email")
        }
    }

    static func isTaken(_ email: String, besides key: Int64? = nil, _ db: SQLConnection) throws -> Bool {
        try db.exists("SELECT 1 FROM account WHERE email = ? AND id IS DISTINCT FROM ?", [email, key])
    }

    static func insertSession(
        _ tokenHash: Data,
        _ client: String?,
        accountKey: Int64,
        _ now: Timestamp,
        _ db: SQLConnection
    ) throws -> Account {
        let account = try getAccount(key: accountKey, db)
        try SessionStore.insert(tokenHash, client: client, accountKey: accountKey, role: account.role, now: now, db)
        return account
    }

    static func getAccount(key: Int64, _ db: SQLConnection) throws -> Account {
        guard let account = try fetch(db, where: "id = ?", [key]) else {
            throw ServiceError(.notFound, "no such account")
        }
        return account
    }

    private static func fetch(
        _ db: SQLConnection,
        where condition: String,
        _ values: [any SQLBindable]
    ) throws -> Account? {
        try Account.fetch(db, condition, values).first
    }
}

extension Account {
    static func fetch(
        _ db: SQLConnection,
        _ condition: String,
        _ values: [any SQLBindable]
    ) throws -> [Account] {
        try db.rows("SELECT \(columns) FROM account WHERE \(condition)", values, Account.init)
    }

    static let columns = """
        account.id, account.uuid, role, email, email_confirmed, first_name, last_name, phone, picture, language,
        disabled, account.created_at,
        EXISTS (SELECT 1 FROM second_factor WHERE account_id = account.id AND confirmed_at IS NOT NULL)
            AS has_second_factor,
        (SELECT link.email FROM guest_link AS link WHERE link.account_id = account.id AND confirmed_at IS NOT NULL)
            AS link_email
        """

    /// - Parameter row: a row with the columns above.
    init(_ row: StatementRow) throws {
        try self.init(
            key: row["id"],
            id: row["uuid"],
            role: row["role"],
            email: row["email"],
            isEmailConfirmed: row["email_confirmed"],
            linkEmail: row["link_email"],
            profile: Profile(row),
            language: (row["language"] as String?).flatMap(Language.init),
            disabled: row["disabled"],
            hasSecondFactor: row["has_second_factor"],
            createdAt: row["created_at"]
        )
    }
}

extension Profile {
    init(_ row: StatementRow) throws {
        try self.init(
            firstName: row["first_name"], lastName: row["last_name"], phone: row["phone"], picture: row["picture"])
    }
}

extension UUID {
    package var lowercased: String { uuidString.lowercased() }
}
