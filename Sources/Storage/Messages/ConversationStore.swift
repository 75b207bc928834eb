package import Domain
package import Foundation
import GRDB

/// What people write to each other about listings. Who asks sees conversations of their own and nothing else, whatever their role.
package struct ConversationStore: Sendable {
    let database: DatabaseFile

    /// More unread conversations are not counted.
    package static let maxCounted = 100

    package init(_ database: DatabaseFile) {
        self.database = database
    }

    /// The newest first.
    ///
    /// - Parameters:
    ///   - listing: the `Listing.key` of the one they are about; nil is about any.
    ///   - last: the `Message.key` that the page before ended with.
    package func findConversations(
        of account: Account,
        about listing: Int64? = nil,
        before last: Int64? = nil,
        limit: Int
    ) throws -> (conversations: [Conversation], next: Int64?) {
        let narrowed = listing == nil ? "" : "own.listing_id = ? AND "
        let values: [(any DatabaseValueConvertible)?] = [listing]
        let found = try database.readNow { db in
            try Conversation.fetch(
                db,
                "\(narrowed)own.account_id = ? AND own.last_id > 0 AND own.last_id < ? ORDER BY own.last_id DESC LIMIT ?",
                StatementArguments(values.compactMap(\.self)) + [account.key, last ?? .max, limit + 1]
            )
        }
        let page = Array(found.prefix(limit))
        return (page, found.count > limit ? page.last?.last.key : nil)
    }

    /// Throws `notFound` where the account has no part in it, or deleted it.
    package func getConversation(id: UUID, of account: Account) throws -> Conversation {
        try database.readNow { db in try Self.get(id, account, db) }
    }

    /// Those that the reader may see, the newest first.
    ///
    /// - Parameter last: the `Message.key` that the page before ended with.
    package func findMessages(
        in conversation: Conversation,
        of account: Account,
        before last: Int64? = nil,
        limit: Int
    ) throws -> (messages: [Message], next: Int64?) {
        let found = try database.readNow { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT message.*, own.is_owner
                    FROM conversation_party AS own CROSS JOIN message ON message.conversation_id = own.conversation_id
                    WHERE own.conversation_id = ? AND own.is_owner = ? AND own.account_id = ?
                        AND message.id > own.cleared_id AND message.id < ?
                        AND (message.is_owners = own.is_owner OR message.is_delivered)
                    ORDER BY message.id DESC LIMIT ?
                    """
            )
            let arguments: StatementArguments = [
                conversation.key, conversation.role == .owner, account.key, last ?? .max, limit + 1,
            ]
            return try Row.fetchAll(statement, arguments: arguments).map(Message.init)
        }
        let page = Array(found.prefix(limit))
        return (page, found.count > limit ? page.last?.key : nil)
    }

    /// Conversations with something new, up to `maxCounted`.
    package func countUnread(of account: Account) throws -> Int {
        try database.readNow { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT count(*) FROM (
                        SELECT 1 FROM conversation_party WHERE account_id = ? AND unread > 0 LIMIT ?)
                    """
            )
            return try Int.fetchOne(statement, arguments: [account.key, Self.maxCounted]) ?? 0
        }
    }

    /// - Parameter last: the last message that was read; nil is the last one.
    package func markRead(id: UUID, of account: Account, upTo last: UUID? = nil) async throws {
        try await database.write { db in
            let conversation = try Self.get(id, account, db)
            let key = try last.map { try Self.key(of: $0, in: conversation, db) } ?? conversation.last.key
            try db.execute(
                sql: """
                    UPDATE conversation_party SET unread = min(unread, (
                        SELECT count(*) FROM message
                        WHERE message.conversation_id = conversation_party.conversation_id
                            AND message.id > max(?, cleared_id) AND is_owners <> is_owner AND is_delivered))
                    WHERE conversation_id = ? AND is_owner = ?
                    """,
                arguments: [key, conversation.key, conversation.role == .owner]
            )
        }
    }

    /// For this account alone: what comes later brings the conversation back. Where both have done so, it is gone.
    package func remove(id: UUID, of account: Account) async throws {
        try await database.write { db in
            let conversation = try Self.get(id, account, db)
            try db.execute(
                sql: """
                    UPDATE conversation_party SET cleared_id = last_id, last_id = 0, unread = 0
                    WHERE conversation_id = ? AND is_owner = ?
                    """,
                arguments: [conversation.key, conversation.role == .owner]
            )
            try db.execute(
                sql: """
                    DELETE FROM conversation WHERE id = ? AND NOT EXISTS (
                        SELECT 1 FROM conversation_party WHERE conversation_id = ? AND last_id > 0)
                    """,
                arguments: [conversation.key, conversation.key]
            )
        }
    }

    /// From now on nothing reaches the account of whom it has this conversation with, about any listing. They are not told.
    package func block(id: UUID, by account: Account) async throws {
        try await database.write { db in
            let other = try Self.correspondent(id, account, db)
            try db.execute(
                sql: """
                    INSERT INTO block (blocker_id, blocked_id, uuid, about)
                    SELECT ?, ?, ?, listing.name
                    FROM conversation JOIN listing ON listing.id = listing_id WHERE conversation.uuid = ?
                    ON CONFLICT (blocker_id, blocked_id) DO NOTHING
                    """,
                arguments: [account.key, other, UUID().lowercased, id.lowercased]
            )
        }
    }

    /// Whom an account has blocked, the last one first.
    package func findBlocks(of account: Account) throws -> [Block] {
        try database.readNow { db in
            let sql = "SELECT uuid, about, created_at FROM block WHERE blocker_id = ? ORDER BY created_at DESC, uuid"
            return try Row.fetchAll(db, sql: sql, arguments: [account.key]).compactMap { row in
                UUID(uuidString: row["uuid"]).map {
                    Block(id: $0, about: row["about"], createdAt: Timestamp(stored: row["created_at"]))
                }
            }
        }
    }

    /// By the block, or by a conversation with them. What was written meanwhile stays away.
    package func unblock(id: UUID, by account: Account) async throws {
        try await database.write { db in
            try db.execute(
                sql: "DELETE FROM block WHERE blocker_id = ? AND uuid = ?",
                arguments: [account.key, id.lowercased]
            )
            guard db.changesCount == 0 else { return }
            try db.execute(
                sql: "DELETE FROM block WHERE blocker_id = ? AND blocked_id = ?",
                arguments: [account.key, try Self.correspondent(id, account, db)]
            )
        }
    }

    static func get(_ id: UUID, _ account: Account, _ db: Database) throws -> Conversation {
        // Not by way of all that the account has.
        let found = try Conversation.fetch(
            db,
            "conversation.uuid = ? AND +own.account_id = ? AND +own.last_id > 0",
            [id.lowercased, account.key]
        )
        guard let conversation = found.first else { throw missing }
        return conversation
    }

    private static func key(of message: UUID, in conversation: Conversation, _ db: Database) throws -> Int64 {
        let key = try Int64.fetchOne(
            db,
            sql: "SELECT id FROM message WHERE uuid = ? AND conversation_id = ? AND id <= ?",
            arguments: [message.lowercased, conversation.key, conversation.last.key]
        )
        guard let key else {
            throw ServiceError(.notFound, "message: there is none with this id in the conversation", field: "message")
        }
        return key
    }

    /// Also of a conversation that was deleted: the other one may be let through again.
    private static func correspondent(_ id: UUID, _ account: Account, _ db: Database) throws -> Int64 {
        let key = try Int64.fetchOne(
            db,
            sql: """
                SELECT other.account_id FROM conversation
                CROSS JOIN conversation_party AS own ON own.conversation_id = conversation.id
                CROSS JOIN conversation_party AS other
                    ON other.conversation_id = conversation.id AND other.is_owner <> own.is_owner
                WHERE conversation.uuid = ? AND +own.account_id = ? AND (+own.last_id > 0 OR own.cleared_id > 0)
                """,
            arguments: [id.lowercased, account.key]
        )
        guard let key else { throw missing }
        return key
    }

    static let missing = ServiceError(.notFound, "no such conversation")
}

