import Domain
import Foundation
import TestSupport
import Testing

@testable import Storage

@Suite("Alerts")
struct AlertStoreTests {
    /// An account with an alert for animals within 10 km of Fisciano, and another account that posts.
    private struct Scene {
        let board: TestDatabase
        let store: AlertStore
        let reader: Account
        let poster: Account

        init() async throws {
            board = try await TestDatabase()
            store = AlertStore(board.database)
            (reader, poster) = (try await board.guest(), try await board.guest())
        }

        @discardableResult
        func alert(
            _ lon: Double = 14.79,
            _ lat: Double = 40.77,
            radius: Double = 10_000,
            of account: Account? = nil
        ) async throws -> Alert {
            let query = try Self.query(lon, lat, radius)
            let search = ["lon": "\(lon)", "lat": "\(lat)", "radius": "\(radius)"]
            return try await store.create(name: nil, search: search, query, by: account ?? reader)
        }

        static func query(_ lon: Double, _ lat: Double, _ radius: Double) throws -> ListingQuery {
            var query = ListingQuery()
            query.circle = .init(centre: try #require(Coordinate(lon: lon, lat: lat)), radius: radius)
            return query
        }

        func post(
            _ lon: Double = 14.79,
            _ lat: Double = 40.77,
            _ status: Listing.Status = .lost
        ) async throws -> Listing {
            try await board.listings.create(.at(lon, lat, status), owner: poster)
        }

        func set(_ status: Listing.Status, _ listing: Listing) async throws -> Listing {
            var content = listing.content
            content.status = status
            return try await board.listings.update(listing, content: content, location: listing.location, version: nil)
        }

        /// Performs all comparisons that wait, in batches. Returns the listings in the order of their turns.
        @discardableResult
        func run(batch: Int = 500) async throws -> [Int64] {
            var turns: [Int64] = []
            while let fanOut = try store.findFanOuts(limit: 1).first {
                turns.append(fanOut.listing)
                let keys = try store.findAlerts(around: fanOut)
                let isLast = keys.count <= batch
                _ = try await store.advance(
                    fanOut,
                    Array(keys.prefix(batch)),
                    isLast: isLast,
                    zone: Self.zone,
                    Self.matcher
                )
            }
            return turns
        }

        static let zone: @Sendable (Coordinate, String?) -> TimeZone = { _, _ in .gmt }

        static let matcher: @Sendable (Alert) -> ListingMatcher? = { alert in
            guard let lon = alert.subject.search?["lon"].flatMap(Double.init),
                let lat = alert.subject.search?["lat"].flatMap(Double.init),
                let radius = alert.subject.search?["radius"].flatMap(Double.init)
            else { return nil }
            return (try? query(lon, lat, radius)).map { ListingMatcher($0) }
        }

        func found(_ alert: Alert) throws -> [Int64] {
            try store.findFindings(of: alert, limit: 200) { $0.key }.findings.map(\.value)
        }
    }

    @Test("An alert finds new listings in its circle, but not those around it, older ones or those of its owner")
    func circle() async throws {
        let scene = try await Scene()
        _ = try await scene.post()
        let alert = try await scene.alert()
        let near = try await scene.post(14.8)
        // In the corner of the box, 13 km from the centre.
        _ = try await scene.post(14.9, 40.855)
        _ = try await scene.post(14.79, 41.2)
        _ = try await scene.board.listings.create(.at(14.79, 40.77), owner: scene.reader)
        try await scene.run()
        #expect(try scene.found(alert) == [near.key])
    }

    @Test("Edits are silent, and a new status is told once")
    func edits() async throws {
        let scene = try await Scene()
        let alert = try await scene.alert()
        var listing = try await scene.post()
        try await scene.run()
        var content = listing.content
        content.name = "Argo"
        listing = try await scene.board.listings.update(
            listing,
            content: content,
            location: listing.location,
            version: nil
        )
        #expect(try scene.store.findFanOuts(limit: 1).isEmpty)
        listing = try await scene.set(.sighted, listing)
        try await scene.run()
        #expect(try scene.store.findFindings(of: alert, limit: 9) { $0.key }.findings.map(\.status) == [.sighted])
        listing = try await scene.set(.reunited, listing)
        #expect(try scene.store.findFanOuts(limit: 1).isEmpty)
        #expect(try scene.found(alert).isEmpty)
    }

    @Test("Paused alerts and accounts that block each other are not told")
    func silence() async throws {
        let scene = try await Scene()
        let alert = try await scene.alert()
        let other = try await scene.board.guest()
        let blocked = try await scene.alert(of: other)
        try await scene.board.database.write { [poster = scene.poster] db in
            try db.execute(
                "INSERT INTO block (uuid, blocker_id, blocked_id) VALUES (?, ?, ?)",
                [UUID().uuidString, poster.key, other.key]
            )
        }
        let paused = try await scene.store.edit(id: alert.id, of: scene.reader) { alert in
            AlertChange(name: "Home", isPaused: true, search: nil)
        }
        #expect(paused.name == "Home" && paused.isPaused && paused.version == 2)
        _ = try await scene.post()
        try await scene.run()
        #expect(try scene.found(alert).isEmpty && scene.found(blocked).isEmpty)
    }

