package import Domain
package import Foundation
import GRDB

/// A message with the two whom it concerns: for who looks into what one of them reports, and for nobody else.
package struct FoundMessage: Sendable {
    /// As its reader sees it.
    package let message: Message
    package let conversation: UUID
    package let listing: UUID
    /// `Account.id`s.
    package let sender: UUID
    package let recipient: UUID
    /// Whether the recipient could read it: not where they had blocked the sender, nor what they deleted since.
    package let isReadable: Bool
}

extension ConversationStore {
    /// Any message by its id. It asks for nobody's leave: whoever shows what it finds has to know why.
    package func findMessage(id: UUID) throws -> FoundMessage? {
        let row = try database.readNow { db in
            try Row.fetchOne(
                db,
                sql: """
                    SELECT message.*, reader.is_owner, conversation.uuid AS conversation_uuid, listing.uuid AS listing_uuid,
                        sender.uuid AS sender, recipient.uuid AS recipient,
                        is_delivered AND message.id > reader.cleared_id AS is_readable
                    FROM message JOIN conversation ON conversation.id = message.conversation_id
                    JOIN listing ON listing.id = conversation.listing_id
                    JOIN conversation_party AS writer
                        ON writer.conversation_id = conversation.id AND writer.is_owner = is_owners
                    JOIN conversation_party AS reader
                        ON reader.conversation_id = conversation.id AND reader.is_owner = 1 - is_owners
                    JOIN account AS sender ON sender.id = writer.account_id
                    JOIN account AS recipient ON recipient.id = reader.account_id
                    WHERE message.uuid = ?
                    """,
                arguments: [id.lowercased]
            )
        }
        guard let row else { return nil }
        guard let conversation = UUID(uuidString: row["conversation_uuid"]),
            let listing = UUID(uuidString: row["listing_uuid"]), let sender = UUID(uuidString: row["sender"]),
            let recipient = UUID(uuidString: row["recipient"])
        else { throw DatabaseError(message: "message \(row["id"] as Int64): not readable") }
        return FoundMessage(
            message: try Message(row),
            conversation: conversation,
            listing: listing,
            sender: sender,
            recipient: recipient,
            isReadable: row["is_readable"]
        )
    }
}

extension AccountStore {
    /// What a guest wrote, and whom they blocked and who blocked them, goes to the account they sign in to. What stood between the
    /// two goes, since nobody writes to themselves; triggers see to that.
    static func bringConversations(of guest: Int64, to account: Int64, _ db: Database) throws {
        try db.execute(
            sql: "UPDATE conversation SET writer_id = ? WHERE writer_id = ?",
            arguments: [account, guest]
        )
        for column in ["blocker_id", "blocked_id"] {
            try db.execute(
                sql: "UPDATE OR IGNORE block SET \(column) = ? WHERE \(column) = ?",
                arguments: [account, guest]
            )
        }
    }
}
