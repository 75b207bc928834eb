package import Domain
package import Foundation
import SQL

/// Organisations with their members, invitations and keys. Each change checks the rights of its author in its own
/// transaction.
package struct OrganisationStore: Sendable {
    let database: any Database

    package init(_ database: any Database) { self.database = database }

    /// Creates an organisation, whose first manager is the account that creates it.
    package func create(
        _ content: Organisation.Content,
        by account: Account,
        at now: Timestamp = .now
    ) async throws -> Organisation {
        guard account.email != nil, account.role != .organisation else {
            throw ServiceError(.forbidden, "this is for registered accounts: register first")
        }
        let id = UUID()
        return try await database.write { db in
            try ListingDerivation.throwIfBanned(account.key, db)
            try Self.checkMemberships(of: account.key, db)
            let key = try db.insert("INSERT INTO account (uuid, role) VALUES (?, 'organisation') RETURNING id", [id])
            try db.execute(
                "INSERT INTO organisation (account_id, uuid, name, created_at) VALUES (?, ?, ?, ?)",
                [key, id, content.name, now]
            )
            try Self.write(content, key, db)
            try Self.addMember(account.key, .manager, to: key, at: now, db)
            return try Self.get(id, db)
        }
    }

    /// Returns nil if there is no such organisation, or if it is banned.
    package func find(id: UUID) throws -> Organisation? {
        try database.readNow { db in try Self.find(id, db) }
    }

    /// Returns the organisation that an account is; nil for the account of a person.
    package func find(account: Account) throws -> Organisation? {
        guard account.role == .organisation else { return nil }
        return try find(accounts: [account.key])[account.key]
    }

    /// Returns the organisations that accounts are, by the keys of the accounts.
    package func find(accounts keys: some Collection<Int64>) throws -> [Int64: Organisation] {
        guard !keys.isEmpty else { return [:] }
        let keys = Set(keys).sorted().map(String.init).joined(separator: ", ")
        let found = try database.readNow { db in
            try db.rows("SELECT * FROM organisation WHERE account_id IN (\(keys))", [], Organisation.init)
        }
        return Dictionary(uniqueKeysWithValues: found.map { ($0.key, $0) })
    }

    /// Changes an organisation.
    ///
    /// - Parameter change: receives the organisation as it is in the transaction, and returns its new content.
    package func edit(
        id: UUID,
        by account: Account,
        _ change: @escaping @Sendable (Organisation) throws -> Organisation.Content
    ) async throws -> Organisation {
        try await database.write { db in
            let organisation = try Self.get(id, for: account, .manager, db)
            let content = try change(organisation)
            // The admin verified the organisation under the name that it had.
            try db.execute(
                """
                UPDATE organisation
                SET version = version + 1, verified_at = CASE WHEN name = ? THEN verified_at END WHERE account_id = ?
                """,
                [content.name, organisation.key]
            )
            try Self.write(content, organisation.key, db)
            try OrganisationActionLog.record(.edit, of: organisation.key, by: account, db)
            return try Self.get(id, db)
        }
    }

    /// Deletes an organisation with its closed listings. Throws `conflict` while it has open ones.
    package func remove(
        id: UUID,
        by account: Account,
        _ check: @escaping @Sendable (Organisation) throws -> Void
    ) async throws {
        try await database.write { db in
            let organisation = try Self.get(id, for: account, .manager, db)
            try check(organisation)
            let isBusy = try db.exists(
                "SELECT 1 FROM listing WHERE account_id = ? AND status IN ('lost', 'found', 'sighted')",
                [organisation.key]
            )
            guard !isBusy else {
                throw ServiceError(.conflict, "the organisation has open listings: close or delete them first")
            }
            try db.execute("DELETE FROM account WHERE id = ?", [organisation.key])
        }
    }

    /// Returns the organisations that an account is a member of, by name.
    package func findMemberships(of account: Account) throws -> [Organisation.Membership] {
        try database.readNow { db in
            try db.rows(
                """
                SELECT organisation.*, organisation_member.role FROM organisation_member
                    JOIN organisation ON organisation.account_id = organisation_id
                    JOIN account ON account.id = organisation_id
                WHERE organisation_member.account_id = ? AND NOT disabled ORDER BY name, organisation.uuid
                """,
                [account.key]
            ) { row in
                try Organisation.Membership(organisation: Organisation(row), role: row["role"])
            }
        }
    }

    /// Returns the account of an organisation for a member, or for the organisation itself.
    package func getAccount(id: UUID, for member: Account) throws -> Account {
        try database.readNow { db in
            let organisation = try Self.get(id, for: member, .volunteer, db)
            return try AccountStore.getAccount(key: organisation.key, db)
        }
    }

    /// Returns organisations by name, for the command line.
    package func findAll(limit: Int) async throws -> [Organisation] {
        try await database.read { db in
            try db.rows("SELECT * FROM organisation ORDER BY name, uuid LIMIT ?", [limit], Organisation.init)
        }
    }

    /// Records that an admin has verified who the organisation is, or takes it back.
    package func setVerified(
        _ isVerified: Bool,
        id: UUID,
        note: String?,
        by actor: Audit.Actor,
        at now: Timestamp = .now
    ) async throws {
        try await database.write { db in
            let organisation = try Self.get(id, db)
            guard organisation.isVerified != isVerified else { return }
            try db.execute(
                "UPDATE organisation SET verified_at = ?, version = version + 1 WHERE account_id = ?",
                [isVerified ? now : nil, organisation.key]
            )
            let action = isVerified ? Audit.Action.organisationVerify : .organisationUnverify
            try AuditLog.record(action, id.lowercased, note: note, by: actor, db)
        }
    }

    /// Deletes invitations and keys that have expired.
    package func prune(at now: Timestamp) async throws {
        try await database.write { db in
            for table in ["organisation_invitation", "api_key"] {
                try db.execute("DELETE FROM \(table) WHERE expires_at <= ?", [now])
            }
        }
    }

    private static func write(_ content: Organisation.Content, _ key: Int64, _ db: SQLConnection) throws {
        try db.execute(
            """
            UPDATE organisation
            SET name = ?, about = ?, website = ?, phone = ?, email = ?, address = ?, lon = ?, lat = ?
            WHERE account_id = ?
            """,
            [
                content.name, content.about, content.website, content.phone, content.email, content.address,
                content.point?.lon, content.point?.lat, key,
            ]
        )
        // The profile prefills the contacts of listings.
        try db.execute(
            "UPDATE account SET first_name = ?, phone = ? WHERE id = ?",
            [String(content.name.prefix(Profile.MaxLength.name)), content.phone, key]
        )
    }
}

