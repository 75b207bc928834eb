package import Domain
package import Foundation
import SQL

extension OrganisationStore {
    /// Returns the members, managers first.
    package func findMembers(of id: UUID, for account: Account) throws -> [Organisation.Member] {
        try database.readNow { db in
            let organisation = try Self.get(id, for: account, .volunteer, db)
            return try db.rows(
                """
                SELECT account.uuid, first_name, last_name, organisation_member.role AS member_role, since,
                    EXISTS (
                        SELECT 1 FROM second_factor
                        WHERE second_factor.account_id = account.id AND confirmed_at IS NOT NULL) AS has_second_factor
                FROM organisation_member JOIN account ON account.id = account_id
                WHERE organisation_id = ? ORDER BY member_role, since, account.uuid
                """,
                [organisation.key]
            ) { row in
                try Organisation.Member(
                    id: row["uuid"],
                    name: Profile(firstName: row["first_name"], lastName: row["last_name"]).fullName,
                    role: row["member_role"],
                    since: row["since"],
                    hasSecondFactor: row["has_second_factor"]
                )
            }
        }
    }

    /// Changes the role of a member. Throws `conflict` if no manager would be left.
    package func setRole(
        _ role: Organisation.Role,
        ofMember member: UUID,
        of id: UUID,
        by account: Account
    ) async throws {
        try await database.write { db in
            let organisation = try Self.get(id, for: account, .manager, db)
            let key = try Self.memberKey(member, organisation.key, db)
            try db.execute(
                "UPDATE organisation_member SET role = ? WHERE organisation_id = ? AND account_id = ?",
                [role.rawValue, organisation.key, key]
            )
            try Self.checkManager(of: organisation.key, db)
            try OrganisationActionLog.record(
                .setRole, of: organisation.key, by: account, about: member, detail: role.rawValue, db)
            if role != .manager { try Self.endInvitationsAndKeys(of: key, in: organisation.key, db) }
        }
    }

    /// Removes a member, or lets the account leave. Invitations and keys that the member made end with the membership.
    /// Throws `conflict` if no manager would be left.
    package func removeMember(_ member: UUID, of id: UUID, by account: Account) async throws {
        try await database.write { db in
            let isLeaving = member == account.id
            let organisation = try Self.get(
                id, for: account, isLeaving ? .volunteer : .manager, isLeaving: isLeaving, db)
            let key = try Self.memberKey(member, organisation.key, db)
            try db.execute(
                "DELETE FROM organisation_member WHERE organisation_id = ? AND account_id = ?",
                [organisation.key, key]
            )
            try Self.checkManager(of: organisation.key, db)
            try OrganisationActionLog.record(
                isLeaving ? .leave : .remove, of: organisation.key, by: account, about: isLeaving ? nil : member, db)
        }
    }

    private static func checkManager(of organisation: Int64, _ db: SQLConnection) throws {
        guard
            try db.exists(
                "SELECT 1 FROM organisation_member WHERE organisation_id = ? AND role = 'manager'",
                [organisation]
            )
        else { throw ServiceError(.conflict, "the last manager has to stay: make another member manager first") }
    }

    private static func endInvitationsAndKeys(
        of member: Int64,
        in organisation: Int64,
        _ db: SQLConnection
    ) throws {
        try db.execute(
            "DELETE FROM organisation_invitation WHERE organisation_id = ? AND invited_by = ?",
            [organisation, member]
        )
        try db.execute("DELETE FROM api_key WHERE account_id = ? AND created_by = ?", [organisation, member])
    }

    private static func memberKey(_ id: UUID, _ organisation: Int64, _ db: SQLConnection) throws -> Int64 {
        let key: Int64? = try db.value(
            """
            SELECT account_id FROM organisation_member JOIN account ON account.id = account_id
            WHERE organisation_id = ? AND uuid = ?
            """,
            [organisation, id]
        )
        guard let key else { throw ServiceError(.notFound, "no such member", field: "member") }
        return key
    }
}
