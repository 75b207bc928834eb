import Domain
import Foundation
import SQL
import Storage
import TestSupport
import Testing

@Suite("Several listings of one animal")
struct AnimalStoreTests {
    private let board: TestDatabase
    private let matches: MatchStore
    private let animals: AnimalStore
    private let moderation: ModerationStore

    init() async throws {
        board = try await TestDatabase()
        matches = MatchStore(board.database, try Bundled.matchReader())
        (animals, moderation) = (AnimalStore(board.database), ModerationStore(board.database))
    }

    private func post(
        _ status: Listing.Status,
        lon: Double = 14.79,
        hoursAgo: Int = 0,
        by account: Account? = nil,
        _ edit: (inout ListingContent) -> Void = { _ in }
    ) async throws -> Listing {
        let seen = Timestamp(milliseconds: Timestamp.now.milliseconds - Int64(hoursAgo) * 3_600_000)
        var owner = account
        if owner == nil { owner = try await board.guest() }
        let draft = try ListingStore.Draft.at(lon, 40.77, status) { content in
            (content.breed, content.lastSeenAt) = ("Beagle", seen)
            edit(&content)
        }
        return try await board.listings.create(draft, owner: try #require(owner))
    }

    private func current(_ listing: Listing) throws -> Listing {
        try #require(try board.listings.findListing(id: listing.id, Listing.init))
    }

    @discardableResult
    private func answer(_ answer: MatchAnswer?, _ listing: Listing, _ other: Listing) async throws -> AnsweredMatch {
        try await matches.answer(answer, for: try current(listing), other: try current(other))
    }

    private func agree(_ one: Listing, _ other: Listing) async throws {
        try await answer(.yes, one, other)
        try await answer(.yes, other, one)
    }

    private func set(_ status: Listing.Status, _ listing: Listing) async throws -> Listing {
        var content = try current(listing).content
        content.status = status
        return try await board.listings.update(
            try current(listing), content: content, location: listing.location, version: nil)
    }

    private func joined(_ listing: Listing) throws -> [UUID] { try animals.findListings(joinedWith: listing).map(\.id) }

    private func statuses(_ listings: Listing...) throws -> [Listing.Status?] {
        try listings.map { try current($0).content.status }
    }

    private func expectConflict(_ body: () async throws -> Void) async {
        let error = await #expect(throws: ServiceError.self) { try await body() }
        #expect(error?.code == .conflict)
    }

    private func expectNoAnimal() async throws {
        #expect(try await board.database.read { try $0.value("SELECT count(*) FROM animal") as Int? } == 0)
        #expect(try await board.database.check().findings.flatMap(\.problems) == [])
    }

    @Test("Owners of two listings of one side agree, and another answer parts them", arguments: Listing.Status.open)
    func agreement(status: Listing.Status) async throws {
        let (one, other) = (try await post(status, hoursAgo: 5), try await post(status, lon: 14.8))
        let found = try matches.find(for: one, .same, asOwner: true, limit: 5, Listing.init)
        #expect(found.considered == 1 && found.matches.first?.side == .same, "not the listing itself")
        #expect(try matches.find(for: one, limit: 5, Listing.init).considered == 0)
        let first = try await answer(.yes, other, one)
        #expect(first.answers.state == .waiting && first.notices.map(\.kind) == [.matchAsked])
        #expect(try matches.findPartners(of: one).map(\.answers.state) == [.asked])
        #expect(try joined(one) == [])
        let second = try await answer(.yes, one, other)
        #expect(second.answers.state == .agreed && second.notices.map(\.kind) == [.matchJoined])
        #expect(try joined(one) == [one.id, other.id], "in the order in which they were seen")
        #expect(try joined(other) == [one.id, other.id])
        // Nobody is asked again, and there is no handover.
        #expect(try matches.find(for: one, .same, asOwner: true, limit: 5, Listing.init).matches.isEmpty)
        #expect(try matches.findPartners(of: one).isEmpty)
        await expectConflict { _ = try await matches.setHome(true, try current(one), other: try current(other)) }
        try await answer(.no, other, one)
        #expect(try joined(one) == [])
        #expect(
            try matches.find(for: one, .same, asOwner: true, limit: 5, Listing.init).matches.isEmpty, "it is rejected")
        try await expectNoAnimal()
    }

