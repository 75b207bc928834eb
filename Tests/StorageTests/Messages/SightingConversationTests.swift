import Domain
import Foundation
import SQL
import Storage
import TestSupport
import Testing

@Suite("Conversations about sightings")
struct SightingConversationTests {
    private let board: TestDatabase
    private let store: ConversationStore
    private let owner: Account
    private let author: Account
    private let listing: Listing

    init() async throws {
        board = try await TestDatabase()
        store = ConversationStore(board.database)
        (owner, author) = (try await board.guest(), try await board.guest())
        let draft = try ListingStore.Draft.at(14.79, 40.77) {
            $0.name = "Argo"
            $0[.secretMark] = "Scar"
        }
        listing = try await board.listings.create(draft, owner: owner)
    }

    private func sight(by author: Account? = nil) async throws -> UUID {
        let draft = SightingDraft(
            point: try #require(Coordinate(lon: 14.8, lat: 40.78)),
            isApproximate: false,
            place: nil,
            seenAt: .now,
            text: "By the river",
            contactPhone: nil
        )
        return try await board.sightings.add(draft, id: UUID(), of: listing, by: author ?? self.author).sighting.id
    }

    @discardableResult
    private func write(
        _ sighting: UUID,
        _ text: String = "Where did it go?",
        by sender: Account? = nil,
        id: UUID = UUID()
    ) async throws -> SentMessage {
        let address = MessageAddress.author(ofSighting: sighting, ofListing: listing.id)
        return try await store.write(MessageContent(text: text), id: id, to: address, by: sender ?? owner)
    }

    private func inbox(_ account: Account) throws -> [Conversation] {
        try store.findConversations(of: account, limit: 100).conversations
    }

    @Test("The owner begins one conversation for each sighting, which the author answers without the secret mark")
    func conversation() async throws {
        let id = try await sight()
        #expect(try store.preview(MessageContent(text: "?"), id: UUID(), to: address(id), by: owner) == .begins)
        let first = try await write(id)
        #expect(first.notice?.recipient == author.id && first.conversation == id)
        #expect(try await write(id, "And when?").conversation == id)
        let received = try #require(try inbox(author).first)
        #expect(received.role == .writer && received.unread == 2 && received.correspondent == nil)
        #expect(!received.subject.asksForMark)
        _ = try await store.write(MessageContent(text: "North"), id: UUID(), to: .conversation(id), by: author)
        let own = try #require(try inbox(owner).first)
        #expect(own.role == .owner && own.unread == 1 && own.correspondent == nil)
        #expect(try inbox(owner).count == 1)
        #expect(try await board.database.check().findings.flatMap(\.problems) == [])
    }

    private func address(_ sighting: UUID) -> MessageAddress { .author(ofSighting: sighting, ofListing: listing.id) }

    @Test("The conversation is not one that the author has begun, which would tell who the author is")
    func identity() async throws {
        let content = MessageContent(text: "Hello", contactName: "Bruno", mark: "Scar")
        let begun = try await store.write(content, id: UUID(), to: .owner(ofListing: listing.id), by: author)
        let id = try await sight()
        let sent = try await write(id)
        #expect(sent.conversation != begun.conversation)
        #expect(try store.getConversation(id: sent.conversation, of: owner).correspondent == nil)
        let second = try await sight()
        #expect(try await write(second).conversation != sent.conversation)
    }

    @Test("A message sent twice is stored once, and the key belongs to it")
    func repetition() async throws {
        let (sighting, key) = (try await sight(), UUID())
        #expect(try await !write(sighting, id: key).isRepeated)
        #expect(try await write(sighting, id: key).isRepeated)
        let error = await #expect(throws: ServiceError.self) { try await write(sighting, "Other", id: key) }
        #expect(error?.code == .unprocessable)
        let other = try await sight()
        let second = await #expect(throws: ServiceError.self) { try await write(other, id: key) }
        #expect(second?.code == .unprocessable)
    }

    @Test("Two first messages at once begin one conversation")
    func race() async throws {
        let id = try await sight()
        try await withThrowingTaskGroup { group in
            for number in 0..<8 { group.addTask { _ = try await write(id, "\(number)") } }
            try await group.waitForAll()
        }
        #expect(try inbox(author).count == 1 && inbox(author)[0].unread == 8)
    }

