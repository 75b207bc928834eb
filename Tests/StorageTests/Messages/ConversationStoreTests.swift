import Domain
import Foundation
import SQL
import Storage
import TestSupport
import Testing

@Suite("Conversations")
struct ConversationStoreTests {
    /// A listing with its owner, and another person who writes about it.
    private struct Scene {
        let board: TestDatabase
        let store: ConversationStore
        let owner: Account
        let writer: Account
        let listing: Listing

        init(mark: String? = nil, reference: String? = nil) async throws {
            board = try await TestDatabase()
            store = ConversationStore(board.database)
            owner = try await board.guest()
            writer = try await board.guest()
            let draft = try ListingStore.Draft.at(14.79, 40.77) {
                $0.name = "Argo"
                $0[.secretMark] = mark
                $0[.reference] = reference
            }
            listing = try await board.listings.create(draft, owner: owner)
        }

        @discardableResult
        func write(
            _ text: String,
            mark: String? = nil,
            contactName: String? = nil,
            id: UUID = UUID(),
            by sender: Account? = nil
        ) async throws -> SentMessage {
            let content = MessageContent(text: text, contactName: contactName, mark: mark)
            return try await store.write(content, id: id, to: .owner(ofListing: listing.id), by: sender ?? writer)
        }

        @discardableResult
        func answer(_ text: String, in conversation: UUID, by sender: Account) async throws -> SentMessage {
            let content = MessageContent(text: text)
            return try await store.write(content, id: UUID(), to: .conversation(conversation), by: sender)
        }

        func inbox(_ account: Account) throws -> [Conversation] {
            try store.findConversations(of: account, includingBlocked: true, limit: 100).conversations
        }

        /// The texts of an account's conversations; the newest text is last.
        func texts(_ account: Account) throws -> [[String]] {
            try inbox(account).map { conversation in
                try store.findMessages(in: conversation, of: account, limit: 100).messages.map(\.content.text)
                    .reversed()
            }
        }

        func count(_ table: String) async throws -> Int? {
            try await board.database.read { db in try db.value("SELECT count(*) FROM \(table)") as Int? }
        }
    }

    @Test("Both parties see the messages and their unread count, and nobody else does, including admins")
    func twoSides() async throws {
        let scene = try await Scene()
        let sent = try await scene.write("I saw him")
        try await scene.answer("Where?", in: sent.conversation, by: scene.owner)
        try await scene.write("By the station")
        #expect(try scene.texts(scene.owner) == [["I saw him", "Where?", "By the station"]])
        #expect(try scene.texts(scene.writer) == scene.texts(scene.owner))
        let (owners, writers) = (try scene.inbox(scene.owner)[0], try scene.inbox(scene.writer)[0])
        #expect(owners.role == .owner && writers.role == .writer && owners.id == writers.id)
        #expect(owners.unread == 2 && writers.unread == 1 && !owners.last.isMine && writers.last.isMine)
        #expect(try scene.store.countUnread(of: scene.owner) == 1)
        try await scene.store.markRead(id: owners.id, of: scene.owner, upTo: sent.message.id)
        #expect(try scene.inbox(scene.owner)[0].unread == 1)
        try await scene.store.markRead(id: owners.id, of: scene.owner)
        #expect(try scene.store.countUnread(of: scene.owner) == 0 && scene.inbox(scene.writer)[0].unread == 1)
        let admin = try await scene.board.user("admin@example.org")
        try await scene.board.accounts.setRole(admin, .admin)
        let someAdmin = try #require(try await scene.board.accounts.findAccount(email: "admin@example.org"))
        for other in [try await scene.board.guest(), someAdmin] {
            #expect(try scene.inbox(other).isEmpty)
            #expect(throws: ServiceError.self) { try scene.store.getConversation(id: owners.id, of: other) }
            #expect(try scene.store.findMessages(in: owners, of: other, limit: 9).messages.isEmpty)
            await #expect(throws: ServiceError.self) { try await scene.answer("x", in: owners.id, by: other) }
            await #expect(throws: ServiceError.self) { try await scene.store.remove(id: owners.id, of: other) }
            await #expect(throws: ServiceError.self) { try await scene.store.block(id: owners.id, by: other) }
        }
    }

