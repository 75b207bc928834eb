import Domain
import Foundation
import SQL

/// Writes what members do for an organisation, in the transaction of what it tells.
enum OrganisationActionLog {
    /// - Parameters:
    ///   - organisation: the `Organisation.key`.
    ///   - subject: that of `OrganisationAction`.
    static func record(
        _ kind: OrganisationAction.Kind,
        of organisation: Int64,
        by account: Account,
        about subject: UUID? = nil,
        detail: String? = nil,
        _ db: SQLConnection
    ) throws {
        let detail = detail.map { String($0.prefix(maxDetail)) }
        try db.execute(
            """
            INSERT INTO organisation_action (organisation_id, account_id, at, action, subject, detail)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [organisation, account.key, Timestamp.now, kind.rawValue, subject, detail]
        )
    }

    private static let maxDetail = 300

    /// Records what a member did with a listing; nothing if the account is its owner.
    static func record(
        _ kind: OrganisationAction.Kind,
        _ listing: Listing,
        by member: Account?,
        detail: String? = nil,
        _ db: SQLConnection
    ) throws {
        guard let member, member.key != listing.owner else { return }
        let name = listing.content.name ?? listing.content[.reference] ?? listing.code.text
        let text = detail.map { "\(name): \($0)" } ?? name
        try record(kind, of: listing.owner, by: member, about: listing.id, detail: text, db)
    }
}