extension OrganisationStore {
    static func find(_ id: UUID, _ db: SQLConnection) throws -> Organisation? {
        try db.row(
            """
            SELECT organisation.* FROM organisation JOIN account ON account.id = account_id
            WHERE organisation.uuid = ? AND NOT disabled
            """,
            [id],
            Organisation.init
        )
    }

    static func get(_ id: UUID, _ db: SQLConnection) throws -> Organisation {
        guard let found = try find(id, db) else { throw ServiceError(.notFound, "no such organisation") }
        return found
    }

    /// Throws `forbidden` unless the account has the role, or a higher one.
    ///
    /// - Parameter isLeaving: whether a second factor that the organisation requires does not matter.
    static func get(
        _ id: UUID,
        for account: Account,
        _ needed: Organisation.Role,
        isLeaving: Bool = false,
        _ db: SQLConnection
    ) throws -> Organisation {
        let organisation = try get(id, db)
        // A key acts as the organisation for its listings; routes about members and keys refuse all keys.
        if account.key == organisation.key, needed == .volunteer { return organisation }
        let role = try role(of: account.key, in: organisation.key, db)
        guard let role else { throw ServiceError(.forbidden, "this is for members of the organisation") }
        let lacksFactor =
            account.memberships[organisation.key] == nil && account.readOnlyOrganisations.contains(organisation.key)
        guard isLeaving || !lacksFactor else {
            throw ServiceError(.forbidden, "the organisation requires a second factor: set one up first")
        }
        guard role == .manager || needed == .volunteer else {
            throw ServiceError(.forbidden, "this is for managers of the organisation")
        }
        return organisation
    }

    static func role(of account: Int64, in organisation: Int64, _ db: SQLConnection) throws -> Organisation.Role? {
        try db.value(
            """
            SELECT organisation_member.role FROM organisation_member JOIN account ON account.id = account_id
            WHERE organisation_id = ? AND account_id = ? AND NOT disabled
            """, [organisation, account])
    }

    static func addMember(
        _ account: Int64,
        _ role: Organisation.Role,
        to organisation: Int64,
        at now: Timestamp,
        _ db: SQLConnection
    ) throws {
        try db.execute(
            "INSERT INTO organisation_member (organisation_id, account_id, role, since) VALUES (?, ?, ?, ?)",
            [organisation, account, role.rawValue, now]
        )
    }

    static func checkMemberships(of account: Int64, _ db: SQLConnection) throws {
        let most = Organisation.maxPerAccount
        guard try db.count("organisation_member WHERE account_id = ?", [account]) < most else {
            throw ServiceError(.quotaExceeded, "expected at most \(most) organisations of one account: leave one first")
        }
    }
}

extension Organisation {
    init(_ row: StatementRow) throws {
        var content = Content()
        content.name = try row["name"]
        content.about = try row["about"]
        content.website = try row["website"]
        content.phone = try row["phone"]
        content.email = try row["email"]
        content.address = try row["address"]
        content.point = try row.coordinate
        self.init(
            key: try row["account_id"],
            id: try row["uuid"],
            content: content,
            verifiedAt: try row["verified_at"],
            requiresSecondFactor: try row["requires_second_factor"],
            version: try row["version"],
            createdAt: try row["created_at"]
        )
    }
}
