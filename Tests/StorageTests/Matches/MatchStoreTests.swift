import Domain
import Foundation
import Matching
import SQL
import Storage
import TestSupport
import Testing

@Suite("Matches")
struct MatchStoreTests {
    let board: TestDatabase
    let matches: MatchStore
    let owner: Account
    let finder: Account

    init() async throws {
        board = try await TestDatabase()
        matches = MatchStore(board.database, try Bundled.matchReader())
        owner = try await board.user("anna@example.org")
        finder = try await board.user("bruno@example.org")
    }

    private static let day = Timestamp.now.adding(days: -3)

    /// Posts a listing some metres north of a point in the countryside.
    func post(
        _ status: Listing.Status,
        metres: Double = 0,
        lon: Double = 14.79,
        days: Int = 0,
        by account: Account? = nil,
        _ change: (inout ListingContent) -> Void = { $0.breed = "Beagle" }
    ) async throws -> Listing {
        let draft = try ListingStore.Draft.at(lon, 40.77 + metres / 111_195, status) { content in
            content.locationPrecision = .exact
            content.lastSeenAt = Self.day.adding(days: days)
            change(&content)
        }
        return try await board.listings.create(draft, owner: account ?? (status == .lost ? owner : finder))
    }

    private func found(_ listing: Listing, minProbability: Double = 0) async throws -> MatchStore.Results<UUID> {
        let current = try #require(try await board.listings.findListing(id: listing.id))
        return try matches.find(for: current, minProbability: minProbability, limit: 100) { row in try Listing(row).id }
    }

