package import Domain
package import Foundation
import SQL

/// The actions of members for an organisation.
extension OrganisationStore {
    /// Returns what members did, newest first, for managers. If there is more, returns one more than the limit.
    ///
    /// - Parameter before: only what has a smaller key.
    package func findActions(
        of id: UUID,
        for account: Account,
        limit: Int,
        before: Int64?
    ) throws -> [OrganisationAction] {
        try database.readNow { db in
            let organisation = try Self.get(id, for: account, .manager, db)
            return try db.rows(
                """
                SELECT organisation_action.id, at, action, subject, detail, key_name, account.uuid AS actor, first_name, last_name
                FROM organisation_action LEFT JOIN account ON account.id = account_id
                WHERE organisation_id = ? AND organisation_action.id < ? ORDER BY organisation_action.id DESC LIMIT ?
                """,
                [organisation.key, before ?? .max, limit + 1]
            ) { row in
                try OrganisationAction(
                    key: row["id"],
                    at: row["at"],
                    kind: row["action"],
                    actor: row["actor"],
                    actorName: Profile(firstName: row["first_name"], lastName: row["last_name"]).fullName,
                    subject: row["subject"],
                    detail: row["detail"],
                    keyName: row["key_name"]
                )
            }
        }
    }

    /// Forgets what was done long ago.
    package func pruneActions(at now: Timestamp) async throws {
        try await database.write { db in
            try db.execute(
                "DELETE FROM organisation_action WHERE at < ?", [now.adding(days: -OrganisationAction.days)])
        }
    }
}

/// The second factor that an organisation requires of its members.
extension OrganisationStore {
    /// Says whether members need a second factor. Throws `conflict` if the manager who requires it has none.
    package func setSecondFactorRequired(_ isRequired: Bool, of id: UUID, by account: Account) async throws {
        try await database.write { db in
            let organisation = try Self.get(id, for: account, .manager, db)
            guard organisation.requiresSecondFactor != isRequired else { return }
            let own = try AccountStore.getAccount(key: account.key, db)
            guard !isRequired || own.hasSecondFactor else {
                throw ServiceError(.conflict, "set up a second factor of your own first", field: "required")
            }
            try db.execute(
                "UPDATE organisation SET requires_second_factor = ? WHERE account_id = ?",
                [isRequired, organisation.key]
            )
            let kind = isRequired ? OrganisationAction.Kind.requireSecondFactor : .allowNoSecondFactor
            try OrganisationActionLog.record(kind, of: organisation.key, by: account, db)
        }
    }
}
