import Domain
import Foundation
import Matching
import Storage
import TestSupport
import Testing

extension MatchStoreTests {
    private func shelter() async throws -> Account {
        var content = Organisation.Content()
        content.name = "Canile"
        let store = OrganisationStore(board.database)
        let organisation = try await store.create(content, by: finder)
        let member = try #require(try await board.accounts.findAccount(email: "bruno@example.org"))
        return try store.getAccount(id: organisation.id, for: member)
    }

    private func pairs(_ shelter: Account, limit: Int = 100) throws -> [[UUID]] {
        var (pairs, cursor): ([[UUID]], OrganisationMatchCursor?) = ([], nil)
        repeat {
            let page = try matches.findMatches(of: shelter, limit: limit, after: cursor) { row in try Listing(row).id }
            pairs += page.matches.map { [$0.animal, $0.match.value] }
            cursor = page.next
        } while cursor != nil
        return pairs
    }

    @Test(
        "Animals of organisations are compared once their texts are read, and again when something like them is posted")
    func animalsOfOrganisations() async throws {
        let shelter = try await shelter()
        let (lost, stranger) = (try await post(.lost), try await post(.found, metres: 50))
        let animal = try await post(.found, metres: 100, by: shelter)
        #expect(try await matches.compareAnimals(at: .now) == 0)
        _ = try await matches.readSubjects()
        #expect(try await matches.compareAnimals(at: .now) == 1)
        #expect(try pairs(shelter) == [[animal.id, lost.id]])
        #expect(try pairs(finder).isEmpty && stranger.id != animal.id)
        #expect(try await matches.compareAnimals(at: .now) == 0)
        let second = try await post(.lost, metres: 150)
        _ = try await matches.readSubjects()
        #expect(try await matches.compareAnimals(at: .now) == 0)
        let readers = try matches.findReaders(of: second)
        try await matches.noteAnimals(readers.map(\.key), at: .now)
        #expect(try await matches.compareAnimals(at: .now) == 1)
        #expect(try Set(pairs(shelter, limit: 1)) == [[animal.id, lost.id], [animal.id, second.id]])
        #expect(try matches.countAnimals(withMatchesOf: shelter) == 1)
        // Each day, all of them are compared.
        #expect(try await matches.compareAnimals(at: Timestamp.now.adding(days: 2)) == 1)
    }

    @Test("What is closed, hidden, blocked or answered with no is not shown, and leaves with the next comparison")
    func shownPairs() async throws {
        let shelter = try await shelter()
        var lost: [Listing] = []
        for metres in 1...4 { lost.append(try await post(.lost, metres: Double(metres * 10))) }
        let animal = try await post(.found, by: shelter)
        _ = try await matches.readSubjects()
        _ = try await matches.compareAnimals(at: .now)
        #expect(try Set(pairs(shelter)) == Set(lost.map { [animal.id, $0.id] }))
        _ = try await matches.answer(.no, for: animal, other: lost[0])
        try await board.hide(lost[1])
        var content = lost[2].content
        content.status = .reunited
        _ = try await board.listings.update(lost[2], content: content, location: lost[2].location, version: nil)
        #expect(try pairs(shelter) == [[animal.id, lost[3].id]])
        try await matches.noteAnimals([animal.key], at: .now)
        #expect(try await matches.compareAnimals(at: .now) == 1)
        let stored: [Int64] = try await board.database.read { db in
            try db.values("SELECT lost_id FROM organisation_match")
        }
        #expect(stored == [lost[3].key])
        content = animal.content
        content.status = .reunited
        _ = try await board.listings.update(animal, content: content, location: animal.location, version: nil)
        #expect(try pairs(shelter).isEmpty)
        #expect(try await matches.compareAnimals(at: Timestamp.now.adding(days: 2)) == 1)
        let left: [Int64] = try await board.database.read { db in
            try db.values(
                "SELECT listing_id FROM organisation_match UNION ALL SELECT listing_id FROM organisation_match_search")
        }
        #expect(left.isEmpty)
    }
}
