import Domain
import Foundation
import Storage
import TestSupport
import Testing

@Suite("Tracks")
struct TrackStoreTests {
    /// A listing of a lost dog with its owner, and another person.
    private struct Scene {
        let board: TestDatabase
        let store: TrackStore
        let owner: Account
        let other: Account
        let listing: Listing

        init() async throws {
            board = try await TestDatabase()
            store = TrackStore(board.database)
            (owner, other) = (try await board.guest(), try await board.guest())
            listing = try await board.listings.create(.at(14.79, 40.77) { $0.name = "Argo" }, owner: owner)
        }

        @discardableResult
        func open(
            _ number: Int = 1,
            device: String = "collar",
            visibility: Track.Visibility = .owner
        ) async throws -> Track {
            let content = TrackContent(kind: .collar, name: "Argo", visibility: visibility)
            return try await store.open(number, of: listing, content, device: device, by: owner).track
        }

        @discardableResult
        func put(
            _ segments: [[TrackPoint]],
            as number: Int? = nil,
            visibility: Track.Visibility = .owner
        ) async throws -> Track {
            let content = TrackContent(kind: .searchParty, name: nil, visibility: visibility)
            let file = try TrackFile(segments)
            return try await store.put(file, as: number, of: listing, content, by: owner).track
        }

        func found(_ reader: Account?) throws -> [Track] { try store.findTracks(of: listing, seenBy: reader) }

        func close(_ status: Listing.Status = .reunited) async throws {
            var content = listing.content
            content.status = status
            _ = try await board.listings.update(listing, content: content, location: listing.location, version: nil)
        }
    }

    /// In milliseconds.
    private static let start: Int64 = 1_770_000_000_000

    /// A point so many seconds after the start, and 1 m farther east each second.
    private static func point(_ seconds: Int64, timed: Bool = true) throws -> TrackPoint {
        let point = try #require(Coordinate(lon: 14.793211 + Double(seconds) * 0.000012, lat: 40.771934))
        return TrackPoint(point, at: timed ? start + 1000 * seconds : nil)
    }

    private static func points(_ seconds: some Sequence<Int64>) throws -> [TrackPoint] {
        try seconds.map { try point($0) }
    }

    @Test("A summary tells the owner the number and the time of the points, and others only that there is a track")
    func summaries() async throws {
        let scene = try await Scene()
        try await scene.open(1, visibility: .everyone)
        _ = try await scene.store.add(try Self.points([30, 10]), to: 1, of: scene.listing)
        try await scene.put([[try Self.point(1, timed: false)], [try Self.point(2, timed: false)]])
        let own = try scene.store.findSummaries(of: scene.listing, seenBy: scene.owner)
        #expect(own.map(\.number) == [1, 2] && own.map(\.pointCount) == [2, 2] && own.map(\.isOpen) == [true, false])
        #expect(own.map(\.lastPointAt) == [Timestamp(milliseconds: Self.start + 30_000), nil])
        #expect(own[0].device == "collar")
        for reader in [scene.other, nil] {
            let told = try scene.store.findSummaries(of: scene.listing, seenBy: reader)
            #expect(told.map(\.number) == [1] && told[0].name == "Argo")
            #expect(told[0].pointCount == 0 && told[0].lastPointAt == nil && told[0].device == nil)
        }
    }

    @Test("Points arrive late, in any order and repeatedly, and each is stored once, in order")
    func lateAndRepeated() async throws {
        let scene = try await Scene()
        try await scene.open()
        let first = try await scene.store.add(try Self.points([30, 10]), to: 1, of: scene.listing)
        #expect(first == ReceivedPoints(added: 2, total: 2))
        let version = try scene.found(scene.owner)[0].version
        #expect(try await scene.store.add(try Self.points([10, 30]), to: 1, of: scene.listing).added == 0)
        #expect(try scene.found(scene.owner)[0].version == version)
        #expect(try await scene.store.add(try Self.points([20, 10, 20]), to: 1, of: scene.listing).added == 1)
        #expect(try scene.found(scene.owner)[0].segments == [try Self.points([10, 20, 30])])
    }

