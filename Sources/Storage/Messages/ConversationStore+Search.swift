package import Domain
package import Foundation
import SQL

extension ConversationStore {
    /// A conversation of which a search reads the listing and the texts.
    private struct Head {
        let key: Int64
        let isOwner: Bool
        /// The `Message.key` of its newest message.
        let last: Int64
        let isListingFound: Bool
        /// The name of the other party, and the numbers of one's own listing.
        let names: [String?]
    }

    /// Returns a page of the conversations that a search finds. It ends early when `ListSearch.maxRead` conversations have
    /// been read.
    ///
    /// - Parameter unblocked: the condition that leaves out conversations with blocked accounts, or nothing.
    func find(
        _ search: ListSearch,
        of account: Account,
        about listing: Int64?,
        _ unblocked: String,
        before last: Int64?,
        limit: Int
    ) throws -> (conversations: [Conversation], next: Int64?) {
        try database.readNow { db in
            let heads = try Self.heads(search, of: account, about: listing, unblocked, before: last, db)
            var found: [Int64] = []
            for head in heads where try head.isListingFound || search.finds(Self.texts(head, db)) {
                guard found.count < limit else { return (try Self.fetch(found, of: account, db), found.last) }
                found.append(head.last)
            }
            let isCut = heads.count == ListSearch.maxRead
            return (try Self.fetch(found, of: account, db), isCut ? heads.last?.last : nil)
        }
    }

    private static func heads(
        _ search: ListSearch,
        of account: Account,
        about listing: Int64?,
        _ unblocked: String,
        before last: Int64?,
        _ db: SQLConnection
    ) throws -> [Head] {
        let narrowed = listing == nil ? "" : "AND own.listing_id = ?"
        let values: [any SQLBindable] = [account.key, last ?? Int64.max] + (listing.map { [$0] } ?? [])
        return try db.rows(
            """
            SELECT \(ListingRow.checkedColumns.joined(separator: ", ")), listing.reference, listing.microchip,
                own.conversation_id, own.is_owner, own.last_id, other.name AS correspondent
            FROM conversation_party AS own
            CROSS JOIN conversation_party AS other
            CROSS JOIN listing
            WHERE own.account_id = ? AND own.last_id > 0 AND own.last_id < ? \(narrowed)
                AND other.conversation_id = own.conversation_id AND other.is_owner <> own.is_owner
                AND listing.id = own.listing_id \(unblocked)
            ORDER BY own.last_id DESC LIMIT \(ListSearch.maxRead)
            """,
            values
        ) { row in
            let (isOwner, listing): (Bool, ListingRow) = (try row["is_owner"], ListingRow(row))
            // Those who wrote about a listing do not see it while it is hidden.
            let isVisible = isOwner || !listing.flag(.hidden)
            return try Head(
                key: row["conversation_id"], isOwner: isOwner, last: row["last_id"],
                isListingFound: isVisible && search.finds(listing),
                names: [row["correspondent"]] + (isOwner ? [row["reference"], row["microchip"]] : [])
            )
        }
    }

    /// Returns the newest conversation that the owner of a listing has with the owner of another one about one of the two; nil
    /// if there is none. Those that began from a sighting do not count: they would tell who its author is.
    package func findConversation(ofOwnersOf listing: Listing, _ other: Listing) throws -> UUID? {
        try database.readNow { db in
            try db.value(
                """
                SELECT conversation.uuid FROM conversation
                JOIN conversation_party AS own ON own.conversation_id = conversation.id AND own.account_id = ?1
                WHERE own.last_id > 0 AND conversation.uuid NOT IN (SELECT uuid FROM sighting WHERE listing_id IN (?3, ?4))
                    AND (conversation.listing_id = ?3 AND writer_id = ?2 OR conversation.listing_id = ?4 AND writer_id = ?1)
                ORDER BY own.last_id DESC LIMIT 1
                """,
                [listing.owner, other.owner, listing.key, other.key]
            )
        }
    }

    /// The newest messages of a conversation of which a search reads the texts.
    private static let maxSearchedMessages = 50

    /// Returns the names and the texts of the messages that the account sees.
    private static func texts(_ head: Head, _ db: SQLConnection) throws -> [String?] {
        head.names
            + (try db.values(
                """
                SELECT text
                FROM conversation_party AS own CROSS JOIN message
                WHERE message.conversation_id = own.conversation_id AND own.conversation_id = ? AND own.is_owner = ?
                    AND message.id > own.cleared_id AND (message.is_owners = own.is_owner OR message.is_delivered)
                ORDER BY message.id DESC LIMIT \(maxSearchedMessages)
                """,
                [head.key, head.isOwner]
            ) as [String])
    }

    private static func fetch(_ last: [Int64], of account: Account, _ db: SQLConnection) throws -> [Conversation] {
        guard !last.isEmpty else { return [] }
        let places = Array(repeating: "?", count: last.count).joined(separator: ", ")
        return try Conversation.fetch(
            db, "own.account_id = ? AND own.last_id IN (\(places)) ORDER BY own.last_id DESC", [account.key] + last)
    }
}
