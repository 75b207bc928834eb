import Domain
import Foundation
import SQL
import Storage
import TestSupport
import Testing

@Suite("From a confirmed match to the animal at home")
struct MatchReunionTests {
    private let board: TestDatabase
    private let matches: MatchStore
    private let owner: Account
    private let finder: Account

    init() async throws {
        board = try await TestDatabase()
        matches = MatchStore(board.database, try Bundled.matchReader())
        owner = try await board.guest()
        finder = try await board.guest()
    }

    private func post(_ status: Listing.Status, name: String? = nil, by account: Account? = nil) async throws -> Listing
    {
        try await board.listings.create(
            .at(14.79, 40.77, status) { $0.name = name }, owner: account ?? (status == .lost ? owner : finder))
    }

    private func current(_ listing: Listing) throws -> Listing {
        try #require(try board.listings.findListing(id: listing.id, Listing.init))
    }

    private func statuses(_ listings: Listing...) throws -> [Listing.Status?] {
        try listings.map { try current($0).content.status }
    }

    @discardableResult
    private func answer(_ answer: MatchAnswer?, _ listing: Listing, _ other: Listing) async throws -> AnsweredMatch {
        try await matches.answer(answer, for: try current(listing), other: try current(other))
    }

    private func agree(_ lost: Listing, _ found: Listing) async throws {
        try await answer(.yes, found, lost)
        try await answer(.yes, lost, found)
    }

    private func set(_ status: Listing.Status, _ listing: Listing) async throws -> Listing {
        var content = try current(listing).content
        content.status = status
        return try await board.listings.update(
            try current(listing), content: content, location: listing.location, version: nil)
    }

    private func shiftReunions(days: Int) async throws {
        let time = Timestamp.now.adding(days: days)
        try await board.database.write { db in
            try db.execute("UPDATE match_answer SET linked_at = ? WHERE linked_at IS NOT NULL", [time])
        }
    }

    @Test(
        "Two answers of yes leave both listings open, home closes them, and both can be undone",
        arguments: [Listing.Status.found, .sighted])
    func states(status other: Listing.Status) async throws {
        let (lost, found) = (try await post(.lost, name: "Argo"), try await post(other))
        let animal = AnimalName(lost.content)
        var namedFound = AnimalName(found.content)
        namedFound.name = "Argo"
        let first = try await answer(.yes, found, lost)
        #expect(first.answers.state == .waiting)
        #expect(first.notices == [Notice(.matchAsked, lost.id, code: lost.code, to: owner.id, animal)])
        #expect(try matches.findAnswers(of: lost, other: found).state == .asked)
        let second = try await answer(.yes, lost, found)
        #expect(second.answers == MatchAnswers(own: .yes, other: .yes) && second.answers.state == .agreed)
        #expect(second.notices == [Notice(.matchAgreed, found.id, code: found.code, to: finder.id, namedFound)])
        #expect(try statuses(lost, found) == [.lost, other])
        // A repetition tells nobody again.
        #expect(try await answer(.yes, lost, found).notices == [])
        let told = try await matches.setHome(true, try current(found), other: lost)
        let home = told.answers
        #expect(told.notices == [Notice(.matchHome, lost.id, code: lost.code, to: owner.id, animal)])
        #expect(home.state == .home && home.linkedAt != nil)
        #expect(try statuses(lost, found) == [.reunited, .reunited])
        #expect(try await matches.setHome(true, try current(lost), other: found).answers == home)
        // A repetition tells nobody again.
        #expect(try await matches.setHome(true, try current(lost), other: found).notices == [])
        let undone = try await matches.setHome(false, try current(lost), other: found)
        #expect(undone.answers.state == .agreed && undone.notices == [])
        #expect(try statuses(lost, found) == [.lost, other])
        #expect(try await matches.tellHome(of: try current(found), push: nil) == [])
        _ = try await matches.setHome(true, try current(lost), other: found)
        #expect(try await answer(.unsure, lost, found).answers == MatchAnswers(own: .unsure, other: .yes))
        #expect(try statuses(lost, found) == [.lost, other])
    }

    @Test(
        "The status of one's own listing says that the animal is home, and takes it back for a day",
        arguments: [true, false])
    func byStatus(isOwner: Bool) async throws {
        let (lost, found) = (try await post(.lost), try await post(.found))
        let sighted = try await post(.sighted, by: try await board.guest())
        let stranger = try await post(.found)
        try await agree(lost, found)
        try await agree(lost, sighted)
        try await answer(.yes, stranger, lost)
        let (own, former): (Listing, Listing.Status) = isOwner ? (lost, .lost) : (found, .found)
        let closed = try await set(.reunited, own)
        // All listings whose owners have agreed are of one animal.
        #expect(try statuses(lost, found, sighted, stranger) == [.reunited, .reunited, .reunited, .found])
        #expect(try await matches.tellHome(of: closed, push: nil).count == (isOwner ? 2 : 1))
        _ = try await set(former, own)
        #expect(try statuses(lost, found, sighted, stranger) == [.lost, .found, .sighted, .found])
        #expect(try matches.findAnswers(of: lost, other: found).state == .agreed)
        _ = try await set(.reunited, own)
        try await shiftReunions(days: -2)
        _ = try await set(former, own)
        let others = try statuses(lost, found, sighted).filter { $0 == .reunited }
        #expect(others.count == 2)
    }

