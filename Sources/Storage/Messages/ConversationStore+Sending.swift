package import Domain
package import Foundation
import SQL

/// The recipient of a message.
package enum MessageAddress: Equatable, Sendable {
    case owner(ofListing: UUID)
    /// The other party of a conversation.
    case conversation(UUID)
    /// The owner of an open listing with this microchip. The conversation is hidden from its sender until the owner
    /// answers, because it would name the listing.
    case ownerOfAnimal(with: Microchip)
    /// The author of a sighting, to whom the owner of the listing writes. See `ConversationStore+Sightings.swift`.
    case author(ofSighting: UUID, ofListing: UUID)
}

/// A message that was stored.
package struct SentMessage: StoredOnce {
    package let message: Message
    package let conversation: UUID
    /// Nil if nobody is to be notified: the sender is blocked, the recipient has other unread messages, or the message
    /// is a repetition.
    package let notice: Notice?
    /// Whether the message was sent before.
    package let isRepeated: Bool
    package var photo: StoredPhoto? { message.photo }
}

/// The parts of a message besides its content.
package struct MessageSupplement: Sendable {
    /// The town around the point of the message.
    package let place: String?
    /// Its files are on the disk already. A message that was sent before does not get it.
    package let photo: StoredPhoto?

    package init(place: String? = nil, photo: StoredPhoto? = nil) {
        self.place = place
        self.photo = photo
    }
}

/// The effect that sending a message would have.
package enum MessagePreview: Equatable, Sendable {
    /// None, because the message was sent before.
    case repeats
    case continues
    case begins
}

extension ConversationStore {
    /// Returns the effect that `write` would have now. Throws the same errors.
    package func preview(
        _ content: MessageContent,
        hasPhoto: Bool = false,
        id: UUID,
        to address: MessageAddress,
        by sender: Account
    ) throws -> MessagePreview {
        try database.readNow { db in
            if try Self.findSent(id, content, hasPhoto, address, sender, db) != nil { return .repeats }
            return try OutgoingMessage(content, address, sender, db).conversation == nil ? .begins : .continues
        }
    }

    /// Sends a message. Repeated calls with the same `id` send it only once.
    ///
    /// Messages of a blocked sender are stored, but only the sender sees them; the result does not reveal the block.
    /// - Throws: `notFound` if the sender may not see the listing or conversation, `forbidden` for the sender's own
    ///   listing, `conflict` if the listing or the conversation accepts no more messages, `invalid` if the secret mark
    ///   is missing.
    ///
    /// - Parameter push: makes the notification for the recipient's browsers.
    package func write(
        _ content: MessageContent,
        _ supplement: MessageSupplement = MessageSupplement(),
        id: UUID,
        to address: MessageAddress,
        by sender: Account,
        push: ChannelStore.Push? = nil
    ) async throws -> SentMessage {
        try await database.write { db in
            let hasPhoto = supplement.photo != nil
            if let sent = try Self.findSent(id, content, hasPhoto, address, sender, db) { return sent }
            let outgoing = try OutgoingMessage(content, address, sender, db)
            let conversation = try outgoing.conversation ?? Self.begin(outgoing, db)
            try outgoing.insert(id, supplement, into: conversation, db)
            let sent = try Self.sent(id, outgoing, conversation, db)
            if case .ownerOfAnimal = address { try Self.hideFromWriter(conversation, db) }
            try ChannelStore.append(push, sent.notice, db)
            return sent
        }
    }

    private static func begin(_ outgoing: OutgoingMessage, _ db: SQLConnection) throws -> Int64 {
        try db.insert(
            "INSERT INTO conversation (uuid, listing_id, writer_id) VALUES (?, ?, ?) RETURNING id",
            [outgoing.newConversation, outgoing.listing, outgoing.writer]
        )
    }

    private static func hideFromWriter(_ conversation: Int64, _ db: SQLConnection) throws {
        try db.execute(
            """
            UPDATE conversation_party SET cleared_id = last_id, last_id = 0, unread = 0
            WHERE conversation_id = ? AND NOT is_owner
            """,
            [conversation]
        )
        // Nobody can see the conversation if its owner has blocked the writer.
        try removeIfDeleted(conversation, db)
    }

    private static func sent(
        _ id: UUID,
        _ outgoing: OutgoingMessage,
        _ conversation: Int64,
        _ db: SQLConnection
    ) throws -> SentMessage {
        let found = try db.row(
            """
            SELECT conversation.uuid, account.uuid AS recipient, \(AnimalName.columns), other.unread
            FROM conversation JOIN listing ON listing.id = conversation.listing_id
            JOIN conversation_party AS other ON other.conversation_id = conversation.id AND other.is_owner <> ?
            JOIN account ON account.id = other.account_id
            WHERE conversation.id = ?
            """,
            [outgoing.isOwners, conversation]
        ) { row in
            (
                recipient: try row["recipient"] as UUID, conversation: try row["uuid"] as UUID,
                animal: try AnimalName(row), unread: try row["unread"] as Int
            )
        }
        guard let found, let message = try find(id, isOwner: outgoing.isOwners, db) else {
            throw UnreadableRow("conversation \(conversation): not readable")
        }
        let notice = Notice(
            .message,
            found.conversation,
            to: found.recipient,
            found.animal,
            hasPhoto: message.photo != nil
        )
        return SentMessage(
            message: message,
            conversation: found.conversation,
            notice: outgoing.isDelivered && found.unread == 1 ? notice : nil,
            isRepeated: false
        )
    }

    private static func find(_ id: UUID, isOwner: Bool, _ db: SQLConnection) throws -> Message? {
        try db.row(
            """
            SELECT message.*, CAST(? AS BIGINT) AS is_owner, \(Message.country), \(StoredPhoto.columns)
            FROM message LEFT JOIN photo ON photo.message_id = message.id WHERE message.uuid = ?
            """,
            [isOwner, id.lowercased],
            Message.init
        )
    }

    /// Returns the message with this id if the same sender sent the same content to the same recipient before.
    private static func findSent(
        _ id: UUID,
        _ content: MessageContent,
        _ hasPhoto: Bool,
        _ address: MessageAddress,
        _ sender: Account,
        _ db: SQLConnection
    ) throws -> SentMessage? {
        let found = try db.row(
            """
            SELECT message.*, message.is_owners AS is_owner, conversation.uuid AS conversation_uuid,
                listing.uuid AS listing_uuid, sender.account_id AS sender_id, \(Message.country), \(StoredPhoto.columns)
            FROM message JOIN conversation ON conversation.id = message.conversation_id
            JOIN listing ON listing.id = conversation.listing_id
            JOIN conversation_party AS sender
                ON sender.conversation_id = conversation.id AND sender.is_owner = is_owners
            LEFT JOIN photo ON photo.message_id = message.id
            WHERE message.uuid = ?
            """,
            [id]
        ) { row in
            (
                message: try Message(row), conversation: try row["conversation_uuid"] as UUID,
                listing: try row["listing_uuid"] as UUID, sender: try row["sender_id"] as Int64
            )
        }
        guard let found else { return nil }
        guard found.sender == sender.key, found.message.content == content, (found.message.photo != nil) == hasPhoto,
            address == .conversation(found.conversation) || address == .owner(ofListing: found.listing)
                // A conversation that began from a sighting has the id of the sighting.
                || address == .author(ofSighting: found.conversation, ofListing: found.listing)
        else { throw ServiceError.usedIdempotencyKey }
        return SentMessage(message: found.message, conversation: found.conversation, notice: nil, isRepeated: true)
    }
}
