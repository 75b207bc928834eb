package import Domain
package import Foundation
import SQL

/// Conversations about listings. Accounts, including admins, see only conversations in which they take part.
package struct ConversationStore: Sendable {
    let database: any Database

    /// The maximum number that `countUnread` returns.
    package static let maxCounted = 100

    package init(_ database: any Database) { self.database = database }

    /// Returns conversations, newest first.
    ///
    /// - Parameters:
    ///   - listing: the `Listing.key` of the listing that the conversations are about; nil for any listing.
    ///   - includingBlocked: whether conversations with an account that this one has blocked are returned, too.
    ///   - search: what the listing, a message or the name of the other party fulfils; nil for all conversations.
    ///   - last: the `Message.key` at which the previous page ended.
    package func findConversations(
        of account: Account,
        about listing: Int64? = nil,
        includingBlocked: Bool = false,
        matching search: ListSearch? = nil,
        before last: Int64? = nil,
        limit: Int
    ) throws -> (conversations: [Conversation], next: Int64?) {
        let unblocked = includingBlocked ? "" : Self.unblocked
        if let search { return try find(search, of: account, about: listing, unblocked, before: last, limit: limit) }
        let narrowed = listing == nil ? "" : "own.listing_id = ? AND "
        let values: [any SQLBindable] = listing.map { [$0] } ?? []
        let found = try database.readNow { db in
            try Conversation.fetch(
                db,
                """
                \(narrowed)own.account_id = ? AND own.last_id > 0 AND own.last_id < ? \(unblocked)
                ORDER BY own.last_id DESC LIMIT ?
                """,
                values + [account.key, last ?? Int64.max, limit + 1]
            )
        }
        let page = Array(found.prefix(limit))
        return (page, found.count > limit ? page.last?.last.key : nil)
    }

    private static let unblocked = """
        AND NOT EXISTS (SELECT 1 FROM block WHERE blocker_id = own.account_id AND blocked_id = other.account_id)
        """

    /// Throws `notFound` if the account does not take part in the conversation or has deleted it.
    package func getConversation(id: UUID, of account: Account) throws -> Conversation {
        try database.readNow { db in try Self.get(id, account, db) }
    }

    /// Returns the conversation of an account, or of an organisation that it is a member of, with the account that has
    /// it. Throws `notFound` if there is none.
    package func getConversation(id: UUID, ofMember account: Account) throws -> (Conversation, Account) {
        do {
            return (try getConversation(id: id, of: account), account)
        } catch let error as ServiceError where error.code == .notFound {
            for key in account.memberships.keys {
                let organisation = try database.readNow { db in try AccountStore.getAccount(key: key, db) }
                if let found = try? getConversation(id: id, of: organisation) { return (found, organisation) }
            }
            throw error
        }
    }

    /// Returns the messages that the account may see, newest first.
    ///
    /// - Parameter last: the `Message.key` at which the previous page ended.
    package func findMessages(
        in conversation: Conversation,
        of account: Account,
        before last: Int64? = nil,
        limit: Int
    ) throws -> (messages: [Message], next: Int64?) {
        let found = try database.readNow { db in
            try db.rows(
                """
                SELECT message.*, own.is_owner, \(Message.country), \(StoredPhoto.columns)
                FROM conversation_party AS own CROSS JOIN message LEFT JOIN photo ON photo.message_id = message.id
                WHERE message.conversation_id = own.conversation_id
                    AND own.conversation_id = ? AND own.is_owner = ? AND own.account_id = ?
                    AND message.id > own.cleared_id AND message.id < ?
                    AND (message.is_owners = own.is_owner OR message.is_delivered)
                ORDER BY message.id DESC LIMIT ?
                """,
                [conversation.key, conversation.role == .owner, account.key, last ?? Int64.max, limit + 1],
                Message.init
            )
        }
        let page = Array(found.prefix(limit))
        return (page, found.count > limit ? page.last?.key : nil)
    }

    /// Returns whether the reader is one of the two parties and sees the message, and so its photo. Admins also see one
    /// that is reported, until they have decided.
    ///
    /// - Parameter message: the `Message.id`.
    package func isVisible(_ message: UUID, to reader: Account) throws -> Bool {
        try database.readNow { db in
            try db.exists(
                """
                SELECT 1
                FROM message CROSS JOIN conversation_party AS own
                WHERE own.conversation_id = message.conversation_id AND own.account_id = ?1
                    AND message.uuid = ?2 AND own.last_id > 0 AND message.id > own.cleared_id
                    AND (message.is_owners = own.is_owner OR message.is_delivered)
                UNION ALL
                SELECT 1 FROM report_case WHERE ?3 AND subject_uuid = ?2 AND subject = 'message' AND status = 'open'
                """, [reader.key, message.lowercased, reader.role == .admin])
        }
    }

    /// Returns the number of conversations with unread messages, up to `maxCounted`.
    package func countUnread(of account: Account) throws -> Int {
        try database.readNow { db in
            try db.count(
                "(SELECT 1 FROM conversation_party WHERE account_id = ? AND unread > 0 LIMIT ?) AS found",
                [account.key, Self.maxCounted])
        }
    }

    /// - Parameter last: the last message that was read; nil for the last message of the conversation.
    package func markRead(id: UUID, of account: Account, upTo last: UUID? = nil) async throws {
        try await database.write { db in
            let conversation = try Self.get(id, account, db)
            let key = try last.map { try Self.key(of: $0, in: conversation, db) } ?? conversation.last.key
            try db.execute(
                """
                UPDATE conversation_party SET unread = min(unread, (
                    SELECT count(*) FROM message
                    WHERE message.conversation_id = conversation_party.conversation_id
                        AND message.id > max(?, cleared_id) AND is_owners <> is_owner AND is_delivered))
                WHERE conversation_id = ? AND is_owner = ?
                """,
                [key, conversation.key, conversation.role == .owner]
            )
        }
    }

    /// Deletes the conversation for this account only; a later message restores it without the earlier messages. When
    /// both parties have deleted it, it is removed from the database.
    package func remove(id: UUID, of account: Account) async throws {
        try await database.write { db in
            let conversation = try Self.get(id, account, db)
            try db.execute(
                """
                UPDATE conversation_party SET cleared_id = last_id, last_id = 0, unread = 0
                WHERE conversation_id = ? AND is_owner = ?
                """,
                [conversation.key, conversation.role == .owner]
            )
            try Self.removeIfDeleted(conversation.key, db)
        }
    }

    /// Removes the conversation from the database if neither party sees it.
    static func removeIfDeleted(_ conversation: Int64, _ db: SQLConnection) throws {
        try db.execute(
            """
            DELETE FROM conversation WHERE id = ? AND NOT EXISTS (
                SELECT 1 FROM conversation_party WHERE conversation_id = ? AND last_id > 0)
            """,
            [conversation, conversation]
        )
    }

    /// Blocks the other party of the conversation: their messages about any listing no longer reach this account, and its
    /// lists leave out their conversations. They are not notified.
    package func block(id: UUID, by account: Account) async throws {
        try await database.write { db in
            let other = try Self.correspondent(id, account, db)
            let listing: Int64? = try db.value("SELECT listing_id FROM conversation WHERE uuid = ?", [id])
            try Self.block(other, by: account, about: listing, db)
        }
    }

    /// - Parameter listing: the `Listing.key` of the listing by which the block is called.
    static func block(_ other: Int64, by account: Account, about listing: Int64?, _ db: SQLConnection) throws {
        try db.execute(
            """
            INSERT INTO block (blocker_id, blocked_id, uuid, about) SELECT ?, ?, ?, name FROM listing WHERE id = ?
            ON CONFLICT (blocker_id, blocked_id) DO NOTHING
            """,
            [account.key, other, UUID().lowercased, listing]
        )
        try db.execute(
            """
            UPDATE conversation_party SET unread = 0
            WHERE account_id = ? AND unread > 0 AND conversation_id IN (
                SELECT conversation_id FROM conversation_party WHERE account_id = ?)
            """,
            [account.key, other]
        )
    }

    /// Returns the blocks of an account, newest first.
    package func findBlocks(of account: Account) throws -> [Block] {
        try database.readNow { db in
            let sql = "SELECT uuid, about, created_at FROM block WHERE blocker_id = ? ORDER BY created_at DESC, uuid"
            return try db.rows(sql, [account.key]) { row in
                try Block(id: row["uuid"], about: row["about"], createdAt: row["created_at"])
            }
        }
    }

    /// Ends a block, given by the id of the block or of a conversation with the blocked account. Messages that were
    /// sent during the block remain undelivered.
    package func unblock(id: UUID, by account: Account) async throws {
        try await database.write { db in
            let count = try db.execute("DELETE FROM block WHERE blocker_id = ? AND uuid = ?", [account.key, id])
            guard count == 0 else { return }
            try db.execute(
                "DELETE FROM block WHERE blocker_id = ? AND blocked_id = ?",
                [account.key, try Self.correspondent(id, account, db)]
            )
        }
    }

    static func get(_ id: UUID, _ account: Account, _ db: SQLConnection) throws -> Conversation {
        // The unary `+` prevents SQLite from using the index by account, which would read all of its conversations.
        let found = try Conversation.fetch(
            db,
            "conversation.uuid = ? AND +own.account_id = ? AND +own.last_id > 0",
            [id.lowercased, account.key]
        )
        guard let conversation = found.first else { throw missing }
        return conversation
    }

    private static func key(of message: UUID, in conversation: Conversation, _ db: SQLConnection) throws -> Int64 {
        let key: Int64? = try db.value(
            "SELECT id FROM message WHERE uuid = ? AND conversation_id = ? AND id <= ?",
            [message, conversation.key, conversation.last.key])
        guard let key else {
            throw ServiceError(.notFound, "message: there is none with this id in the conversation", field: "message")
        }
        return key
    }

    /// Also finds conversations that the account has deleted, so that the other party can be unblocked.
    private static func correspondent(_ id: UUID, _ account: Account, _ db: SQLConnection) throws -> Int64 {
        let key: Int64? = try db.value(
            """
            SELECT other.account_id FROM conversation
            CROSS JOIN conversation_party AS own CROSS JOIN conversation_party AS other
            WHERE own.conversation_id = conversation.id AND other.conversation_id = conversation.id
                AND other.is_owner <> own.is_owner
                AND conversation.uuid = ? AND +own.account_id = ? AND (+own.last_id > 0 OR own.cleared_id > 0)
            """, [id, account.key])
        guard let key else { throw missing }
        return key
    }

    static let missing = ServiceError(.notFound, "no such conversation")
}