    @Test("After a day, neither the reunion nor its answers are taken back")
    func late() async throws {
        let (lost, found) = (try await post(.lost), try await post(.found))
        try await agree(lost, found)
        _ = try await matches.setHome(true, lost, other: found)
        try await shiftReunions(days: -2)
        for change in [
            { try await self.answer(nil, lost, found).answers }, { try await self.answer(.no, found, lost).answers },
            { try await self.matches.setHome(false, try self.current(lost), other: found).answers },
        ] {
            let error = await #expect(throws: ServiceError.self) { try await change() }
            #expect(error?.code == .conflict)
        }
        #expect(try statuses(lost, found) == [.reunited, .reunited])
    }

    @Test("Only both owners together make a match that ends at home")
    func refused() async throws {
        let (lost, found) = (try await post(.lost), try await post(.found))
        try await answer(.yes, found, lost)
        let early = await #expect(throws: ServiceError.self) {
            try await matches.setHome(true, lost, other: found)
        }
        #expect(early?.code == .conflict)
        _ = try await set(.reunited, lost)
        #expect(try statuses(lost, found) == [.reunited, .found])
        try await board.database.write { db in
            try db.execute(
                "INSERT INTO block (blocker_id, blocked_id, uuid) VALUES (?, ?, ?)",
                [owner.key, finder.key, UUID().uuidString.lowercased()])
        }
        let blocked = await #expect(throws: ServiceError.self) {
            try await matches.setHome(true, lost, other: found)
        }
        #expect(blocked?.code == .notFound)
    }

    @Test("A listing that its owner has closed since keeps its status when the reunion is undone")
    func closed() async throws {
        let (lost, found) = (try await post(.lost), try await post(.found))
        try await agree(lost, found)
        _ = try await matches.setHome(true, lost, other: found)
        _ = try await set(.closed, lost)
        try await answer(nil, found, lost)
        #expect(try statuses(lost, found) == [.closed, .found])
    }

    @Test("Not more than ten answers of a listing wait for other owners")
    func waiting() async throws {
        let found = try await post(.found)
        for _ in 0..<MatchStore.maxWaiting { try await answer(.yes, found, try await post(.lost)) }
        let last = try await post(.lost)
        let error = await #expect(throws: ServiceError.self) { try await answer(.yes, found, last) }
        #expect(error?.code == .conflict)
        // Who was asked answers in any case.
        try await answer(.yes, last, found)
        #expect(try await answer(.yes, found, last).answers.state == .agreed)
    }

    @Test("Partners are those with a yes and no no, agreed ones first, and neither hidden nor blocked")
    func partners() async throws {
        let lost = try await post(.lost)
        var others: [Listing] = []
        for _ in 0..<5 { others.append(try await post(.found, by: try await board.guest())) }
        try await answer(.yes, lost, others[0])
        try await answer(.yes, others[1], lost)
        try await agree(lost, others[2])
        try await answer(.yes, others[3], lost)
        try await answer(.no, lost, others[3])
        try await answer(.unsure, lost, others[4])
        func partners() throws -> [MatchState] { try matches.findPartners(of: try current(lost)).map(\.answers.state) }
        #expect(try partners() == [.agreed, .asked, .waiting])
        try await board.hide(others[1])
        #expect(try partners() == [.agreed, .waiting])
        _ = try await set(.closed, others[0])
        #expect(try partners() == [.agreed])
        _ = try await set(.reunited, lost)
        #expect(try partners() == [.home])
    }

    @Test("A conversation of the two parties has their confirmed match")
    func meeting() async throws {
        let (lost, found) = (try await post(.lost), try await post(.found))
        let store = ConversationStore(board.database)
        let sent = try await store.write(
            MessageContent(text: "Dove?"), id: UUID(), to: .owner(ofListing: lost.id), by: finder)
        func meeting(_ account: Account) throws -> [UUID]? {
            try matches.findMeeting(in: try store.getConversation(id: sent.conversation, of: account))
                .map { [$0.own, $0.other] }
        }
        try await answer(.yes, lost, found)
        #expect(try meeting(owner) == nil)
        try await answer(.yes, found, lost)
        #expect(try meeting(owner) == [lost.id, found.id])
        #expect(try meeting(finder) == [found.id, lost.id])
        #expect(try store.findConversation(ofOwnersOf: lost, found) == sent.conversation)
        #expect(try store.findConversation(ofOwnersOf: found, lost) == sent.conversation)
        let stranger = try await store.write(
            MessageContent(text: "?"), id: UUID(), to: .owner(ofListing: lost.id), by: try await board.guest())
        #expect(try matches.findMeeting(in: try store.getConversation(id: stranger.conversation, of: owner)) == nil)
        #expect(try store.findConversation(ofOwnersOf: lost, found) == sent.conversation)
    }
}