    @Test("The same points sent by many requests at once are stored once")
    func race() async throws {
        let scene = try await Scene()
        try await scene.open()
        let points = try Self.points(0..<100)
        let added = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { try await scene.store.add(points.shuffled(), to: 1, of: scene.listing).added }
            }
            return try await group.reduce(0, +)
        }
        #expect(try added == 100 && scene.found(scene.owner)[0].pointCount == 100)
    }

    @Test("A device has one open track, whatever the listing")
    func oneSession() async throws {
        let scene = try await Scene()
        try await scene.open()
        let error = await #expect(throws: ServiceError.self) { try await scene.open(2) }
        #expect(error?.code == .conflict && error?.message.text.contains("track 1 of listing") == true)
        #expect(error?.message.text.contains(scene.listing.id.uuidString.lowercased()) == true)
        try await scene.open(2, device: "phone")
        // Opening it again is no other session.
        #expect(try await scene.open().closedAt == nil)
        let closed = try await scene.store.edit(1, of: scene.listing, TrackChange(isClosed: true), by: scene.owner)
        #expect(closed.closedAt != nil)
        try await scene.open(3)
        #expect(try scene.found(scene.owner).map(\.number) == [1, 2, 3])
    }

    @Test("Another owner's device may have the same name")
    func sameName() async throws {
        let scene = try await Scene()
        try await scene.open()
        let listing = try await scene.board.listings.create(.at(14.79, 40.77), owner: scene.other)
        let content = TrackContent(kind: .collar, name: nil, visibility: .owner)
        _ = try await scene.store.open(1, of: listing, content, device: "collar", by: scene.other)
    }

    @Test("A closed listing closes its tracks", arguments: [Listing.Status.reunited, .closed])
    func closing(status: Listing.Status) async throws {
        let scene = try await Scene()
        try await scene.open()
        try await scene.store.setToken(Data(count: 32), of: 1, of: scene.listing)
        try await scene.close(status)
        #expect(try scene.found(scene.owner)[0].closedAt != nil)
        for attempt in [
            { _ = try await scene.store.add(try Self.points([1]), to: 1, of: scene.listing) },
            {
                let listing = scene.listing.id
                let points = try Self.points([1])
                _ = try await scene.store.add(points, tokenHash: Data(count: 32), number: 1, listing: listing)
            }, { try await scene.open(2, device: "phone") }, { try await scene.put([try Self.points([1])]) },
        ] as [@Sendable () async throws -> Void] {
            let error = await #expect(throws: ServiceError.self) { try await attempt() }
            #expect(error?.code == .conflict)
        }
        #expect(try await scene.board.database.check().findings.flatMap(\.problems) == [])
    }

    @Test("Others see the cells of tracks for everyone, once each and with hours, and the owner sees the points")
    func visibility() async throws {
        let scene = try await Scene()
        let points = try Self.points(stride(from: 0, through: 1200, by: 10))
        try await scene.put([points + [try Self.point(0)], points], visibility: .everyone)
        try await scene.put([points])
        let own = try scene.found(scene.owner)
        #expect(own.count == 2 && own.allSatisfy(\.isExact) && own[0].segments == [points, points])
        for reader in [nil, scene.other] {
            let seen = try scene.found(reader)
            #expect(seen.count == 1 && !seen[0].isExact && seen[0].device == nil)
            let shown = seen[0].segments.joined().map(\.coordinate)
            #expect(shown.allSatisfy { $0 == $0.cellCentre } && Set(shown).count == shown.count)
            #expect(Set(shown) == Set(points.map(\.coordinate.cellCentre)) && shown.count > 1)
            #expect(seen[0].segments.joined().allSatisfy { ($0.time ?? 1) % 3_600_000 == 0 })
            #expect(seen[0].openedAt.milliseconds % 3_600_000 == 0)
            #expect(throws: ServiceError.self) { try scene.store.getTrack(2, of: scene.listing, seenBy: reader) }
        }
        _ = try await scene.board.moderation.ban(scene.owner.id, until: nil, .init(.spam, by: .service))
        #expect(try scene.found(scene.other).isEmpty)
    }

    @Test("A listing has at most 20 tracks, and a file replaces a closed track only")
    func numbers() async throws {
        let scene = try await Scene()
        let segment = try Self.points([1, 2])
        for number in Track.numbers { #expect(try await scene.put([segment]).number == number) }
        await #expect(throws: ServiceError.self) { try await scene.put([segment]) }
        let replaced = try await scene.put([try Self.points([3])], as: 7)
        #expect(replaced.version == 2 && replaced.pointCount == 1)
        try await scene.store.remove(7, of: scene.listing)
        try await scene.open(7)
        let error = await #expect(throws: ServiceError.self) { try await scene.put([segment], as: 7) }
        #expect(error?.code == .conflict)
    }

    @Test("A precondition that fails changes nothing")
    func preconditions() async throws {
        let scene = try await Scene()
        try await scene.put([try Self.points([1, 2])])
        let refuse: TrackStore.Check = { _ in throw ServiceError(.preconditionFailed, "changed") }
        let file = try TrackFile([try Self.points([1])])
        let content = TrackContent(kind: .collar, name: nil, visibility: .everyone)
        let change = TrackChange(visibility: .everyone)
        for attempt in [
            { _ = try await scene.store.put(file, as: 1, of: scene.listing, content, by: scene.owner, refuse) },
            { _ = try await scene.store.edit(1, of: scene.listing, change, by: scene.owner, refuse) },
            { try await scene.store.remove(1, of: scene.listing, refuse) },
        ] as [@Sendable () async throws -> Void] {
            await #expect(throws: ServiceError.self) { try await attempt() }
        }
        let track = try scene.found(scene.owner)[0]
        #expect(track.pointCount == 2 && track.visibility == .owner && track.kind == .searchParty && track.version == 1)
    }

    @Test("Times that are there are kept: points without one stay where they are, and those in the future are left out")
    func someTimes() async throws {
        let scene = try await Scene()
        let future = TrackPoint(try Self.point(9).coordinate, at: Timestamp.now.milliseconds + 86_400_000)
        let known = try [(0, false), (1, false), (5, true), (6, false), (2, true), (3, false), (7, false), (8, true)]
            .map {
                try Self.point($0, timed: $1)
            }
        let segments = [known + [future], try (0..<3).map { try Self.point($0, timed: false) }]
        #expect(try TrackFile(segments, leftOut: 2).leftOut == 3)
        let track = try await scene.put(segments)
        #expect(track.segments[0] == [0, 1, 4, 5, 6, 2, 3, 7].map { known[$0] })
        #expect(track.segments[1] == segments[1])
        let summary = try scene.store.findSummaries(of: scene.listing, seenBy: scene.owner)[0]
        #expect(summary.lastPointAt?.milliseconds == known[7].time)
    }

    @Test("A track has at most 10,000 points: files are thinned, and points of devices refused")
    func bounds() async throws {
        let scene = try await Scene()
        let long = try (0..<Int64(30_000)).map { try Self.point($0, timed: $0 != 17) }
        let track = try await scene.put([long])
        #expect((1000...Track.maxPoints).contains(track.pointCount))
        #expect(track.segments[0].first == long[0])
        #expect(track.segments[0].last?.coordinate == long.last?.coordinate)
        let scattered = try (0..<20_000).map { number in
            TrackPoint(try #require(Coordinate(lon: Double(number) / 200, lat: 0)), at: nil)
        }
        #expect(throws: ServiceError.self) { try TrackFile([scattered]) }
        #expect(throws: ServiceError.self) {
            try TrackFile([[TrackPoint(long[0].coordinate, at: Timestamp.now.milliseconds + 86_400_000)]])
        }
        try await scene.open(2)
        for hour in 0..<10 {
            let points = try Self.points(Int64(hour * 1000)..<Int64(hour * 1000 + 1000))
            _ = try await scene.store.add(points, to: 2, of: scene.listing)
        }
        let error = await #expect(throws: ServiceError.self) {
            try await scene.store.add(try Self.points([9999, 10_000]), to: 2, of: scene.listing)
        }
        #expect(error?.code == .conflict)
        #expect(try scene.found(scene.owner)[1].pointCount == Track.maxPoints)
    }

    @Test("A token belongs to one track, and the next one replaces it")
    func tokens() async throws {
        let scene = try await Scene()
        try await scene.open()
        try await scene.open(2, device: "phone")
        let (first, second) = (Data(repeating: 1, count: 32), Data(repeating: 2, count: 32))
        func isKnown(_ token: Data, _ number: Int) throws -> Bool {
            try scene.store.isDevice(token, number: number, listing: scene.listing.id)
        }
        try await scene.store.setToken(first, of: 1, of: scene.listing)
        #expect(try isKnown(first, 1) && !isKnown(first, 2) && !isKnown(second, 1))
        #expect(try !scene.store.isDevice(first, number: 1, listing: UUID()))
        try await scene.store.setToken(second, of: 1, of: scene.listing)
        #expect(try !isKnown(first, 1) && isKnown(second, 1))
        _ = try await scene.board.moderation.ban(scene.owner.id, until: nil, .init(.spam, by: .service))
        #expect(try !isKnown(second, 1))
    }

    @Test("The newest place is that of a collar, by the time of the points")
    func newest() async throws {
        let scene = try await Scene()
        #expect(try scene.store.findNewestCollarPlace(of: scene.listing) == nil)
        try await scene.put([try Self.points([500])])
        #expect(try scene.store.findNewestCollarPlace(of: scene.listing) == nil)
        try await scene.open(2)
        _ = try await scene.store.add(try Self.points([200, 300, 100]), to: 2, of: scene.listing)
        let newest = try #require(try scene.store.findNewestCollarPlace(of: scene.listing))
        #expect(try newest.coordinate == Self.point(300).coordinate)
        #expect(newest.time.milliseconds == Self.start + 300_000)
    }
}
