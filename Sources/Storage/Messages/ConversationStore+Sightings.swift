package import Domain
package import Foundation
import SQL

/// Owners of listings write to the authors of sightings, and block them.
///
/// A conversation that begins so has the id of the sighting, and is another one than the author's other conversations
/// about the listing: to continue one of those would tell the owner who the author is.
extension ConversationStore {
    /// Whether a writer still has to state the secret mark in the row `conversation`: not if they have stated one, nor if
    /// the owner wrote first.
    static let asksForMark = """
        NOT EXISTS (
            SELECT 1 FROM message AS marked WHERE marked.conversation_id = conversation.id AND marked.mark IS NOT NULL)
        AND coalesce((
            SELECT NOT is_owners FROM message AS first WHERE first.conversation_id = conversation.id
            ORDER BY first.id LIMIT 1), TRUE)
        """

    /// Blocks the author of a sighting, as `block(id:by:)` blocks the other party of a conversation.
    ///
    /// - Throws: `notFound` or `forbidden` like `write` to the author.
    package func block(authorOfSighting id: UUID, at listing: UUID, by owner: Account) async throws {
        try await database.write { db in
            let author = try SightingAuthor(of: id, at: listing, seenBy: owner, db)
            try Self.block(author.key, by: owner, about: author.listing, db)
        }
    }

    /// Returns a sighting that the owner has confirmed of each author who can read messages and is not blocked: at most as many
    /// as a listing has sightings.
    package func findConfirmedAuthors(at listing: Listing, by owner: Account) throws -> [UUID] {
        try database.readNow { db in
            try db.values(
                """
                SELECT min(sighting.uuid) FROM sighting JOIN account AS author ON author.id = sighting.account_id
                WHERE listing_id = ?1 AND owner_id = ?2 AND author.id <> ?2 AND state = 'confirmed' AND is_delivered
                    AND NOT author.disabled
                    AND NOT EXISTS (SELECT 1 FROM block WHERE blocker_id = ?2 AND blocked_id = author.id)
                    AND (role <> 'guest' OR EXISTS (
                        SELECT 1 FROM session WHERE session.account_id = author.id AND expires_at > ?3))
                GROUP BY author.id ORDER BY 1
                """,
                [listing.key, owner.key, Timestamp.now.text]
            )
        }
    }

    /// Returns the ids of the sightings of an owner's listing whose authors the owner has blocked.
    package func findSightingsOfBlocked(at listing: Listing, by owner: Account) throws -> Set<UUID> {
        try database.readNow { db in
            let ids: [UUID] = try db.values(
                """
                SELECT sighting.uuid FROM sighting JOIN block ON blocker_id = owner_id AND blocked_id = account_id
                WHERE listing_id = ? AND owner_id = ? AND is_delivered
                """,
                [listing.key, owner.key]
            )
            return Set(ids)
        }
    }
}

/// The author of a sighting, for the owner of its listing.
private struct SightingAuthor {
    /// The `Account.key`.
    let key: Int64
    /// The `Listing.key`.
    let listing: Int64
    /// Whether the author can read messages: a guest whose sessions have ended cannot.
    let isReachable: Bool

    /// - Throws: `notFound` if the account does not see the sighting, `forbidden` if it does not own the listing or has
    ///   reported the sighting.
    init(of sighting: UUID, at listing: UUID, seenBy owner: Account, _ db: SQLConnection) throws {
        let found = try db.row(
            """
            SELECT account_id, listing_id, owner_id = ?1 AS is_owner, role <> 'guest' OR EXISTS (
                SELECT 1 FROM session WHERE session.account_id = author.id AND expires_at > ?4) AS is_reachable
            FROM sighting JOIN account AS author ON author.id = sighting.account_id
            WHERE sighting.uuid = ?2 AND listing_id = (
                    SELECT id FROM listing WHERE uuid = ?3 AND (NOT hidden OR listing.account_id = ?1))
                AND NOT author.disabled AND is_delivered AND (owner_id = ?1 OR state = 'confirmed')
            """,
            [owner.key, sighting, listing, Timestamp.now.text]
        ) { row in
            (
                key: try row["account_id"] as Int64, listing: try row["listing_id"] as Int64,
                isOwner: try row["is_owner"] as Bool, isReachable: try row["is_reachable"] as Bool
            )
        }
        guard let found else { throw SightingStore.missing }
        guard found.isOwner else {
            throw ServiceError(
                .forbidden,
                "only the owner of the listing writes to who reported a sighting, or blocks them"
            )
        }
        guard found.key != owner.key else {
            throw ServiceError(.forbidden, "you added this sighting yourself")
        }
        (key, self.listing, isReachable) = (found.key, found.listing, found.isReachable)
    }
}

extension OutgoingMessage {
    /// The conversation is continued if the owner has deleted it.
    static func author(of sighting: UUID, at listing: UUID, _ owner: Account, _ db: SQLConnection) throws -> Target {
        let author = try SightingAuthor(of: sighting, at: listing, seenBy: owner, db)
        guard author.isReachable else {
            throw ServiceError(.conflict, "who reported this sighting has no account here any more", field: "sighting")
        }
        let target = try db.row(
            """
            SELECT listing.id AS listing_id, CAST(?1 AS BIGINT) AS other_id, status, hidden, secret_mark, country_code,
                1 AS is_owner,
                (SELECT id FROM conversation WHERE uuid = ?2) AS conversation_id
            FROM listing WHERE id = ?3
            """,
            [author.key, sighting, author.listing],
            Target.init
        )
        guard let target else { throw SightingStore.missing }
        guard !target.isHidden else { throw ServiceError.hiddenListing }
        return target
    }
}
