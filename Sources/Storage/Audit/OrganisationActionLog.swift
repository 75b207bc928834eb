import Domain
import Foundation
import SQL

/// Writes what members do for an organisation, in the transaction of what it tells.
enum OrganisationActionLog {
    /// Records that a member or a key posted a listing.
    static func recordPost(
        _ id: UUID, _ content: ListingContent, of owner: Account, by member: Account?, _ db: SQLConnection
    ) throws {
        guard let member, member.acts(inLogOf: owner.key) else { return }
        let name = content.name ?? content[.reference]
        try record(.postListing, of: owner.key, by: member, about: id, detail: name, db)
    }

    /// Records that an import of an organisation began.
    ///
    /// - Parameter sender: nil for a file that the service fetched.
    static func recordImport(
        _ id: UUID, _ order: ListingImport.Order, of owner: Account, by sender: Account?, _ db: SQLConnection
    ) throws {
        guard owner.role == .organisation, !order.isDryRun else { return }
        let counts = OrganisationAction.ImportCounts(file: order.fileName ?? order.source)
        try record(.importListings, of: owner.key, by: sender ?? owner, about: id, detail: counts.detail, db)
    }

    /// Adds to the action of an import what became of it.
    static func finishImport(_ listingImport: ListingImport, _ counts: ListingImport.Counts, _ db: SQLConnection) throws
    {
        let order = listingImport.order
        var told = OrganisationAction.ImportCounts(file: order.fileName ?? order.source)
        (told.created, told.updated, told.closed) = (counts.created, counts.updated, counts.closed)
        try db.execute(
            "UPDATE organisation_action SET detail = ? WHERE organisation_id = ? AND subject = ? AND action = ?",
            [
                String(told.detail.prefix(maxDetail)), listingImport.owner, listingImport.id,
                OrganisationAction.Kind.importListings.rawValue,
            ]
        )
    }

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
            INSERT INTO organisation_action (organisation_id, account_id, at, action, subject, detail, key_name)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [organisation, account.key, Timestamp.now, kind.rawValue, subject, detail, account.keyName]
        )
    }

    private static let maxDetail = 300

    /// Records what a member or a key did with a listing; nothing if a person is its owner.
    static func record(
        _ kind: OrganisationAction.Kind,
        _ listing: Listing,
        by member: Account?,
        detail: String? = nil,
        _ db: SQLConnection
    ) throws {
        guard let member, member.acts(inLogOf: listing.owner) else { return }
        let name = listing.content.name ?? listing.content[.reference] ?? listing.code.text
        let text = detail.map { "\(name): \($0)" } ?? name
        try record(kind, of: listing.owner, by: member, about: listing.id, detail: text, db)
    }
}

extension Account {
    /// Whether what the account does for an owner is noted: it is a member, or a key of the organisation itself.
    fileprivate func acts(inLogOf owner: Int64) -> Bool { key != owner || keyName != nil }
}