    @Test("The likeliest listings of the other side come first, with reasons", arguments: [true, false])
    func ranking(isRead: Bool) async throws {
        let lost = try await post(.lost) { ($0.breed, $0[.colour], $0.sex) = ("Beagle", "tricolour", .male) }
        let same = try await post(.found, metres: 300) {
            ($0.breed, $0[.colour], $0.sex) = ("Beagle", "tricolore", .male)
        }
        let other = try await post(.sighted, metres: 300) {
            ($0.breed, $0[.colour], $0.sex) = ("Maltese", "white", .female)
        }
        let far = try await post(.found, metres: 20_000)
        _ = try await post(.lost, metres: 100)
        if isRead { #expect(try await matches.readSubjects() == 5) }
        let results = try await found(lost)
        #expect(results.matches.map(\.value) == [same.id, far.id, other.id])
        #expect(results.considered == 3)
        let first = try #require(results.matches.first)
        #expect(first.probability > 0.2 && first.distance == 300 && first.days == 0)
        #expect(first.evidence.contains { $0.kind == .breed && $0.bits > 2 })
        #expect(abs(first.evidence.map(\.bits).reduce(0, +) - first.bits) < 0.001)
        let sum = results.matches.map(\.probability).reduce(results.noneProbability, +)
        #expect(abs(sum - 1) < 0.0001)
        #expect(try await found(same).matches.map(\.value).first == lost.id)
        #expect(try await found(far, minProbability: 0.5).matches.isEmpty)
    }

    @Test("Pages continue behind the last match")
    func pages() async throws {
        let lost = try await post(.lost)
        for metres in 1...7 { _ = try await post(.found, metres: Double(100 * metres % 500)) }
        let all = try await found(lost).matches.map(\.value)
        var (pages, cursor): ([UUID], MatchCursor?) = ([], nil)
        repeat {
            let page = try matches.find(for: lost, limit: 3, after: cursor) { row in try Listing(row).id }
            pages += page.matches.map(\.value)
            cursor = page.next
        } while cursor != nil
        #expect(pages == all && all.count == 7)
    }

    @Test("Species, time, distance, closed and hidden listings limit the candidates")
    func candidates() async throws {
        let lost = try await post(.lost)
        _ = try await post(.found) { ($0.species, $0.breed) = (.cat, nil) }
        _ = try await post(.found, days: -8)
        _ = try await post(.found, metres: 80_000)
        _ = try await post(.reunited)
        let hidden = try await post(.found)
        let early = try await post(.found, days: -7)
        #expect(try await Set(found(lost).matches.map(\.value)) == [hidden.id, early.id])
        try await board.hide(hidden)
        #expect(try await found(lost).matches.map(\.value) == [early.id])
        #expect(try await found(hidden).matches.isEmpty)
        try await board.hide(lost)
        #expect(try await found(lost).considered == 0)
    }

    @Test("Candidates are found across the antimeridian and near a pole", arguments: [(179.99, 0.0), (0, 89.9)])
    func edges(lon: Double, lat: Double) async throws {
        func post(_ status: Listing.Status, _ lon: Double) async throws -> Listing {
            let draft = try ListingStore.Draft.at(lon, lat, status) { $0.locationPrecision = .exact }
            return try await board.listings.create(draft, owner: status == .lost ? owner : finder)
        }
        let lost = try await post(.lost, lon)
        let near = try await post(.found, lon == 0 ? 170 : -179.99)
        _ = try await post(.found, 90 * (lat == 0 ? 1 : 0) + (lat == 0 ? 0 : 1) * 45)
        #expect(try await found(lost).matches.map(\.value).contains(near.id))
    }

    @Test("A cell of 500 m or a town lengthens distances, so that nothing seems closer than it is known to be")
    func blur() async throws {
        let exact = try #require(Coordinate(lon: 14.79, lat: 40.77))
        var draft = try ListingStore.Draft.at(exact.cellCentre.lon, exact.cellCentre.lat, .lost) {
            $0.lastSeenAt = Self.day
        }
        (draft.location.approximate, draft.location.exact) = (true, exact)
        let lost = try await board.listings.create(draft, owner: owner)
        let other = try ListingStore.Draft.at(exact.cellCentre.lon, exact.cellCentre.lat, .found) {
            $0.lastSeenAt = Self.day
        }
        _ = try await board.listings.create(other, owner: finder)
        let match = try #require(try await found(lost).matches.first)
        #expect(match.distance >= 300)
    }

    @Test("An edit is read again")
    func edits() async throws {
        let lost = try await post(.lost)
        let other = try await post(.found) { $0.breed = "Maltese" }
        #expect(try await matches.readSubjects() == 2)
        let before = try #require(try await found(lost).matches.first).bits
        var content = other.content
        (content.breed, content.breedKey) = ("Beagle", "beagle")
        _ = try await board.listings.update(other, content: content, location: other.location, version: nil)
        #expect(try await found(lost).matches.first.map { $0.bits > before + 3 } == true)
        #expect(try await matches.readSubjects() == 1)
        #expect(try await matches.readSubjects() == 0)
        #expect(try await found(lost).matches.first.map { $0.bits > before + 3 } == true)
    }

    @Test("What was read with other tables is read again")
    func outdated() async throws {
        let lost = try await post(.lost)
        _ = try await post(.found)
        #expect(try await matches.readSubjects() == 2)
        #expect(try await matches.forgetOutdatedSubjects() == 0)
        let bits = try await found(lost).matches.first?.bits
        try await board.database.write { db in
            try db.execute("UPDATE match_candidate SET subject = ?", [Data(count: 20)])
        }
        #expect(try await found(lost).matches.first?.bits == bits)
        #expect(try await matches.forgetOutdatedSubjects() == 2)
        #expect(try await matches.readSubjects() == 2)
    }

    @Test("Accounts that block each other have no matches", arguments: [true, false])
    func blocks(isOwner: Bool) async throws {
        let lost = try await post(.lost)
        let other = try await post(.found)
        let (one, two) = isOwner ? (owner.key, finder.key) : (finder.key, owner.key)
        try await board.database.write { db in
            try db.execute(
                "INSERT INTO block (blocker_id, blocked_id, uuid) VALUES (?, ?, ?)",
                [one, two, UUID().uuidString.lowercased()]
            )
        }
        #expect(try await found(lost).matches.isEmpty)
        #expect(try await found(other).matches.isEmpty)
        await #expect(throws: ServiceError.self) { try await matches.answer(.yes, for: lost, other: other) }
    }
}

extension MatchStoreTests {
    @Test("A match that one owner denies does not come back until the answer is taken back")
    func denied() async throws {
        let (lost, other) = (try await post(.lost), try await post(.found))
        _ = try await matches.answer(.no, for: other, other: lost)
        #expect(try await found(lost).matches.isEmpty)
        #expect(try await found(other).matches.isEmpty)
        #expect(try await matches.answer(nil, for: other, other: lost).answers == MatchAnswers())
        #expect(try await found(lost).matches.count == 1)
        #expect(try await board.database.read { db in try db.value("SELECT count(*) FROM match_answer") as Int? } == 0)
    }

    @Test("A match that the other owner confirms is shown, however unlikely it is")
    func confirmed() async throws {
        let lost = try await post(.lost) { ($0.breed, $0.sex) = ("Beagle", .male) }
        let other = try await post(.found, metres: 15_000, days: 60) { ($0.breed, $0.sex) = ("Maltese", .female) }
        #expect(try await found(lost, minProbability: 0.01).matches.isEmpty)
        _ = try await matches.answer(.yes, for: other, other: lost)
        let match = try #require(try await found(lost, minProbability: 0.01).matches.first)
        #expect(match.value == other.id && match.answers == MatchAnswers(other: .yes))
    }

    @Test("Listings of two species or not open, and a listing itself, cannot be answered")
    func impossible() async throws {
        let lost = try await post(.lost)
        let others = [
            try await post(.closed),
            try await post(.found) { ($0.species, $0.breed) = (.cat, nil) },
            lost,
        ]
        for other in others {
            let error = await #expect(throws: ServiceError.self) {
                try await matches.answer(.yes, for: lost, other: other)
            }
            #expect(error?.code == .conflict)
        }
    }
}