    @Test("Only the owner writes and blocks, and not to themselves, about sightings that they see")
    func refusals() async throws {
        let (id, own) = (try await sight(), try await sight(by: owner))
        let stranger = try await board.guest()
        let elsewhere = try await board.listings.create(.at(14.79, 40.77), owner: owner)
        func refused(_ sighting: UUID, _ listing: Listing, _ account: Account) async throws -> [ServiceError.Code?] {
            let address = MessageAddress.author(ofSighting: sighting, ofListing: listing.id)
            let write = await #expect(throws: ServiceError.self) {
                _ = try await store.write(MessageContent(text: "x"), id: UUID(), to: address, by: account)
            }
            let block = await #expect(throws: ServiceError.self) {
                try await store.block(authorOfSighting: sighting, at: listing.id, by: account)
            }
            return [write?.code, block?.code]
        }
        #expect(try await refused(id, listing, stranger) == [.notFound, .notFound])
        #expect(try await refused(UUID(), listing, owner) == [.notFound, .notFound])
        #expect(try await refused(id, elsewhere, owner) == [.notFound, .notFound])
        #expect(try await refused(own, listing, owner) == [.forbidden, .forbidden])
        _ = try await board.sightings.setState(.confirmed, of: id, at: listing, by: owner)
        for account in [stranger, author] {
            #expect(try await refused(id, listing, account) == [.forbidden, .forbidden])
        }
        try await board.moderation.ban(author.id, until: nil, .init(.spam, by: .service))
        #expect(try await refused(id, listing, owner) == [.notFound, .notFound])
        #expect(try inbox(author).isEmpty)
    }

    @Test("A hidden listing takes no more messages, and a guest without a session gets none")
    func unreachable() async throws {
        let id = try await sight()
        try await board.hide(listing)
        let hidden = await #expect(throws: ServiceError.self) { try await write(id) }
        #expect(hidden?.code == .conflict)
        try await board.moderation.restore(listing.id, by: .service)
        try await board.database.write { db in
            try db.execute("DELETE FROM session WHERE account_id = ?", [author.key])
        }
        let gone = await #expect(throws: ServiceError.self) { try await write(id) }
        #expect(gone?.code == .conflict && gone?.field == "sighting")
        #expect(try inbox(author).isEmpty)
    }

    @Test("A blocked author's further sightings and answers are stored and not delivered")
    func blocks() async throws {
        let id = try await sight()
        try await write(id)
        #expect(try store.findSightingsOfBlocked(at: listing, by: owner).isEmpty)
        for _ in 0..<2 { try await store.block(authorOfSighting: id, at: listing.id, by: owner) }
        #expect(try store.findBlocks(of: owner).map(\.about) == ["Argo"])
        #expect(try store.findSightingsOfBlocked(at: listing, by: owner) == [id])
        #expect(try store.findSightingsOfBlocked(at: listing, by: author).isEmpty)
        let unseen = try await sight()
        #expect(try board.sightings.findSightings(of: listing, seenBy: owner).map(\.id) == [id])
        #expect(try board.sightings.findSightings(of: listing, seenBy: author).map(\.id).contains(unseen))
        let answer = try await store.write(MessageContent(text: "Hi"), id: UUID(), to: .conversation(id), by: author)
        #expect(answer.notice == nil)
        #expect(try store.getConversation(id: id, of: owner).unread == 0)
        let refused = await #expect(throws: ServiceError.self) { try await write(id) }
        #expect(refused?.code == .conflict && refused?.field == "conversation")
        // An undelivered sighting cannot be answered, as if it did not exist.
        let undelivered = await #expect(throws: ServiceError.self) { try await write(unseen) }
        #expect(undelivered?.code == .notFound)
    }

    @Test("An author who has blocked the owner gets nothing, and the owner is answered as ever")
    func blockedOwner() async throws {
        let id = try await sight()
        try await write(id)
        try await store.block(id: id, by: author)
        try await store.remove(id: id, of: author)
        #expect(try await write(id, "Please").notice == nil)
        #expect(try inbox(author).isEmpty && inbox(owner).count == 1)
    }
}
