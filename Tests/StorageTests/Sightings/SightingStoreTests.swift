import Domain
import Foundation
import SQL
import Storage
import TestSupport
import Testing

@Suite("Sightings")
struct SightingStoreTests {
    /// A listing of a lost dog with its owner, and two other people.
    private struct Scene {
        let board: TestDatabase
        let owner: Account
        let author: Account
        let other: Account
        let listing: Listing

        init() async throws {
            board = try await TestDatabase()
            (owner, author, other) = (try await board.guest(), try await board.guest(), try await board.guest())
            listing = try await board.listings.create(.at(14.79, 40.77) { $0.name = "Argo" }, owner: owner)
        }

        func draft(_ text: String? = nil, seenAt: Timestamp = .now) throws -> SightingDraft {
            SightingDraft(
                point: try #require(Coordinate(lon: 14.801357, lat: 40.781357)),
                isApproximate: false,
                place: "Fisciano (SA)",
                seenAt: seenAt,
                text: text,
                contactPhone: "089 1234"
            )
        }

        @discardableResult
        func add(_ text: String? = nil, by author: Account? = nil, id: UUID = UUID()) async throws -> AddedSighting {
            try await board.sightings.add(try draft(text), id: id, of: listing, by: author ?? self.author)
        }

        func found(_ reader: Account?) throws -> [Sighting] {
            try board.sightings.findSightings(of: listing, seenBy: reader)
        }

        func set(_ state: Sighting.State, _ id: UUID) async throws {
            _ = try await board.sightings.setState(state, of: id, at: listing, by: owner)
        }

        func timeline(_ reader: Account? = nil) throws -> [TimelineEntry] {
            try board.timelines.entries(of: listing, seenBy: reader)
        }
    }

    @Test("The owner sees the point, strangers see the cell of confirmed sightings, and nobody else sees the rest")
    func visibility() async throws {
        let scene = try await Scene()
        let id = try await scene.add("By the river").sighting.id
        for reader in [scene.owner, scene.author] {
            let seen = try #require(try scene.found(reader).first)
            #expect(seen.point.lon == 14.801357 && seen.contactPhone == "089 1234" && !seen.isApproximate)
            #expect(seen.isMine == (reader.key == scene.author.key) && seen.state == .proposed)
        }
        #expect(try scene.found(nil).isEmpty && scene.found(scene.other).isEmpty)
        try await scene.set(.confirmed, id)
        for reader in [nil, scene.other] {
            let seen = try #require(try scene.found(reader).first)
            #expect(seen.point == seen.point.cellCentre && seen.isApproximate && seen.contactPhone == nil)
            #expect(seen.text == "By the river" && !seen.isMine)
        }
        try await scene.set(.dismissed, id)
        #expect(try scene.found(nil).isEmpty && scene.found(scene.other).isEmpty)
        #expect(try scene.found(scene.owner).count == 1 && scene.found(scene.author).count == 1)
        try await scene.set(.proposed, id)
        #expect(try scene.found(scene.owner)[0].state == .proposed && scene.found(nil).isEmpty)
    }

