import Domain
import Foundation
import SQL

/// The subject of a report. All look-ups of subjects are here.
struct ReportedSubject {
    /// The `Account.key` of the owner.
    let owner: Int64
    /// The `Listing.key` of the listing, or of the listing that the photo belongs to.
    let listing: Int64?
    /// A copy for moderators of content that may be deleted before they decide.
    var evidence: String?
    /// Whether a moderator has hidden this listing itself, so that its owner may appeal.
    var isAppealable = false

    /// Returns nil if the subject does not exist or the reporter may not see it.
    ///
    /// - Parameter reporter: nil for a client without an account.
    static func find(_ kind: Report.Subject, _ id: UUID, seenBy reporter: Account?, _ db: SQLConnection) throws -> Self?
    {
        switch kind {
        case .listing: try find("listing.uuid = ?", "listing", id, seenBy: reporter, db)
        case .photo:
            try find("photo.uuid = ?", "photo JOIN listing ON listing.id = photo.listing_id", id, seenBy: reporter, db)
        case .message: try findMessage(id, seenBy: reporter, db)
        case .sighting: try findSighting(id, seenBy: reporter, db)
        }
    }

    /// The owner of the listing may report each sighting that they see, and others those that the owner has
    /// confirmed. The evidence is the time, the place and the text.
    private static func findSighting(_ id: UUID, seenBy reporter: Account?, _ db: SQLConnection) throws -> Self? {
        try db.row(
            """
            SELECT sighting.account_id,
                sighting.seen_at || coalesce(', ' || sighting.place, '') || coalesce('\n' || text, '')
            FROM sighting JOIN listing ON listing.id = listing_id
            WHERE sighting.uuid = ?2
                AND (sighting.account_id = ?1 OR is_delivered AND owner_id = ?1 OR state = 'confirmed' AND NOT hidden)
            """,
            [reporter?.key, id]
        ) { row in Self(owner: try row[0], listing: nil, evidence: try row[1]) }
    }

    /// Only the two parties of a conversation may report its messages.
    private static func findMessage(_ id: UUID, seenBy reporter: Account?, _ db: SQLConnection) throws -> Self? {
        try db.row(
            """
            SELECT sender.account_id, text
            FROM message CROSS JOIN conversation_party AS own CROSS JOIN conversation_party AS sender
            WHERE own.conversation_id = message.conversation_id AND own.account_id = ?1
                AND sender.conversation_id = message.conversation_id AND sender.is_owner = is_owners
                AND message.uuid = ?2 AND message.id > own.cleared_id
                AND (is_owners = own.is_owner OR is_delivered)
            """,
            [reporter?.key, id]
        ) { row in Self(owner: try row[0], listing: nil, evidence: try row[1]) }
    }

    private static func find(
        _ condition: String,
        _ tables: String,
        _ id: UUID,
        seenBy reporter: Account?,
        _ db: SQLConnection
    ) throws -> Self? {
        try db.row(
            """
            SELECT listing.id, listing.account_id, listing.hidden, listing_hiding.listing_id IS NOT NULL
            FROM \(tables) LEFT JOIN listing_hiding ON listing_hiding.listing_id = listing.id WHERE \(condition)
            """,
            [id]
        ) { row in
            let owner: Int64 = try row[1]
            let isHidden: Bool = try row[2]
            guard !isHidden || reporter?.key == owner || reporter?.role == .admin else { return nil }
            return Self(owner: owner, listing: try row[0], isAppealable: try row[3])
        } ?? nil
    }
}
