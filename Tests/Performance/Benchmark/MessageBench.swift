import Domain
import Foundation
import SQL
import Storage
import TestSupport

/// Measures inbox pages and messages, in microseconds.
struct MessageBench {
    /// - Parameter count: the number of messages in the database.
    func messages(_ count: Int) async throws {
        let board = try await TestDatabase()
        let store = ConversationStore(board.database)
        let (owner, writer) = (try await board.guest(), try await board.guest())
        let listing = try await board.listings.create(try .at(14.79, 40.77) { $0[.secretMark] = "scar" }, owner: owner)
        try await fill(board, count, listing, owner)
        let newest = try store.findConversations(of: owner, limit: 20)
        let middle = try await key(board, at: count - count / 40)
        let deep = try store.findConversations(of: owner, before: middle, limit: 20).conversations
        let long = try found(newest.conversations.first { $0.correspondent == "Long" })
        let short = try found(deep.first { $0.correspondent == "Short" })
        try measure("\(count): inbox, first page") { _ = try store.findConversations(of: owner, limit: 20) }
        try measure("\(count): inbox, page in the middle") {
            _ = try store.findConversations(of: owner, before: middle, limit: 20)
        }
        try measure("\(count): inbox of one listing, in the middle") {
            _ = try store.findConversations(of: owner, about: listing.key, before: middle, limit: 20)
        }
        try measure("\(count): unread") { _ = try store.countUnread(of: owner) }
        try measure("\(count): one conversation") { _ = try store.getConversation(id: short.id, of: owner) }
        try measure("\(count): 10 messages") { _ = try store.findMessages(in: short, of: owner, limit: 50) }
        try measure("\(count): 50 of \(count / 100) messages") {
            _ = try store.findMessages(in: long, of: owner, limit: 50)
        }
        let stranger = try await board.guest()
        try await measure("\(count): first message, on disk") {
            let content = MessageContent(text: "I saw him", mark: "x")
            _ = try await store.write(content, id: UUID(), to: .owner(ofListing: listing.id), by: writer)
            try await store.remove(id: store.findConversations(of: writer, limit: 1).conversations[0].id, of: writer)
        }
        try await measure("\(count): answer, on disk") {
            let content = MessageContent(text: "Where?")
            _ = try await store.write(content, id: UUID(), to: .conversation(short.id), by: owner)
        }
        try measure("\(count): preview") {
            let content = MessageContent(text: "I saw him", mark: "x")
            _ = try store.preview(content, id: UUID(), to: .owner(ofListing: listing.id), by: stranger)
        }
    }

    /// Inserts, in random order, conversations of ten messages, and fifty conversations that each have a hundredth of
    /// all messages. All have the same owner and different writers.
    private func fill(_ board: TestDatabase, _ count: Int, _ listing: Listing, _ owner: Account) async throws {
        let conversations = count / 20
        try await board.database.write { db in
            try db.run(
                script: """
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(conversations))
                    INSERT INTO account (uuid, role) SELECT printf('a0000000-0000-4000-8000-%012d', i), 'guest' FROM n;
                    INSERT INTO conversation (uuid, listing_id, writer_id)
                    SELECT replace(uuid, 'a0000000', 'c0000000'), \(listing.key), id FROM account WHERE uuid LIKE 'a0000000%';
                    WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(count - 1))
                    INSERT INTO message (uuid, conversation_id, is_owners, text, contact_name, is_delivered)
                    SELECT substr(uuid, 1, 24) || substr(hex(randomblob(6)), 1, 12), id, 0,
                        'I saw him near the station, number ' || i, CASE WHEN i % 2 THEN 'Long' ELSE 'Short' END, 1
                    FROM n JOIN conversation ON conversation.uuid = printf('c0000000-0000-4000-8000-%012d',
                        CASE WHEN i % 2 THEN 1 + i % 100 / 2 ELSE 51 + i / 2 * 7919 % (\(conversations) - 50) END)
                    """
            )
        }
    }

    private func found(_ conversation: Conversation?) throws -> Conversation {
        guard let conversation else { throw ServiceError(.notFound, "a conversation is missing") }
        return conversation
    }

    private func key(_ board: TestDatabase, at place: Int) async throws -> Int64 {
        try await board.database.read { db in
            try db.value("SELECT max(id) FROM message WHERE id <= ?", [place]) as Int64? ?? 0
        }
    }

    private static let times = 200

    private func measure(_ name: String, _ body: () throws -> Void) throws {
        try report(name, (0..<Self.times).map { _ in try ContinuousClock().measure(body) })
    }

    private func measure(_ name: String, _ body: () async throws -> Void) async throws {
        var times: [Duration] = []
        for _ in 0..<Self.times { times.append(try await ContinuousClock().measure(body)) }
        report(name, times)
    }

    private func report(_ name: String, _ times: [Duration]) {
        let sorted = times.sorted().map { Int(($0 / .microseconds(1)).rounded()) }
        print("\(name): median \(sorted[sorted.count / 2]) us, 19 of 20 within \(sorted[sorted.count * 19 / 20]) us")
    }
}