    @Test("Listings of several people become one animal, from which each leaves alone")
    func group() async throws {
        let all = [
            try await post(.sighted, hoursAgo: 9), try await post(.sighted, hoursAgo: 7),
            try await post(.found, hoursAgo: 5), try await post(.sighted, hoursAgo: 3),
        ]
        try await agree(all[0], all[1])
        try await agree(all[2], all[3])
        #expect(try joined(all[3]) == [all[2].id, all[3].id])
        try await agree(all[1], all[3])
        for listing in all { #expect(try joined(listing) == all.map(\.id)) }
        try await matches.part(try current(all[1]))
        #expect(try joined(all[0]) == [all[0].id, all[2].id, all[3].id])
        #expect(try joined(all[1]) == [])
        // The owner who left has said no to all, and the others cannot change that.
        await expectConflict {
            try await agree(all[2], all[1])
            try await agree(all[1], all[3])
        }
        await expectConflict { try await matches.part(try current(all[1])) }
        try await board.listings.remove(try current(all[0]), version: nil)
        try await board.listings.remove(try current(all[2]), version: nil)
        #expect(try joined(all[3]) == [])
        try await expectNoAnimal()
    }

    @Test("The owner of two listings joins them alone, and tells nobody")
    func ownListings() async throws {
        let account = try await board.guest()
        let (one, other) = (try await post(.sighted, by: account), try await post(.sighted, by: account))
        #expect(try await answer(.yes, one, other).notices == [])
        #expect(try joined(other).count == 2)
    }

    @Test("Listings that cannot be of one animal are refused")
    func refused() async throws {
        let (lost, sighted) = (try await post(.lost), try await post(.sighted))
        let cat = try await post(.sighted) { $0.species = .cat }
        await expectConflict { try await answer(.yes, sighted, cat) }
        await expectConflict { try await answer(.yes, sighted, sighted) }
        try await answer(.yes, lost, sighted)
        #expect(try joined(lost) == [], "a lost and a sighted animal are not joined")
        for (one, other) in [(sighted, cat), (lost, sighted), (sighted, sighted)] {
            await expectConflict { try await moderation.join(one.id, with: other.id, by: .service) }
        }
        let missing = await #expect(throws: ServiceError.self) {
            try await moderation.join(sighted.id, with: UUID(), by: .service)
        }
        #expect(missing?.code == .notFound)
    }

    @Test("A moderator joins listings whatever their owners say, and separates them, with entries in the audit log")
    func moderator() async throws {
        let (one, other) = (try await post(.sighted), try await post(.sighted))
        try await answer(.no, one, other)
        let notices = try await moderation.join(one.id, with: other.id, note: "one photo", by: .service)
        #expect(notices.map(\.kind) == [.matchJoined, .matchJoined])
        #expect(Set(notices.map(\.subject)) == [one.id, other.id])
        #expect(try joined(one).count == 2)
        await expectConflict { try await moderation.join(other.id, with: one.id, by: .service) }
        try await moderation.part(other.id, by: .service)
        await expectConflict { try await moderation.part(other.id, by: .service) }
        #expect(try matches.findAnswers(of: one, other: other) == MatchAnswers(), "they are asked again")
        let entries = try AuditLog(board.database).entries(AuditLog.Query())
        #expect(entries.prefix(2).map(\.action) == ["listing.part", "listing.join"])
        #expect(entries.prefix(2).map(\.note) == [nil, "\(other.id.uuidString.lowercased()): one photo"])
        try await expectNoAnimal()
    }

    @Test("An animal has a limited number of listings")
    func limit() async throws {
        let account = try await board.guest()
        var all: [Listing] = []
        for _ in 0...AnimalStore.maxListings { all.append(try await post(.sighted, by: account)) }
        for listing in all[1..<AnimalStore.maxListings] { try await answer(.yes, listing, all[0]) }
        await expectConflict { try await answer(.yes, all[AnimalStore.maxListings], all[0]) }
        #expect(try joined(all[0]).count == AnimalStore.maxListings)
    }

    @Test("Joining the same listings many times at once makes one animal")
    func concurrent() async throws {
        var all: [Listing] = []
        for _ in 0..<8 { all.append(try await post(.sighted)) }
        let (first, moderation) = (all[0].id, moderation)
        await withTaskGroup(of: Void.self) { group in
            for listing in all.dropFirst().map(\.id) {
                group.addTask { _ = try? await moderation.join(listing, with: first, by: .service) }
                group.addTask { _ = try? await moderation.join(first, with: listing, by: .service) }
            }
        }
        #expect(try joined(all[0]).count == 8)
        #expect(try await board.database.read { try $0.value("SELECT count(*) FROM animal") as Int? } == 1)
    }

    @Test("A listing that changes its side leaves its animal")
    func otherSide() async throws {
        let (one, other) = (try await post(.sighted), try await post(.sighted))
        try await agree(one, other)
        _ = try await set(.found, one)
        #expect(try joined(one).count == 2, "a sighted animal that was found is of the same side")
        _ = try await set(.lost, one)
        #expect(try joined(other) == [])
        // The answers were about another pair of sides.
        #expect(try await answer(.yes, other, one).answers == MatchAnswers(own: .yes))
        try await expectNoAnimal()
    }

