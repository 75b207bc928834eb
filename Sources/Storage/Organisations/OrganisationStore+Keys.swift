package import Domain
package import Foundation
import SQL

extension OrganisationStore {
    /// Creates a key.
    ///
    /// - Parameter tokenHash: the digest of the key's token.
    package func createKey(
        name: String,
        scopes: Set<APIKey.Scope>,
        tokenHash: Data,
        expiresAt: Timestamp,
        for id: UUID,
        by account: Account,
        at now: Timestamp = .now
    ) async throws -> APIKey {
        let key = UUID()
        return try await database.write { db in
            let organisation = try Self.get(id, for: account, .manager, db)
            let count = try db.count("api_key WHERE account_id = ? AND expires_at > ?", [organisation.key, now])
            guard count < APIKey.maxPerOrganisation else {
                throw ServiceError(
                    .quotaExceeded, "expected at most \(APIKey.maxPerOrganisation) keys: revoke one first")
            }
            try db.execute(
                """
                INSERT INTO api_key (uuid, account_id, name, token_hash, scopes, created_by, created_at, expires_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [key, organisation.key, name, tokenHash, scopes.text, account.key, now, expiresAt]
            )
            try OrganisationActionLog.record(.makeKey, of: organisation.key, by: account, detail: name, db)
            return APIKey(
                id: key, name: name, scopes: scopes, createdAt: now, expiresAt: expiresAt, lastUsedAt: nil)
        }
    }

    /// Returns the keys of an organisation that have not expired, newest first.
    package func findKeys(of id: UUID, for account: Account, at now: Timestamp = .now) throws -> [APIKey] {
        try database.readNow { db in
            let organisation = try Self.get(id, for: account, .manager, db)
            return try db.rows(
                "SELECT * FROM api_key WHERE account_id = ? AND expires_at > ? ORDER BY id DESC",
                [organisation.key, now]
            ) { row in
                try APIKey(
                    id: row["uuid"],
                    name: row["name"],
                    scopes: Set(text: row["scopes"]),
                    createdAt: row["created_at"],
                    expiresAt: row["expires_at"],
                    lastUsedAt: row["last_used_at"]
                )
            }
        }
    }

    package func revokeKey(_ key: UUID, of id: UUID, by account: Account) async throws {
        try await database.write { db in
            let organisation = try Self.get(id, for: account, .manager, db)
            let name: String? = try db.value(
                "DELETE FROM api_key WHERE uuid = ? AND account_id = ? RETURNING name",
                [key, organisation.key]
            )
            guard let name else { throw ServiceError(.notFound, "no such key", field: "key") }
            try OrganisationActionLog.record(.revokeKey, of: organisation.key, by: account, detail: name, db)
        }
    }

    /// Returns the account that a key acts as, also if it is disabled. Returns nil if the key is unknown or has expired,
    /// or if the manager who made it is none any more or is disabled.
    package func findCaller(
        tokenHash: Data,
        now: Timestamp
    ) throws -> (account: Account, scopes: Set<APIKey.Scope>, lastUsedAt: Timestamp?)? {
        try database.readNow { db in
            try db.row(
                """
                SELECT \(Account.columns), scopes, last_used_at, api_key.name AS key_name
                FROM api_key JOIN account ON account.id = api_key.account_id
                WHERE token_hash = ? AND expires_at > ? AND EXISTS (
                    SELECT 1 FROM organisation_member JOIN account AS maker ON maker.id = organisation_member.account_id
                    WHERE organisation_id = api_key.account_id AND organisation_member.account_id = created_by
                        AND organisation_member.role = 'manager' AND NOT maker.disabled)
                """,
                [tokenHash, now]
            ) { row in
                (try Account(row).with(keyName: row["key_name"]), try Set(text: row["scopes"]), try row["last_used_at"])
            }
        }
    }
}