    @Test("Pages of an inbox and of a conversation show everything once while new messages arrive")
    func pages() async throws {
        let scene = try await Scene()
        var writers: [Account] = []
        for number in 0..<7 {
            let writer = try await scene.board.guest()
            try await scene.write("from \(number)", by: writer)
            writers.append(writer)
        }
        var (seen, last): ([String], Int64?) = ([], nil)
        repeat {
            let page = try scene.store.findConversations(of: scene.owner, before: last, limit: 3)
            seen += page.conversations.map(\.last.content.text)
            last = page.next
            try await scene.write("later", by: try await scene.board.guest())
        } while last != nil
        #expect(seen == (0..<7).reversed().map { "from \($0)" })
        for number in 0..<5 { try await scene.write("more \(number)", by: writers[0]) }
        let conversation = try scene.inbox(writers[0])[0]
        let first = try scene.store.findMessages(in: conversation, of: writers[0], limit: 4)
        let rest = try scene.store.findMessages(in: conversation, of: writers[0], before: first.next, limit: 4)
        #expect(first.messages.map(\.content.text) == ["more 4", "more 3", "more 2", "more 1"])
        #expect(rest.messages.map(\.content.text) == ["more 0", "from 0"] && rest.next == nil)
        let about = try scene.store.findConversations(of: scene.owner, about: scene.listing.key, limit: 100)
        #expect(try about.conversations == scene.inbox(scene.owner))
        #expect(try scene.store.findConversations(of: scene.owner, about: 1, limit: 9).conversations.isEmpty)
    }

