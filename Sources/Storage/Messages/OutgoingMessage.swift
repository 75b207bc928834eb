package import Domain
import Foundation
import SQL

/// A message before it is stored: its conversation, and whether it is delivered.
struct OutgoingMessage {
    let content: MessageContent
    let listing: Int64
    /// The `Account.key` of the party that does not own the listing.
    let writer: Int64
    /// The id of the conversation that the message begins.
    let newConversation: UUID
    /// Nil if the message begins a conversation.
    let conversation: Int64?
    let isOwners: Bool
    let isDelivered: Bool
    private let secretMark: String?

    init(_ content: MessageContent, _ address: MessageAddress, _ sender: Account, _ db: SQLConnection) throws {
        let target: Target
        switch address {
        case .owner(let id): target = try Self.owner(of: id, sender, db)
        case .conversation(let id): target = try Self.conversation(id, sender, db)
        case .ownerOfAnimal(with: let microchip): target = try Self.owner(ofAnimalWith: microchip, sender, db)
        case .author(ofSighting: let id, ofListing: let listing):
            target = try Self.author(of: id, at: listing, sender, db)
        }
        if case .author(ofSighting: let id, ofListing: _) = address {
            newConversation = id
        } else {
            newConversation = UUID()
        }
        self.content = content
        listing = target.listing
        conversation = target.conversation
        isOwners = target.isOwner
        writer = target.isOwner ? target.other : sender.key
        secretMark = target.secretMark
        // A new conversation does not report one's own block: that would reveal that both listings have the same owner.
        guard try conversation == nil && !isOwners || !AccountStore.blocks(sender.key, target.other, db) else {
            throw ServiceError(.conflict, "you have blocked this one: unblock them first", field: "conversation")
        }
        try TelephoneNumber.expectPossible(content.contactPhone, in: target.country, field: "contact_phone")
        isDelivered = try !AccountStore.blocks(target.other, sender.key, db)
        try requireSecretMark(db)
    }

    /// The record that the address of a message stands for.
    struct Target {
        let listing: Int64
        let conversation: Int64?
        /// Whether the sender owns the listing.
        let isOwner: Bool
        /// The `Account.key` of the recipient.
        let other: Int64
        let secretMark: String?
        let country: String?
        let status: Listing.Status
        let isHidden: Bool

        init(_ row: StatementRow) throws {
            listing = try row["listing_id"]
            conversation = try row["conversation_id"]
            isOwner = try row["is_owner"]
            other = try row["other_id"]
            secretMark = try row["secret_mark"]
            country = try row["country_code"]
            status = try row["status"]
            isHidden = try row["hidden"]
        }
    }

    /// Ignores conversations that the writer has deleted: continuing one would reveal that its other party did not
    /// delete it.
    private static func owner(of listing: UUID, _ writer: Account, _ db: SQLConnection) throws -> Target {
        let found = try db.row(
            """
            SELECT id AS listing_id, account_id AS other_id, status, hidden, secret_mark, country_code, origin,
                FALSE AS is_owner,
                (SELECT max(conversation.id) FROM conversation
                    JOIN conversation_party AS own ON own.conversation_id = conversation.id AND NOT own.is_owner
                    WHERE conversation.listing_id = listing.id AND conversation.writer_id = ? AND own.last_id > 0)
                    AS conversation_id
            FROM listing WHERE uuid = ? AND NOT hidden
            """,
            [writer.key, listing]
        ) { row in (target: try Target(row), origin: (try row["origin"] as String?).map(ListingOrigin.init)) }
        guard let (target, origin) = found else { throw ServiceError(.notFound, "no such listing") }
        guard target.other != writer.key else {
            throw ServiceError(.forbidden, "nobody writes to the owner of their own listing")
        }
        if let origin { throw ServiceError.copiedListing(origin) }
        guard target.status.isOpen else { throw ServiceError.closedListing }
        return target
    }

    /// Always begins a conversation: continuing one would reveal which listing has the microchip, and the telephone number is
    /// not looked at in the country of the listing. Whoever has read the
    /// number holds the animal, and is asked for no secret mark.
    private static func owner(
        ofAnimalWith microchip: Microchip,
        _ writer: Account,
        _ db: SQLConnection
    ) throws -> Target {
        let target = try db.row(
            """
            SELECT id AS listing_id, account_id AS other_id, status, hidden, NULL AS secret_mark, FALSE AS is_owner,
                NULL AS country_code, NULL AS conversation_id
            FROM listing
            WHERE microchip = ? AND hidden = 0 AND status IN ('lost', 'found', 'sighted') AND account_id <> ?
            ORDER BY status = 'lost' DESC, id DESC LIMIT 1
            """,
            [microchip.number, writer.key],
            Target.init
        )
        guard let target else { throw ServiceError.unknownMicrochip }
        return target
    }

    private static func conversation(_ id: UUID, _ sender: Account, _ db: SQLConnection) throws -> Target {
        let target = try db.row(
            """
            SELECT conversation.listing_id, other.account_id AS other_id, secret_mark, own.is_owner,
                conversation.id AS conversation_id, status, hidden, country_code
            FROM conversation JOIN conversation_party AS own ON own.conversation_id = conversation.id
            JOIN conversation_party AS other
                ON other.conversation_id = conversation.id AND other.is_owner = (NOT own.is_owner)
            JOIN listing ON listing.id = conversation.listing_id
            WHERE conversation.uuid = ? AND +own.account_id = ? AND +own.last_id > 0
            """,
            [id, sender.key],
            Target.init
        )
        guard let target else { throw ConversationStore.missing }
        guard !target.isHidden else { throw ServiceError.hiddenListing }
        return target
    }

    private func requireSecretMark(_ db: SQLConnection) throws {
        if isOwners, content.mark != nil { throw ServiceError.invalid("mark", "is for who writes to an owner") }
        guard !isOwners, secretMark != nil, content.mark == nil else { return }
        let isAsked: Bool? = try db.value(
            "SELECT \(ConversationStore.asksForMark) FROM (SELECT CAST(? AS BIGINT) AS id) AS conversation",
            [conversation]
        )
        guard isAsked == false else { throw ServiceError.missingMark }
    }

    func insert(
        _ id: UUID,
        _ supplement: MessageSupplement,
        into conversation: Int64,
        _ db: SQLConnection
    ) throws {
        let matches = content.mark.flatMap { mark in secretMark.map(mark.isSameMark) }
        let key = try db.insert(
            """
            INSERT INTO message (uuid, conversation_id, is_owners, text, contact_name, contact_phone, contact_email,
                mark, mark_matches, is_delivered, lon, lat, place)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
            """,
            [
                id.lowercased, conversation, isOwners, content.text, content.contactName, content.contactPhone,
                content.contactEmail, content.mark, matches, isDelivered, content.point?.lon, content.point?.lat,
                supplement.place,
            ]
        )
        if let photo = supplement.photo { try PhotoStore.attach(photo, to: .message(key), db) }
    }
}

extension ServiceError {
    package static let unknownMicrochip = ServiceError(
        .notFound,
        "no open listing of another account has this microchip"
    )
    package static let closedListing = ServiceError(
        .conflict,
        "the listing is closed: its owner expects no more messages",
        field: "listing"
    )
    static let hiddenListing = ServiceError(
        .conflict,
        "the listing was taken off the board: no more is written about it",
        field: "listing"
    )
    package static func copiedListing(_ origin: ListingOrigin) -> ServiceError {
        ServiceError(.conflict, "the listing is a copy: whoever posted it reads \(origin.url)", field: "origin")
    }
    package static let missingMark = invalid("mark", "expected what you know of the mark that the owner keeps secret")
}