/// Somebody whose messages do not arrive.
package struct Block: Sendable {
    package let id: UUID
    /// The name of the listing that they wrote about, or that one wrote to them about, when they were blocked.
    package let about: String?
    package let createdAt: Timestamp
}

extension Conversation {
    fileprivate static func fetch(
        _ db: Database,
        _ condition: String,
        _ arguments: StatementArguments
    ) throws -> [Conversation] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT message.*, own.is_owner, own.unread, other.name AS correspondent, conversation.id AS key,
                    conversation.uuid AS conversation_uuid, conversation.created_at AS began_at,
                    listing.uuid AS listing_uuid, listing.name, species, status, hidden,
                    CASE WHEN NOT own.is_owner AND secret_mark IS NOT NULL THEN NOT EXISTS (
                        SELECT 1 FROM message AS marked
                        WHERE marked.conversation_id = conversation.id AND marked.mark IS NOT NULL) ELSE 0 END
                    AS asks_for_mark,
                    EXISTS (
                        SELECT 1 FROM block WHERE blocker_id = own.account_id AND blocked_id = other.account_id) AS blocked
                FROM conversation_party AS own
                JOIN conversation ON conversation.id = own.conversation_id
                JOIN conversation_party AS other
                    ON other.conversation_id = own.conversation_id AND other.is_owner = 1 - own.is_owner
                JOIN listing ON listing.id = conversation.listing_id
                JOIN message ON message.id = own.last_id
                WHERE \(condition)
                """
        )
        return try Row.fetchAll(statement, arguments: arguments).map { row in
            let key: Int64 = row["key"]
            guard let id = UUID(uuidString: row["conversation_uuid"]),
                let listing = UUID(uuidString: row["listing_uuid"]), let species = Species(rawValue: row["species"]),
                let status = Listing.Status(rawValue: row["status"])
            else { throw DatabaseError(message: "conversation \(key): not readable") }
            let isOwner: Bool = row["is_owner"]
            let isHidden: Bool = row["hidden"]
            return Conversation(
                key: key,
                id: id,
                subject: Subject(
                    id: listing,
                    name: isHidden && !isOwner ? nil : row["name"],
                    species: species,
                    status: status,
                    isHidden: isHidden,
                    asksForMark: row["asks_for_mark"]
                ),
                role: isOwner ? .owner : .writer,
                correspondent: row["correspondent"],
                unread: row["unread"],
                isBlocked: row["blocked"],
                createdAt: Timestamp(stored: row["began_at"]),
                last: try Message(row)
            )
        }
    }
}

extension Message {
    /// - Parameter row: of the message, with `is_owner` for whoever looks.
    init(_ row: Row) throws {
        let key: Int64 = row["id"]
        guard let id = UUID(uuidString: row["uuid"]) else { throw DatabaseError(message: "message \(key): uuid") }
        let isOwner: Bool = row["is_owner"]
        self.init(
            key: key,
            id: id,
            isMine: isOwner == row["is_owners"],
            content: MessageContent(
                text: row["text"],
                contactName: row["contact_name"],
                contactPhone: row["contact_phone"],
                contactEmail: row["contact_email"],
                mark: row["mark"]
            ),
            markMatches: isOwner ? row["mark_matches"] : nil,
            createdAt: Timestamp(stored: row["created_at"])
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