    @Test("A listing with many readers does not delay another, and goes on after an interruption")
    func turns() async throws {
        let scene = try await Scene()
        var alerts: [Alert] = []
        for _ in 0..<7 { alerts.append(try await scene.alert(of: try await scene.board.guest())) }
        let lonely = try await scene.alert(-100, 40)
        let crowded = try await scene.post()
        let first = try #require(try scene.store.findFanOuts(limit: 1).first)
        let keys = try scene.store.findAlerts(around: first)
        #expect(keys == alerts.map(\.key))
        let count = try await scene.store.advance(
            first,
            Array(keys.prefix(2)),
            isLast: false,
            zone: Scene.zone,
            Scene.matcher
        )
        #expect(count == 2)
        // The same step again, as after a crash before its answer, changes nothing.
        let again = try await scene.store.advance(
            first,
            Array(keys.prefix(2)),
            isLast: false,
            zone: Scene.zone,
            Scene.matcher
        )
        #expect(again == 0)
        let quick = try await scene.post(-100, 40)
        let turns = try await scene.run(batch: 2)
        #expect(turns == [quick.key, crowded.key, crowded.key, crowded.key])
        #expect(try scene.found(lonely) == [quick.key])
        for alert in alerts { #expect(try scene.found(alert) == [crowded.key]) }
    }

    @Test("The nearest alerts are compared first, also behind an alert that was deleted meanwhile")
    func nearestFirst() async throws {
        let scene = try await Scene()
        var (readers, alerts) = ([Account](), [Alert]())
        for lon in [14.83, 14.80, 14.82, 14.79, 14.81] {
            readers.append(try await scene.board.guest())
            alerts.append(try await scene.alert(lon, 40.77, of: readers.last))
        }
        let nearest = [3, 1, 4, 2, 0].map { alerts[$0].key }
        _ = try await scene.post()
        let first = try #require(try scene.store.findFanOuts(limit: 1).first)
        #expect(try scene.store.findAlerts(around: first) == nearest)
        _ = try await scene.store.advance(
            first,
            Array(nearest.prefix(2)),
            isLast: false,
            zone: Scene.zone,
            Scene.matcher
        )
        let second = try #require(try scene.store.findFanOuts(limit: 1).first)
        #expect(try scene.store.findAlerts(around: second) == Array(nearest.dropFirst(2)))
        try await scene.store.remove(id: alerts[1].id, of: readers[1]) { _ in }
        #expect(try scene.store.findAlerts(around: second) == nearest.filter { $0 != alerts[1].key })
        try await scene.run(batch: 2)
        for alert in alerts where alert.key != alerts[1].key { #expect(try scene.found(alert).count == 1) }
    }

    @Test("A change of status during a comparison begins it again")
    func restart() async throws {
        let scene = try await Scene()
        let alert = try await scene.alert()
        let listing = try await scene.post()
        let fanOut = try #require(try scene.store.findFanOuts(limit: 1).first)
        _ = try await scene.store.advance(fanOut, [alert.key], isLast: false, zone: Scene.zone, Scene.matcher)
        let late = try #require(try scene.store.findFanOuts(limit: 1).first)
        _ = try await scene.set(.sighted, listing)
        _ = try await scene.store.advance(late, [], isLast: true, zone: Scene.zone, Scene.matcher)
        #expect(try scene.store.findFanOuts(limit: 1).map(\.turn) == [0])
        try await scene.run()
        #expect(try scene.store.findFindings(of: alert, limit: 9) { $0.key }.findings.map(\.status) == [.sighted])
    }

    @Test("Areas across the antimeridian and around a pole, changes and removals")
    func areas() async throws {
        let scene = try await Scene()
        let alert = try await scene.alert(179.99, -17, radius: 50_000)
        let pole = try await scene.alert(0, 89.9, radius: 50_000)
        let (east, north) = (try await scene.post(-179.9, -17), try await scene.post(170, 89.8))
        try await scene.run()
        #expect(try scene.found(alert) == [east.key] && scene.found(pole) == [north.key])
        let query = try Scene.query(10, 45, 1_000)
        _ = try await scene.store.edit(id: alert.id, of: scene.reader) { alert in
            let search = ["lon": "10", "lat": "45", "radius": "1000"]
            return AlertChange(name: nil, isPaused: false, search: (search, query))
        }
        let moved = try await scene.post(10, 45)
        try await scene.run()
        #expect(try scene.found(alert) == [moved.key, east.key])
        try await scene.store.remove(id: alert.id, of: scene.reader) { _ in }
        try await scene.store.remove(id: pole.id, of: scene.reader) { _ in }
        let rest: Int? = try scene.board.database.readNow { db in
            try db.value("SELECT (SELECT count(*) FROM alert_area) + (SELECT count(*) FROM alert_listing)")
        }
        #expect(rest == 0)
    }

    @Test("Others' alerts are not found, and the number of an account's is limited")
    func limits() async throws {
        let scene = try await Scene()
        let alert = try await scene.alert()
        #expect(throws: ServiceError.self) { try scene.store.getAlert(id: alert.id, of: scene.poster) }
        await #expect(throws: ServiceError.self) {
            try await scene.store.remove(id: alert.id, of: scene.poster) { _ in }
        }
        for _ in 1..<Alert.maxCount { try await scene.alert() }
        await #expect(throws: ServiceError.self) { try await scene.alert() }
        #expect(try scene.store.findAlerts(of: scene.reader).count == Alert.maxCount)
    }

    @Test("Without alerts, imports leave nothing to compare")
    func noAlerts() async throws {
        let scene = try await Scene()
        _ = try await scene.board.listings.put([.at(14.79, 40.77)], owner: scene.poster)
        #expect(try scene.store.findFanOuts(limit: 1).isEmpty)
    }
}
