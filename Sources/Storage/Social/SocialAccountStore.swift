package import Domain
package import Foundation
import SQL

/// The accounts at other services where listings are posted, with their encrypted tokens.
package struct SocialAccountStore: Sendable {
    /// The most accounts of all organisations: each new listing is compared with them.
    package static let maxTotal = 1_000

    let database: any Database

    package init(_ database: any Database) { self.database = database }

    /// Whether this node sends what is stored.
    package var isLeader: Bool { database.isLeader }

    /// Whose accounts somebody manages.
    package enum Owner: Sendable {
        /// The accounts of the site, for admins and the command line.
        case site
        /// Those of the organisation with this ID, for a manager.
        case organisation(UUID, by: Account)
    }

    /// Returns the accounts, oldest first.
    package func find(of owner: Owner) throws -> [SocialAccount] {
        try database.readNow { db in
            let key = try Self.key(of: owner, db)
            return try db.rows(
                "SELECT * FROM social_account WHERE account_id IS NOT DISTINCT FROM ? ORDER BY id",
                [key],
                SocialAccount.init
            )
        }
    }

    /// Throws `notFound` if the owner has no such account.
    package func get(_ id: UUID, of owner: Owner) throws -> SocialAccount {
        try database.readNow { db in try Self.get(id, owner, db) }
    }

    /// Returns the encrypted token.
    package func token(of account: SocialAccount) throws -> Data? {
        try database.readNow { db in
            try db.value("SELECT token FROM social_account WHERE id = ?", [account.key])
        }
    }

    /// Throws unless the owner may have one more.
    package func checkCount(of owner: Owner) throws {
        try database.readNow { db in try Self.checkCount(of: try Self.key(of: owner, db), db) }
    }

    /// Stores an account.
    ///
    /// - Parameters:
    ///   - id: that for which the token was encrypted.
    ///   - name: what the service calls it.
    package func add(
        _ address: SocialAccount.Address,
        _ selection: SocialAccount.Selection,
        id: UUID,
        name: String,
        token: Data,
        to owner: Owner,
        by actor: Audit.Actor,
        at now: Timestamp
    ) async throws -> SocialAccount {
        let centre = selection.centre
        // Accounts whose circle crosses the antimeridian or contains a pole are found all around the Earth; the circle decides.
        let boxes = SearchArea(circle: selection.circle, box: nil).extents
        let isOne = boxes.count == 1
        let name = String(name.prefix(SocialAccount.maxNameLength))
        return try await database.write { db in
            let key = try Self.key(of: owner, db)
            if let key { try ListingDerivation.throwIfBanned(key, db) }
            try Self.checkCount(of: key, db)
            try db.execute(
                """
                INSERT INTO social_account (uuid, account_id, service, server, chat, name, token, lon, lat, radius, west,
                    south, east, north, species, language, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    id, key, address.service.rawValue, address.server, address.chat, name, token, centre.lon,
                    centre.lat, selection.radius, isOne ? boxes[0].west : -180,
                    boxes.map(\.south).min() ?? -90, isOne ? boxes[0].east : 180, boxes.map(\.north).max() ?? 90,
                    selection.species?.rawValue, selection.language.rawValue, now,
                ]
            )
            try Self.record(.addSocialAccount, .socialAccountAdd, id, name, owner, actor, db)
            return try Self.get(id, owner, db)
        }
    }

    /// Pauses an account, or lets it go on. What was posted meanwhile is not posted later.
    package func setPaused(_ isPaused: Bool, _ id: UUID, of owner: Owner, at now: Timestamp) async throws {
        try await database.write { db in
            let account = try Self.get(id, owner, db)
            try db.execute(
                "UPDATE social_account SET paused = ?1, problem = NULL, problem_at = NULL WHERE id = ?2 AND paused <> ?1",
                [isPaused, account.key]
            )
            guard !isPaused else { return }
            try db.execute(
                "UPDATE social_post SET next_attempt_at = ?1 WHERE social_account_id = ?2 AND next_attempt_at > ?1",
                [now, account.key]
            )
        }
    }

    /// Removes an account. What it has posted stays at the service.
    package func remove(_ id: UUID, of owner: Owner, by actor: Audit.Actor) async throws {
        try await database.write { db in
            let account = try Self.get(id, owner, db)
            try db.execute("DELETE FROM social_account WHERE id = ?", [account.key])
            try Self.record(.removeSocialAccount, .socialAccountRemove, id, account.name, owner, actor, db)
        }
    }

    // MARK: - Rights

    /// Returns the `Account.key` of an organisation; nil for the site.
    private static func key(of owner: Owner, _ db: SQLConnection) throws -> Int64? {
        switch owner {
        case .site: nil
        case .organisation(let id, let account): try OrganisationStore.get(id, for: account, .manager, db).key
        }
    }

    private static func get(_ id: UUID, _ owner: Owner, _ db: SQLConnection) throws -> SocialAccount {
        let found = try db.row(
            "SELECT * FROM social_account WHERE uuid = ? AND account_id IS NOT DISTINCT FROM ?",
            [id, try key(of: owner, db)],
            SocialAccount.init
        )
        guard let found else { throw ServiceError(.notFound, "no such social account") }
        return found
    }

    private static func checkCount(of owner: Int64?, _ db: SQLConnection) throws {
        let own = try db.count("social_account WHERE account_id IS NOT DISTINCT FROM ?", [owner])
        guard own < SocialAccount.maxCount else {
            throw ServiceError(
                .quotaExceeded,
                "expected at most \(SocialAccount.maxCount) social accounts: remove one first",
                field: "social"
            )
        }
        guard try db.count("social_account") < maxTotal else {
            throw ServiceError(
                .quotaExceeded, "the service has \(maxTotal) social accounts, and takes no more", field: "social")
        }
    }

    private static func record(
        _ kind: OrganisationAction.Kind,
        _ action: Audit.Action,
        _ id: UUID,
        _ name: String,
        _ owner: Owner,
        _ actor: Audit.Actor,
        _ db: SQLConnection
    ) throws {
        switch owner {
        case .site: try AuditLog.record(action, id.uuidString.lowercased(), by: actor, db)
        case .organisation(let organisation, let account):
            let key = try OrganisationStore.get(organisation, db).key
            try OrganisationActionLog.record(kind, of: key, by: account, detail: name, db)
        }
    }
}

extension SocialAccount.Selection {
    var circle: ListingQuery.Circle { .init(centre: centre, radius: Double(radius)) }
}

extension SocialAccount {
    init(_ row: StatementRow) throws {
        guard let centre = try row.coordinate else { throw UnreadableRow("social_account") }
        try self.init(
            key: row["id"],
            id: row["uuid"],
            owner: row["account_id"],
            address: Address(service: row["service"], server: row["server"], chat: row["chat"]),
            name: row["name"],
            selection: Selection(
                centre: centre,
                radius: row["radius"],
                species: row["species"],
                language: row["language"]
            ),
            isPaused: row["paused"],
            problem: row["problem"],
            problemAt: row["problem_at"],
            createdAt: row["created_at"]
        )
    }
}