    @Test("Only the owner of the listing decides")
    func decisions() async throws {
        let scene = try await Scene()
        let id = try await scene.add().sighting.id
        for (account, code) in [(scene.author, ServiceError.Code.forbidden), (scene.other, .notFound)] {
            let error = await #expect(throws: ServiceError.self) {
                _ = try await scene.board.sightings.setState(.confirmed, of: id, at: scene.listing, by: account)
            }
            #expect(error?.code == code)
        }
        let elsewhere = try await scene.board.listings.create(.at(14.79, 40.77), owner: scene.owner)
        let error = await #expect(throws: ServiceError.self) {
            _ = try await scene.board.sightings.setState(.confirmed, of: id, at: elsewhere, by: scene.owner)
        }
        #expect(error?.code == .notFound)
        #expect(try scene.found(nil).isEmpty)
    }

    @Test("The owner is notified of the first sighting that waits, and counts those to decide on")
    func notices() async throws {
        let scene = try await Scene()
        let first = try await scene.add("first")
        #expect(
            first.notice
                == Notice(
                    .sighting, scene.listing.id, code: scene.listing.code, to: scene.owner.id,
                    AnimalName(scene.listing.content)))
        #expect(try await scene.add("second").notice == nil)
        #expect(try scene.board.sightings.countWaiting(for: scene.owner) == 2)
        let waiting = try #require(try scene.board.sightings.findWaiting(for: scene.owner).first)
        #expect(waiting.listing == scene.listing.id && waiting.count == 2)
        #expect(try scene.board.sightings.countWaiting(for: scene.author) == 0)
        for sighting in try scene.found(scene.owner) { try await scene.set(.confirmed, sighting.id) }
        #expect(try scene.board.sightings.countWaiting(for: scene.owner) == 0)
        #expect(try await scene.add("third").notice != nil)
        let own = try await scene.add("told by a neighbour", by: scene.owner)
        #expect(own.notice == nil && own.sighting.state == .confirmed)
    }

    @Test("A blocked author gets the usual answer, and a banned one disappears")
    func blocks() async throws {
        let scene = try await Scene()
        try await scene.board.database.write { db in
            try db.execute(
                "INSERT INTO block (blocker_id, blocked_id, uuid) VALUES (?, ?, ?)",
                [scene.owner.key, scene.author.key, UUID().uuidString.lowercased()]
            )
        }
        let added = try await scene.add("blocked")
        #expect(added.sighting.state == .proposed && added.notice == nil)
        #expect(try scene.found(scene.author).count == 1 && scene.found(scene.owner).isEmpty)
        #expect(try scene.board.sightings.countWaiting(for: scene.owner) == 0)
        await #expect(throws: ServiceError.self) { try await scene.set(.confirmed, added.sighting.id) }
        let visible = try await scene.add("not blocked", by: scene.other)
        try await scene.set(.confirmed, visible.sighting.id)
        #expect(try scene.found(nil).count == 1)
        try await scene.board.moderation.ban(scene.other.id, until: nil, .init(.spam, by: .service))
        #expect(try scene.found(nil).isEmpty && scene.found(scene.owner).isEmpty)
    }

    @Test("Only open listings of lost animals take sightings", arguments: Listing.Status.allCases)
    func statuses(status: Listing.Status) async throws {
        let scene = try await Scene()
        let listing = try await scene.board.listings.create(.at(14.79, 40.77, status), owner: scene.owner)
        let draft = try scene.draft()
        let add = { try await scene.board.sightings.add(draft, id: UUID(), of: listing, by: scene.author) }
        if status == .lost {
            _ = try await add()
            try await scene.board.hide(listing)
        }
        let error = await #expect(throws: ServiceError.self) { _ = try await add() }
        #expect(error?.code == (status == .lost ? .notFound : .conflict))
    }

    @Test("The same key stores a sighting once, and not that of another account or another text")
    func repetition() async throws {
        let scene = try await Scene()
        let id = UUID()
        #expect(try await !scene.add("once", id: id).isRepeated)
        #expect(try await scene.add("once", id: id).isRepeated)
        for (text, account) in [("twice", scene.author), ("once", scene.other)] {
            let error = await #expect(throws: ServiceError.self) { try await scene.add(text, by: account, id: id) }
            #expect(error?.code == .unprocessable)
        }
        #expect(try scene.found(scene.owner).count == 1)
    }

    @Test("One author has at most ten undecided sightings of a listing")
    func undecided() async throws {
        let scene = try await Scene()
        for number in 0..<Sighting.maxUndecided { try await scene.add("\(number)") }
        let error = await #expect(throws: ServiceError.self) { try await scene.add("more") }
        #expect(error?.code == .conflict)
        try await scene.set(.dismissed, try scene.found(scene.owner)[0].id)
        try await scene.add("more")
    }

    @Test("A listing has at most 200 sightings that are not dismissed")
    func full() async throws {
        let scene = try await Scene()
        try await scene.board.database.write { db in
            for _ in 0..<Sighting.maxCount {
                try db.execute(
                    """
                    INSERT INTO sighting (uuid, listing_id, owner_id, account_id, lon, lat, approximate, seen_at, state,
                        is_delivered)
                    VALUES (?, ?, ?, ?, 14, 40, FALSE, '2026-02-03T03:20:00.000Z', 'confirmed', TRUE)
                    """,
                    [UUID().uuidString.lowercased(), scene.listing.key, scene.owner.key, scene.other.key]
                )
            }
        }
        await #expect(throws: ServiceError.self) { try await scene.add() }
        try await scene.set(.dismissed, try scene.found(scene.owner)[0].id)
        try await scene.add()
    }

    @Test("The owner attaches an open sighted listing of the same species, once")
    func attaching() async throws {
        let scene = try await Scene()
        let create = { (status: Listing.Status, species: Species) in
            try await scene.board.listings.create(
                .at(14.801357, 40.781357, status) { ($0.species, $0.name) = (species, "Seen") },
                owner: scene.other
            )
        }
        let sighted = try await create(.sighted, .dog)
        let store = scene.board.sightings
        for wrong in [try await create(.found, .dog), try await create(.sighted, .cat), scene.listing] {
            await #expect(throws: ServiceError.self) {
                _ = try await store.attach(wrong.id, to: scene.listing, by: scene.owner)
            }
        }
        let error = await #expect(throws: ServiceError.self) {
            _ = try await store.attach(sighted.id, to: scene.listing, by: scene.other)
        }
        #expect(error?.code == .forbidden)
        #expect(try store.findListings(of: scene.owner, toAttach: sighted).map(\.id) == [scene.listing.id])
        let attached = try await store.attach(sighted.id, to: scene.listing, by: scene.owner)
        #expect(attached.state == .confirmed && attached.attached?.id == sighted.id)
        #expect(try store.findListings(of: scene.owner, toAttach: sighted).isEmpty)
        try await scene.set(.dismissed, attached.id)
        #expect(try await store.attach(sighted.id, to: scene.listing, by: scene.owner).id == attached.id)
        let seen = try #require(try scene.found(nil).first)
        #expect(seen.attached?.name == "Seen" && seen.point == seen.point.cellCentre)
        try await scene.board.hide(sighted)
        #expect(try scene.found(nil).isEmpty && scene.found(scene.owner).isEmpty)
    }

    @Test(
        "Sightings are in the export of author and owner, move with a guest, and are deleted with account and listing"
    )
    func personalData() async throws {
        let scene = try await Scene()
        try await scene.add("By the river")
        let data = PersonalData(scene.board.database)
        for (account, isMine) in [(scene.owner, 0.0), (scene.author, 1.0)] {
            let rows = try #require(try data.overview(of: account)["sightings"])
            #expect(rows.map { $0["text"] } == [.string("By the river")])
            #expect(rows.first?["is_mine"] == .number(isMine))
        }
        #expect(try data.overview(of: scene.other)["sightings"]?.isEmpty == true)
        try await scene.board.accounts.remove(scene.author)
        #expect(try scene.found(scene.owner).isEmpty)
        try await scene.add("again", by: scene.other)
        try await scene.board.accounts.remove(scene.owner)
        let left = try await scene.board.database.read { db in
            try db.value(
                "SELECT (SELECT count(*) FROM sighting) + (SELECT count(*) FROM listing_history)"
            ) as Int?
        }
        #expect(left == 0)
    }

    @Test("A removed sighting is gone, and its reports are upheld")
    func removal() async throws {
        let scene = try await Scene()
        let id = try await scene.add("Buy my dog food").sighting.id
        let draft = Report.Draft(subject: .sighting, id: id, reason: .spam, text: nil)
        #expect(throws: ServiceError.self) { try scene.board.reports.check(draft, by: scene.other) }
        #expect(throws: ServiceError.self) { try scene.board.reports.check(draft, by: scene.author) }
        try await scene.board.reports.file(draft, by: scene.owner)
        let report = try #require(try scene.board.reports.cases(.init()).cases.first)
        #expect(report.isThere && report.message?.contains("Buy my dog food") == true)
        #expect(report.message?.contains("40.7813") == false && report.account == scene.author.id)
        try await scene.board.moderation.removeSighting(id, .init(.spam, by: .service))
        #expect(try scene.found(scene.author).isEmpty)
        let closed = try #require(try scene.board.reports.findCase(id: report.id))
        #expect(closed.status == .upheld && !closed.isThere && closed.message != nil)
        await #expect(throws: ServiceError.self) {
            try await scene.board.moderation.removeSighting(id, .init(.spam, by: .service))
        }
    }

    @Test("The timeline tells what happened in order, with the sightings that the reader may see")
    func timeline() async throws {
        let scene = try await Scene()
        let id = try await scene.add("By the river").sighting.id
        #expect(try scene.timeline().map(\.kind) == [.seen, .posted])
        #expect(try scene.timeline(scene.owner).map(\.kind) == [.seen, .posted, .sighting])
        try await scene.set(.confirmed, id)
        var listing = scene.listing
        for status in [Listing.Status.sighted, .found, .reunited] {
            var content = listing.content
            content.status = status
            listing = try await scene.board.listings.update(
                listing,
                content: content,
                location: listing.location,
                version: nil
            )
        }
        let told = try scene.timeline()
        #expect(told.map(\.kind) == [.seen, .posted, .sighting, .status, .status, .status])
        #expect(told.map(\.status) == [.lost, .lost, nil, .sighted, .found, .reunited])
        #expect(told[2].sighting?.contactPhone == nil)
        try await scene.set(.dismissed, id)
        #expect(try !scene.timeline(scene.owner).contains { $0.kind == .sighting })
    }

    @Test("The timeline knows renewals, expiries and moves, and keeps the newest 200 entries")
    func history() async throws {
        let scene = try await Scene()
        var location = scene.listing.location
        location.coordinate = try #require(Coordinate(lon: 15, lat: 41))
        let moved = try await scene.board.listings.update(
            scene.listing,
            content: scene.listing.content,
            location: location,
            version: nil
        )
        var described = moved.content
        described.description = "Red collar"
        _ = try await scene.board.listings.update(moved, content: described, location: location, version: nil)
        #expect(try scene.timeline().map(\.kind) == [.seen, .posted, .moved])
        try await scene.board.listings.renew(scene.listing) { _ in }
        let retention = RetentionStore(scene.board.database)
        let later = Timestamp.now.adding(days: 200)
        _ = try await retention.warn(at: later)
        #expect(try await retention.expire(at: later.adding(days: 30)) == 1)
        #expect(try scene.timeline().map(\.kind).suffix(2) == [.renewed, .expired])
        #expect(try scene.timeline().last?.status == .closed)
        try await scene.board.listings.renew(scene.listing) { _ in }
        #expect(try scene.timeline().last.map { [$0.kind.rawValue, $0.status?.rawValue] } == ["status", "lost"])
        for _ in 0..<(TimelineEntry.maxCount + 20) { try await scene.board.listings.renew(scene.listing) { _ in } }
        #expect(try scene.timeline().map(\.kind) == Array(repeating: .renewed, count: TimelineEntry.maxCount))
        let kept = try await scene.board.database.read { db in
            try db.value("SELECT count(*) FROM listing_history") as Int?
        }
        #expect(kept == TimelineEntry.maxCount)
        #expect(try await scene.board.database.check().findings.flatMap(\.problems) == [])
    }
}