    @Test("A search finds conversations by their listing, their messages, a name and one's own numbers, page by page")
    func search() async throws {
        let scene = try await Scene(reference: "BOX-17")
        let second = try await scene.board.guest()
        try await scene.write("Visto vicino alla stazione", by: scene.writer)
        try await scene.write("È nel parco", contactName: "Giulia", by: second)
        func find(_ query: ListingQuery, _ text: String, by account: Account) throws -> [String] {
            let search = ListSearch(query, text: text)
            return try scene.store.findConversations(of: account, matching: search, limit: 9).conversations
                .map(\.last.content.text)
        }
        var nothing = ListingQuery()
        nothing.text = "nulla"
        for (text, wanted) in [
            ("stazione vicino", ["Visto vicino alla stazione"]), ("giulia", ["È nel parco"]), ("stazione parco", []),
            ("box 17", ["È nel parco", "Visto vicino alla stazione"]),
        ] { #expect(try find(nothing, text, by: scene.owner) == wanted, "\(text)") }
        // The number of a listing is its owner's.
        #expect(try find(nothing, "box 17", by: second) == [])
        var argo = ListingQuery()
        argo.text = "argo"
        #expect(try find(argo, "argo", by: scene.owner) == ["È nel parco", "Visto vicino alla stazione"])
        #expect(try find(argo, "argo", by: second) == ["È nel parco"])
        let search = ListSearch(argo, text: "argo")
        let page = try scene.store.findConversations(of: scene.owner, matching: search, limit: 1)
        #expect(page.conversations.map(\.last.content.text) == ["È nel parco"])
        let rest = try scene.store.findConversations(of: scene.owner, matching: search, before: page.next, limit: 1)
        #expect(rest.conversations.map(\.last.content.text) == ["Visto vicino alla stazione"] && rest.next == nil)
        // Deleted messages are not found.
        try await scene.store.remove(id: try scene.inbox(second)[0].id, of: second)
        try await scene.answer("Grazie", in: try scene.inbox(scene.owner)[0].id, by: scene.owner)
        #expect(try find(nothing, "parco", by: second) == [])
        #expect(try find(nothing, "grazie", by: second) == ["Grazie"])
        // A hidden listing is found by its owner only.
        try await scene.board.hide(scene.listing)
        #expect(try find(argo, "argo", by: second) == [])
        #expect(try find(argo, "argo", by: scene.owner).count == 2)
    }

    @Test("Concurrent messages create one conversation, and repeated ones are stored once")
    func atOnce() async throws {
        let scene = try await Scene()
        let id = UUID()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask { _ = try await scene.write("twin", id: id) }
                group.addTask { _ = try await scene.write("single \(number)") }
            }
            try await group.waitForAll()
        }
        #expect(try scene.inbox(scene.owner).map(\.unread) == [9])
        #expect(try scene.texts(scene.writer)[0].count { $0 == "twin" } == 1)
        await #expect(throws: ServiceError.self) { try await scene.write("another text", id: id) }
        let stranger = try await scene.board.guest()
        await #expect(throws: ServiceError.self) { try await scene.write("twin", id: id, by: stranger) }
    }

    @Test("A notice is due once until the message is read, and never for a blocked sender")
    func notices() async throws {
        let scene = try await Scene()
        let first = try await scene.write("one")
        let notice = Notice(.message, first.conversation, to: scene.owner.id, AnimalName(scene.listing.content))
        #expect(first.notice == notice)
        #expect(try await scene.write("two").notice == nil)
        try await scene.store.markRead(id: first.conversation, of: scene.owner)
        #expect(try await scene.write("three").notice == notice)
        try await scene.store.markRead(id: first.conversation, of: scene.owner)
        try await scene.store.block(id: first.conversation, by: scene.owner)
        #expect(try await scene.write("four").notice == nil)
    }

    @Test("Messages of a blocked sender are accepted but not delivered, for other listings too")
    func blocks() async throws {
        let scene = try await Scene()
        let sent = try await scene.write("one")
        try await scene.store.block(id: sent.conversation, by: scene.owner)
        try await scene.store.block(id: sent.conversation, by: scene.owner)
        let before = try scene.inbox(scene.owner)
        #expect(try before[0].isBlocked && !scene.inbox(scene.writer)[0].isBlocked)
        #expect(try before[0].unread == 0 && scene.store.countUnread(of: scene.owner) == 0)
        var query = ListingQuery()
        query.text = "one"
        for search in [nil, ListSearch(query, text: "one")] {
            let left = try scene.store.findConversations(of: scene.owner, matching: search, limit: 9)
            #expect(left.conversations.isEmpty)
        }
        try await scene.write("two")
        let other = try await scene.board.listings.create(try .at(1, 2), owner: scene.owner)
        let content = MessageContent(text: "three", contactName: "Not heard")
        let away = try await scene.store.write(content, id: UUID(), to: .owner(ofListing: other.id), by: scene.writer)
        #expect(try scene.inbox(scene.owner) == before)
        #expect(try scene.texts(scene.writer) == [["three"], ["one", "two"]])
        #expect(throws: ServiceError.self) { try scene.store.getConversation(id: away.conversation, of: scene.owner) }
        await #expect(throws: ServiceError.self) { try await scene.answer("x", in: sent.conversation, by: scene.owner) }
        try await scene.store.unblock(id: sent.conversation, by: scene.owner)
        #expect(try scene.store.findConversations(of: scene.owner, limit: 9).conversations.map(\.unread) == [0])
        try await scene.write("four")
        #expect(try scene.texts(scene.owner) == [["one", "four"]])
        #expect(try scene.inbox(scene.owner)[0].correspondent == nil)
    }

    @Test("A conversation deleted by one party returns with new messages; deleted by both, it is gone")
    func removal() async throws {
        let scene = try await Scene()
        let sent = try await scene.write("one")
        try await scene.store.remove(id: sent.conversation, of: scene.owner)
        #expect(try scene.inbox(scene.owner).isEmpty && scene.store.countUnread(of: scene.owner) == 0)
        #expect(try scene.texts(scene.writer) == [["one"]])
        await #expect(throws: ServiceError.self) { try await scene.answer("x", in: sent.conversation, by: scene.owner) }
        try await scene.write("two")
        #expect(try scene.texts(scene.owner) == [["two"]] && scene.inbox(scene.owner)[0].unread == 1)
        try await scene.store.remove(id: sent.conversation, of: scene.owner)
        try await scene.store.remove(id: sent.conversation, of: scene.writer)
        for table in ["conversation", "conversation_party", "message"] { #expect(try await scene.count(table) == 0) }
    }

    @Test("Conversations are deleted with the listing and with either account")
    func deletion() async throws {
        for deleted in 0..<3 {
            let scene = try await Scene()
            let sent = try await scene.write("one")
            try await scene.answer("two", in: sent.conversation, by: scene.owner)
            try await scene.store.block(id: sent.conversation, by: scene.writer)
            switch deleted {
            case 0: try await scene.board.listings.remove(scene.listing, version: nil)
            case 1: try await scene.board.accounts.remove(scene.owner)
            default: try await scene.board.accounts.remove(scene.writer)
            }
            for table in ["conversation", "conversation_party", "message"] {
                #expect(try await scene.count(table) == 0, "\(deleted) \(table)")
            }
            // Only the block is left; it can be listed and removed.
            let blocks = try scene.store.findBlocks(of: scene.writer)
            #expect(blocks.count == (deleted == 0 ? 1 : 0))
            for block in blocks { try await scene.store.unblock(id: block.id, by: scene.writer) }
            #expect(try await scene.count("block") == 0)
            #expect(try await scene.board.database.check().isSound)
        }
    }

    @Test("A guest who signs in keeps conversations and blocks, except conversations with the same account")
    func signIn() async throws {
        let scene = try await Scene()
        let digest = { Data((0..<32).map { _ in UInt8.random(in: 0...255) }) }
        let anna = try await scene.board.user("anna@example.org")
        let annas = try await scene.board.listings.create(try .at(1, 2), owner: anna)
        try await scene.write("to the owner")
        let own = MessageContent(text: "to Anna, who is the same")
        _ = try await scene.store.write(own, id: UUID(), to: .owner(ofListing: annas.id), by: scene.writer)
        try await scene.write("from Anna", by: anna)
        let conversation = try scene.store.findConversations(of: scene.owner, limit: 9).conversations[1].id
        try await scene.store.block(id: conversation, by: scene.owner)
        let writer = try await scene.board.accounts.signIn(anna, tokenHash: digest(), bringing: scene.writer)
        #expect(try scene.texts(writer) == [["from Anna"], ["to the owner"]])
        try await scene.answer("does not arrive", in: conversation, by: writer)
        #expect(try scene.texts(scene.owner) == [["from Anna"], ["to the owner"]])
        // In the opposite case, the listing moves to another account.
        let bruno = try await scene.board.user("bruno@example.org")
        let owner = try await scene.board.accounts.signIn(bruno, tokenHash: digest(), bringing: scene.owner)
        #expect(try scene.texts(owner) == [["from Anna"], ["to the owner"]] && scene.inbox(owner)[0].role == .owner)
        _ = try await scene.board.accounts.signIn(writer, tokenHash: digest(), bringing: owner)
        #expect(try scene.inbox(writer).count == 2)
        #expect(try await scene.board.database.check().isSound)
    }

    @Test("Closed, hidden and own listings accept no new messages, and their conversations stay readable")
    func closed() async throws {
        let scene = try await Scene()
        let sent = try await scene.write("one")
        func refusal(_ body: () async throws -> Void) async -> ServiceError.Code? {
            do {
                try await body()
                return nil
            } catch {
                return (error as? ServiceError)?.code
            }
        }
        #expect(await refusal { try await scene.write("x", by: scene.owner) } == .forbidden)
        var content = scene.listing.content
        content.status = .reunited
        let closed = try await scene.board.listings.update(
            scene.listing,
            content: content,
            location: scene.listing.location,
            version: nil
        )
        #expect(await refusal { try await scene.write("two") } == .conflict)
        try await scene.answer("thank you", in: sent.conversation, by: scene.owner)
        #expect(try scene.texts(scene.writer) == [["one", "thank you"]])
        try await ModerationStore(scene.board.database).hide(
            closed.id,
            ModerationStore.Justification(.scam, by: .commandLine)
        )
        #expect(await refusal { try await scene.write("two") } == .notFound)
        #expect(await refusal { try await scene.answer("x", in: sent.conversation, by: scene.writer) } == .conflict)
        #expect(try scene.texts(scene.writer) == scene.texts(scene.owner))
        #expect(try scene.inbox(scene.writer)[0].subject.name == nil)
        #expect(try scene.inbox(scene.owner)[0].subject.name == "Argo")
    }

    @Test("The writer states the secret mark once, and only the owner sees whether it matches")
    func marks() async throws {
        let scene = try await Scene(mark: "Cicatrice, orecchio sinistro!")
        await #expect(
            throws: ServiceError.invalid("mark", "expected what you know of the mark that the owner keeps secret")
        ) {
            try await scene.write("I have him")
        }
        try await scene.write("I have him", mark: "boh")
        try await scene.write("Let me think", mark: "cicatrice orecchio SINISTRO")
        let sent = try await scene.write("And now?")
        #expect(try scene.inbox(scene.owner).count == 1)
        let (owners, writers) = (try scene.inbox(scene.owner)[0], try scene.inbox(scene.writer)[0])
        let seen = try scene.store.findMessages(in: owners, of: scene.owner, limit: 9).messages
        #expect(seen.map(\.markMatches) == [nil, true, false])
        let own = try scene.store.findMessages(in: writers, of: scene.writer, limit: 9).messages
        #expect(own.map(\.markMatches) == [nil, nil, nil])
        #expect(own.map(\.content.mark) == [nil, "cicatrice orecchio SINISTRO", "boh"])
        #expect(sent.message.markMatches == nil && !writers.subject.asksForMark)
        #expect("🐕".isSameMark(as: " 🐕 ") && !"🐕".isSameMark(as: "🐈") && !"".isSameMark(as: "x"))
    }

    @Test("The check finds wrong summaries of conversations")
    func check() async throws {
        let scene = try await Scene()
        try await scene.write("one")
        #expect(try await scene.board.database.check().isSound)
        try await scene.board.database.write { db in
            try db.execute("UPDATE conversation_party SET last_id = 0 WHERE is_owner")
        }
        let problems = try await scene.board.database.check().findings.filter { !$0.problems.isEmpty }
        #expect(problems.map(\.what) == ["conversations"])
    }

    @Test(
        "A mark adds only asks_for_mark to the JSON of a listing"
    )
    func feature() async throws {
        let scene = try await Scene()
        _ = try await scene.board.listings.create(try .at(1, 2) { $0[.secretMark] = "scar" }, owner: scene.owner)
        let features = try await scene.board.database.read { db in
            try db.values("SELECT feature FROM listing_feature ORDER BY id") as [String]
        }
        #expect(features[0].contains(#""properties":{"code":"#))
        #expect(features[1].contains(#""properties":{"asks_for_mark":true,"code":"#))
        #expect(features.allSatisfy { !$0.contains("scar") })
        #expect(try await scene.board.database.check().isSound)
    }
}