    @Test("The animal comes home in all its listings at once, and that is undone for a day", arguments: [0, 1, 2])
    func home(closing index: Int) async throws {
        let (lost, copy) = (try await post(.lost), try await post(.lost))
        let (found, sighted) = (try await post(.found), try await post(.sighted))
        let stranger = try await post(.sighted)
        try await agree(lost, copy)
        try await agree(found, sighted)
        try await agree(lost, found)
        let own = [lost, found, sighted][index]
        let closed = try await set(.reunited, own)
        #expect(try statuses(lost, copy, found, sighted) == Array(repeating: .reunited, count: 4))
        #expect(try statuses(stranger) == [.sighted])
        #expect(try await matches.tellHome(of: closed, push: nil).map(\.kind) == [.matchHome, .matchHome, .matchHome])
        #expect(try joined(own).count == 2, "the animal keeps its page")
        _ = try await set([.lost, .found, .sighted][index], own)
        #expect(try statuses(lost, copy, found, sighted) == [.lost, .lost, .found, .sighted])
        #expect(try await board.database.check().findings.flatMap(\.problems) == [])
    }

    @Test("Many listings of one animal do not make each of them less likely")
    func manyListings() async throws {
        var all: [Listing] = []
        for hour in 0..<10 { all.append(try await post(.sighted, lon: 14.79 + Double(hour) / 2_000, hoursAgo: hour)) }
        let other = try await post(.sighted, hoursAgo: 1) {
            ($0.breed, $0.sex) = ("Levriero", .female)
        }
        let found = try matches.find(for: all[0], .same, asOwner: true, limit: 20, Listing.init).matches
        #expect(found.prefix(9).allSatisfy { $0.probability > 0.9 }, "\(found.map(\.probability))")
        #expect(found.first { $0.value.id == other.id }?.probability ?? 0 < 0.05)
    }

    @Test("Of joined listings, the likeliest stands for all in the matches of the other side")
    func matchesOfAnimal() async throws {
        let lost = try await post(.lost, hoursAgo: 30)
        let near = try await post(.sighted, hoursAgo: 20)
        let far = try await post(.sighted, lon: 14.82, hoursAgo: 10)
        let single = try matches.find(for: lost, limit: 5, Listing.init).matches
        #expect(single.map(\.value.id) == [near.id, far.id])
        try await agree(near, far)
        let joined = try matches.find(for: lost, limit: 5, Listing.init).matches
        #expect(joined.map(\.value.id) == [near.id])
        #expect(try animals.countListings(joinedWith: near) == 2)
        #expect(abs((joined.first?.probability ?? 0) - single.reduce(0) { $0 + $1.probability }) < 1e-9)
    }

    @Test("If an owner of joined listings rejects a match, another of the listings stands in")
    func rejectedMatch() async throws {
        let (lost, near) = (try await post(.lost, hoursAgo: 30), try await post(.sighted, hoursAgo: 20))
        let far = try await post(.found, lon: 14.82, hoursAgo: 10)
        try await agree(near, far)
        try await answer(.no, near, lost)
        #expect(try matches.find(for: lost, limit: 5, Listing.init).matches.map(\.value.id) == [far.id])
    }

    @Test(
        "Confirmed sightings of joined listings, and listings joined with attached ones, are places for the search area"
    )
    func places() async throws {
        let (lost, copy) = (try await post(.lost, hoursAgo: 30), try await post(.lost, hoursAgo: 29))
        let (seen, again) = (
            try await post(.sighted, lon: 14.81, hoursAgo: 9), try await post(.sighted, lon: 14.82, hoursAgo: 5)
        )
        let sightings = SightingStore(board.database)
        let owner = try #require(try board.accounts.findAccount(key: lost.owner))
        _ = try await sightings.attach(seen.id, to: lost, by: owner)
        func longitudes(_ listing: Listing) throws -> [Double] {
            try sightings.findConfirmedPlaces(of: listing).map { ($0.coordinate.lon * 100).rounded() / 100 }
        }
        #expect(try longitudes(lost) == [14.81])
        try await agree(seen, again)
        #expect(try longitudes(lost) == [14.81, 14.82])
        #expect(try longitudes(copy) == [])
        try await agree(lost, copy)
        #expect(try longitudes(copy) == [14.81])
        #expect(try sightings.findConfirmedPlaces(of: copy).map(\.isCell) == [true])
    }
}