/// A block of another account's messages.
package struct Block: Sendable {
    package let id: UUID
    /// The name of the listing that the conversation was about when the block began.
    package let about: String?
    package let createdAt: Timestamp
}

extension Conversation {
    static func fetch(
        _ db: SQLConnection,
        _ condition: String,
        _ values: [any SQLBindable]
    ) throws -> [Conversation] {
        try db.rows(
            """
            SELECT message.*, own.is_owner, own.unread, other.name AS correspondent, conversation.id AS key,
                conversation.uuid AS conversation_uuid, conversation.created_at AS began_at,
                listing.uuid AS listing_uuid, listing.name, species, status, hidden,
                CASE WHEN NOT own.is_owner AND secret_mark IS NOT NULL THEN \(ConversationStore.asksForMark)
                    ELSE FALSE END
                AS asks_for_mark,
                EXISTS (
                    SELECT 1 FROM block WHERE blocker_id = own.account_id AND blocked_id = other.account_id) AS blocked,
                \(Message.country), \(StoredPhoto.columns)
            FROM conversation_party AS own
            JOIN conversation ON conversation.id = own.conversation_id
            JOIN conversation_party AS other
                ON other.conversation_id = own.conversation_id AND other.is_owner = (NOT own.is_owner)
            JOIN listing ON listing.id = conversation.listing_id
            JOIN message ON message.id = own.last_id
            LEFT JOIN photo ON photo.message_id = message.id
            WHERE \(condition)
            """,
            values
        ) { row in
            let isOwner: Bool = try row["is_owner"]
            let isHidden: Bool = try row["hidden"]
            return try Conversation(
                key: row["key"],
                id: row["conversation_uuid"],
                subject: Subject(
                    id: row["listing_uuid"],
                    name: isHidden && !isOwner ? nil : row["name"],
                    species: row["species"],
                    status: row["status"],
                    isHidden: isHidden,
                    asksForMark: row["asks_for_mark"]
                ),
                role: isOwner ? .owner : .writer,
                correspondent: row["correspondent"],
                unread: row["unread"],
                isBlocked: row["blocked"],
                createdAt: row["began_at"],
                last: Message(row)
            )
        }
    }
}

