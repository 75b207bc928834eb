package import Domain
package import Foundation
import SQL

/// The accounts that act for organisations.
extension AccountStore {
    /// Returns the accounts that are told what concerns an account: itself, or the managers of the organisation that it
    /// is; without those that are disabled.
    package func findReaders(of id: UUID) async throws -> [Account] {
        try await database.read { db in
            guard let account = try Account.fetch(db, "uuid = ?", [id.lowercased]).first else { return [] }
            return try Self.readers(of: account, db)
        }
    }

    static func readers(of account: Account, _ db: SQLConnection) throws -> [Account] {
        guard !account.disabled else { return [] }
        guard account.role == .organisation else { return [account] }
        let managers = "SELECT account_id FROM organisation_member WHERE organisation_id = ? AND role = 'manager'"
        return try Account.fetch(db, "NOT disabled AND id IN (\(managers)) ORDER BY id", [account.key])
    }

    /// Returns the account with its roles in organisations that are not banned.
    static func addMemberships(to account: Account, _ db: SQLConnection) throws -> Account {
        let rows = try db.rows(
            """
            SELECT organisation_id, organisation_member.role, requires_second_factor
            FROM organisation_member JOIN account ON account.id = organisation_id
                JOIN organisation ON organisation.account_id = organisation_id
            WHERE organisation_member.account_id = ? AND NOT disabled
            """,
            [account.key]
        ) { row in
            (key: try row[0] as Int64, role: try row[1] as Organisation.Role, needsFactor: try row[2] as Bool)
        }
        guard !rows.isEmpty else { return account }
        let readOnly = account.hasSecondFactor ? [] : rows.filter(\.needsFactor).map(\.key)
        return account.with(memberships: Dictionary(rows.map { ($0.key, $0.role) }) { $1 }, Set(readOnly))
    }

    /// Deletes the organisations of which the account is the only member, before the account is deleted. Throws
    /// `conflict` if it is the only manager of an organisation with other members.
    static func leaveAll(_ account: Int64, _ db: SQLConnection) throws {
        try db.execute(
            """
            DELETE FROM account WHERE id IN (
                SELECT organisation_id FROM organisation_member AS own WHERE own.account_id = ?1 AND NOT EXISTS (
                    SELECT 1 FROM organisation_member AS other
                    WHERE other.organisation_id = own.organisation_id AND other.account_id <> ?1))
            """,
            [account]
        )
        let name: String? = try db.value(
            """
            SELECT name FROM organisation_member AS own JOIN organisation ON organisation.account_id = organisation_id
            WHERE own.account_id = ? AND own.role = 'manager' AND NOT EXISTS (
                SELECT 1 FROM organisation_member AS other
                WHERE other.organisation_id = own.organisation_id AND other.role = 'manager'
                    AND other.account_id <> own.account_id)
            LIMIT 1
            """,
            [account]
        )
        guard let name else { return }
        throw ServiceError(
            .conflict,
            "the account is the only manager of \(name): make another member manager, or delete the organisation first"
        )
    }
}
