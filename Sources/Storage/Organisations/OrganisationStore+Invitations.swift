package import Domain
package import Foundation
import SQL

extension OrganisationStore {
    /// Invites the owner of an e-mail address. The answer is the same whether or not the address has an account. A new
    /// invitation of an address takes the place of an earlier one.
    package func invite(
        _ email: String,
        as role: Organisation.Role,
        to id: UUID,
        by account: Account,
        at now: Timestamp = .now
    ) async throws -> Organisation.Invitation {
        let invitation = UUID()
        return try await database.write { db in
            let organisation = try Self.get(id, for: account, .manager, db)
            try db.execute(
                "DELETE FROM organisation_invitation WHERE organisation_id = ? AND (email = ? OR expires_at <= ?)",
                [organisation.key, email, now]
            )
            let count = try db.count("organisation_invitation WHERE organisation_id = ?", [organisation.key])
            guard count < Organisation.maxInvitations else {
                throw ServiceError(.quotaExceeded, "expected at most \(Organisation.maxInvitations) open invitations")
            }
            try db.execute(
                """
                INSERT INTO organisation_invitation (
                    uuid, organisation_id, email, role, invited_by, created_at, expires_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    invitation, organisation.key, email, role.rawValue, account.key, now,
                    now.adding(days: Organisation.invitationDays),
                ]
            )
            try OrganisationActionLog.record(.invite, of: organisation.key, by: account, detail: role.rawValue, db)
            return try Self.invitations("invitation.uuid = ?", [invitation], now, db)[0]
        }
    }

    /// Returns the invitations of an organisation, newest first.
    package func findInvitations(
        to id: UUID,
        for account: Account,
        at now: Timestamp = .now
    ) throws -> [Organisation.Invitation] {
        try database.readNow { db in
            let organisation = try Self.get(id, for: account, .manager, db)
            return try Self.invitations("organisation_id = ?", [organisation.key], now, db)
        }
    }

    /// Returns the invitations of the account's address, newest first.
    package func findInvitations(of account: Account, at now: Timestamp = .now) throws -> [Organisation.Invitation] {
        guard let email = account.email else { return [] }
        return try database.readNow { db in try Self.invitations("invitation.email = ?", [email], now, db) }
    }

    package func withdraw(_ invitation: UUID, to id: UUID, by account: Account) async throws {
        try await database.write { db in
            let organisation = try Self.get(id, for: account, .manager, db)
            let count = try db.execute(
                "DELETE FROM organisation_invitation WHERE uuid = ? AND organisation_id = ?",
                [invitation, organisation.key]
            )
            guard count == 1 else { throw Self.noInvitation }
            try OrganisationActionLog.record(.withdraw, of: organisation.key, by: account, db)
        }
    }

    /// Makes the account a member. Throws `notFound` if the invitation is none of the account's present address, has
    /// expired, or was made by a member who is no manager any more.
    package func accept(_ invitation: UUID, by account: Account, at now: Timestamp = .now) async throws -> Organisation
    {
        try await database.write { db in
            let found = try Self.take(invitation, from: account, now, db)
            guard let organisation = try Self.find(found.organisation.id, db) else { throw Self.noInvitation }
            if try Self.role(of: account.key, in: organisation.key, db) == nil {
                try Self.checkMemberships(of: account.key, db)
                try Self.addMember(account.key, found.role, to: organisation.key, at: now, db)
                try OrganisationActionLog.record(
                    .join, of: organisation.key, by: account, detail: found.role.rawValue, db)
                let count = try db.count("organisation_member WHERE organisation_id = ?", [organisation.key])
                guard count <= Organisation.maxMembers else {
                    throw ServiceError(.quotaExceeded, "expected at most \(Organisation.maxMembers) members")
                }
            }
            return organisation
        }
    }

    package func decline(_ invitation: UUID, by account: Account, at now: Timestamp = .now) async throws {
        try await database.write { db in _ = try Self.take(invitation, from: account, now, db) }
    }

    /// Deletes an invitation of the account's address and returns it.
    private static func take(
        _ invitation: UUID,
        from account: Account,
        _ now: Timestamp,
        _ db: SQLConnection
    ) throws -> Organisation.Invitation {
        // The address may have changed since the request was authenticated.
        let email = try AccountStore.getAccount(key: account.key, db).email
        guard let email,
            let found = try invitations("invitation.uuid = ? AND invitation.email = ?", [invitation, email], now, db)
                .first
        else { throw noInvitation }
        try db.execute("DELETE FROM organisation_invitation WHERE uuid = ?", [invitation])
        return found
    }

    private static let noInvitation = ServiceError(.notFound, "no such invitation", field: "invitation")

    private static func invitations(
        _ condition: String,
        _ values: [any SQLBindable],
        _ now: Timestamp,
        _ db: SQLConnection
    ) throws -> [Organisation.Invitation] {
        try db.rows(
            """
            SELECT invitation.uuid, invitation.email, invitation.role AS invited_role, invitation.created_at, expires_at,
                organisation.uuid AS organisation, organisation.name, verified_at
            FROM organisation_invitation AS invitation
                JOIN organisation ON organisation.account_id = organisation_id
                JOIN account ON account.id = organisation_id
            WHERE \(condition) AND NOT disabled AND expires_at > ?
            ORDER BY invitation.id DESC LIMIT \(Organisation.maxInvitations)
            """,
            values + [now]
        ) { row in
            let verifiedAt: Timestamp? = try row["verified_at"]
            return try Organisation.Invitation(
                id: row["uuid"],
                organisation: .init(id: row["organisation"], name: row["name"], isVerified: verifiedAt != nil),
                email: row["email"],
                role: row["invited_role"],
                createdAt: row["created_at"],
                expiresAt: row["expires_at"]
            )
        }
    }
}
