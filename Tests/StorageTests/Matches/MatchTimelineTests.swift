import Domain
import Foundation
import Matching
import SQL
import Storage
import TestSupport
import Testing

@Suite("Matches in timelines")
struct MatchTimelineTests {
    private let board: TestDatabase
    private let matches: MatchStore
    private let owner: Account
    private let finder: Account
    private let lost: Listing
    private let found: Listing

    init() async throws {
        board = try await TestDatabase()
        matches = MatchStore(board.database, try Bundled.matchReader())
        owner = try await board.guest()
        finder = try await board.guest()
        lost = try await board.listings.create(.at(14.79, 40.77) { $0.name = "Argo" }, owner: owner)
        found = try await board.listings.create(.at(14.79, 40.77, .found), owner: finder)
    }

    private func current(_ listing: Listing) throws -> Listing {
        try #require(try board.listings.findListing(id: listing.id, Listing.init))
    }

    private func answer(_ answer: MatchAnswer?, for listing: Listing, other: Listing) async throws {
        _ = try await matches.answer(answer, for: try current(listing), other: try current(other))
    }

    /// The entries about matches.
    private func told(_ listing: Listing, _ reader: Account?) throws -> [TimelineEntry] {
        try board.timelines.entries(of: try current(listing), seenBy: reader)
            .filter { [.answer, .otherAnswer, .agreement, .reunion, .reunionUndone].contains($0.kind) }
    }

    @Test("One-sided answers are told to the two owners only", arguments: MatchAnswer.allCases)
    func oneSided(_ own: MatchAnswer) async throws {
        try await answer(own, for: lost, other: found)
        let mine = try #require(try told(lost, owner).first)
        #expect(mine.kind == .answer && mine.answer == own && mine.other?.id == found.id)
        #expect(try told(lost, owner).count == 1 && told(found, owner).isEmpty)
        // The list of matches does not contain a match that the other owner has denied.
        let theirs = try told(found, finder)
        #expect(theirs.map(\.answer) == (own == .no ? [] : [own]))
        #expect(theirs.allSatisfy { $0.kind == .otherAnswer && $0.other?.name == "Argo" })
        let stranger = try await board.guest()
        let admin = try await board.user("ada@example.org")
        try await board.accounts.setRole(admin, .admin)
        for reader in [nil, stranger, try await board.accounts.findAccount(email: "ada@example.org")] {
            #expect(try told(lost, reader).isEmpty && told(found, reader).isEmpty)
        }
        try await answer(nil, for: lost, other: found)
        #expect(try told(lost, owner).isEmpty && told(found, finder).isEmpty)
    }

    @Test("The answer of the other owner disappears with a denial, a block, a hidden and a closed listing")
    func disappearing() async throws {
        try await answer(.yes, for: found, other: lost)
        #expect(try told(lost, owner).map(\.kind) == [.otherAnswer])
        try await answer(.no, for: lost, other: found)
        #expect(try told(lost, owner).map(\.kind) == [.answer])
        try await answer(nil, for: lost, other: found)
        #expect(try told(lost, owner).map(\.kind) == [.otherAnswer])
        let block = "INSERT INTO block (blocker_id, blocked_id, uuid) VALUES (?, ?, ?)"
        for (one, other) in [(owner, finder), (finder, owner)] {
            try await board.database.write { db in
                try db.execute(block, [one.key, other.key, UUID().uuidString.lowercased()])
            }
            #expect(try told(lost, owner).isEmpty)
            try await board.database.write { db in try db.execute("DELETE FROM block") }
        }
        var content = found.content
        content.status = .closed
        _ = try await board.listings.update(found, content: content, location: found.location, version: nil)
        #expect(try told(lost, owner).isEmpty)
        content.status = .found
        _ = try await board.listings.update(
            try current(found),
            content: content,
            location: found.location,
            version: nil
        )
        #expect(try told(lost, owner).count == 1)
        try await board.hide(found)
        #expect(try told(lost, owner).isEmpty)
    }

    @Test("Everybody sees a reunion with its other listing as long as that is visible, and that it was undone")
    func reunion() async throws {
        try await answer(.yes, for: found, other: lost)
        try await answer(.yes, for: lost, other: found)
        #expect(try told(lost, nil).isEmpty && told(found, nil).isEmpty)
        #expect(try told(lost, owner).map(\.kind) == [.otherAnswer, .answer, .agreement])
        #expect(try told(found, finder).map(\.kind) == [.answer, .otherAnswer, .agreement])
        _ = try await matches.setHome(true, try current(lost), other: try current(found))
        for (listing, other) in [(lost, found), (found, lost)] {
            let entry = try #require(try told(listing, nil).first)
            #expect(entry.kind == .reunion && entry.other?.id == other.id && entry.answer == nil)
            #expect(try told(listing, nil).count == 1)
        }
        #expect(try told(lost, owner).map(\.kind) == [.otherAnswer, .answer, .agreement, .reunion])
        try await board.hide(found)
        let unnamed = try #require(try told(lost, nil).first)
        #expect(unnamed.kind == .reunion && unnamed.other == nil)
        try await board.moderation.restore(found.id, by: .service)
        try await answer(.no, for: lost, other: found)
        for (listing, status) in [(lost, Listing.Status.lost), (found, .found)] {
            let entries = try told(listing, nil)
            #expect(entries.map(\.kind) == [.reunionUndone] && entries.map(\.status) == [status])
        }
        #expect(try told(lost, owner).map(\.kind) == [.answer, .reunionUndone])
        #expect(try told(lost, owner).first?.answer == .no)
        try await board.listings.remove(try current(found), version: nil)
        #expect(try told(lost, owner).map(\.kind) == [.reunionUndone])
    }

    @Test("Answers of other people do not replace the rest of a timeline")
    func bounds() async throws {
        for _ in 0..<(TimelineEntry.maxAnswered + 5) {
            let other = try await board.listings.create(.at(14.79, 40.77, .found), owner: finder)
            try await answer(.yes, for: other, other: lost)
        }
        #expect(try told(lost, owner).count == TimelineEntry.maxAnswered)
        let kinds = try board.timelines.entries(of: try current(lost), seenBy: owner).map(\.kind)
        #expect(kinds.prefix(2) == [.seen, .posted])
    }
}