extension Message {
    /// The column `country_code` in statements about `message`.
    static let country = """
        (SELECT country_code FROM conversation JOIN listing ON listing.id = listing_id
            WHERE conversation.id = message.conversation_id) AS country_code
        """

    /// - Parameter row: a row of `message` with `country`, the columns of its photo, and the column `is_owner`, which tells
    ///   whether the reader owns the listing.
    init(_ row: StatementRow) throws {
        let isOwner: Bool = try row["is_owner"]
        try self.init(
            key: row["id"],
            id: row["uuid"],
            isMine: isOwner == row["is_owners"],
            content: MessageContent(
                text: row["text"],
                contactName: row["contact_name"],
                contactPhone: row["contact_phone"],
                contactEmail: row["contact_email"],
                mark: row["mark"],
                point: row.coordinate
            ),
            markMatches: isOwner ? row["mark_matches"] : nil,
            country: row["country_code"],
            place: row["place"],
            photo: StoredPhoto(joined: row),
            createdAt: row["created_at"]
        )
    }
}

extension AccountStore {
    /// Returns whether an account has blocked another one. Both are named by their `Account.key`.
    static func blocks(_ blocker: Int64, _ blocked: Int64, _ db: SQLConnection) throws -> Bool {
        try db.exists("SELECT 1 FROM block WHERE blocker_id = ? AND blocked_id = ?", [blocker, blocked])
    }

    /// Transfers the conversations and blocks of a guest to an account. Triggers delete conversations and blocks
    /// between the two, because an account cannot write to itself.
    static func bringConversations(of guest: Int64, to account: Int64, _ db: SQLConnection) throws {
        try db.execute("UPDATE conversation SET writer_id = ? WHERE writer_id = ?", [account, guest])
        for (own, other) in [("blocker_id", "blocked_id"), ("blocked_id", "blocker_id")] {
            try db.execute(
                """
                UPDATE block SET \(own) = ?1
                WHERE \(own) = ?2 AND \(other) <> ?1 AND \(other) NOT IN (SELECT \(other) FROM block WHERE \(own) = ?1)
                """,
                [account, guest]
            )
        }
    }
}
