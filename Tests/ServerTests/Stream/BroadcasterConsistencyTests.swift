import Domain
import Formats
import Foundation
import Logging
import NIOCore
import RandomSupport
import ServerSupport
import ServiceLifecycle
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Server

/// Changes listings over HTTP and by another connection, while subscribers with filters are cut off at random points
/// and reconnect.
@Suite("Consistency of subscribers")
struct BroadcasterConsistencyTests {
    private static let towns = ["Fisciano", "Salerno", "Baronissi"]
    private static let breeds: [String?] = ["beagle", "labrador_retriever", nil]

    @Test("Subscribers end with the results of a search and get no event twice", .timeLimit(.minutes(10)))
    func searchResults() async throws {
        let seed: UInt64 = 1
        try await RunningService.with(hasModel: false) { service in
            let board = service.board
            let live = ListingEventBroadcaster(
                events: EventStore(board.database),
                base: "https://dogs.example.org",
                maxSubscribers: 100,
                cycle: 4,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            let group = ServiceGroup(
                configuration: .init(services: [live], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            )
            async let stopped: Void = group.run()
            let script = Script()
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                let writers = Writers(service: service, script: script)
                tasks.addTask { try await writers.byHTTP(seed: seed) }
                tasks.addTask { try await writers.beside(seed: seed) }
                for number in 0..<8 {
                    tasks.addTask {
                        var random = SeededGenerator(seed: seed * 100 + UInt64(number))
                        let query = try Self.query(&random)
                        var picture = Picture(query, board)
                        try picture.search()
                        while script.isOn {
                            try await picture.follow(live, cut: .random(in: 1...60, using: &random), script)
                        }
                        try await picture.catchUp(live)
                        #expect(try picture.listings == Picture.found(query, board), "\(query)")
                        #expect(!picture.hasHeardTwice)
                    }
                }
                try await tasks.waitForAll()
            }
            await group.triggerGracefulShutdown()
            try await stopped
        }
    }

    private static func query(_ random: inout SeededGenerator) throws -> ListingQuery {
        var query = ListingQuery()
        let centre = try Writers.point(&random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: query.box = BoundingBox(around: centre, reach: .random(in: 0.01...0.5, using: &random))
        case 1: query.circle = .init(centre: centre, radius: .random(in: 1_000...50_000, using: &random))
        default: break
        }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: query.statuses = [.lost, .reunited]
        case 1: query.species = .cat
        case 2: query.places = ["salerno"]
        case 3: query.breed = .key("beagle")
        default: break
        }
        query.limit = 10_000
        return query
    }

    /// The state that tasks share: how many writers are active.
    private final class Script: Sendable {
        private let writing = Atomic(2)

        var isOn: Bool { writing.load(ordering: .acquiring) > 0 }

        func end() { writing.subtract(1, ordering: .releasing) }
    }

    private struct Writers {
        let service: RunningService
        let script: Script

        static func point(_ random: inout SeededGenerator) throws -> Coordinate {
            let lon = (Double.random(in: 14...15, using: &random) * 1e4).rounded() / 1e4
            let lat = (Double.random(in: 41...42, using: &random) * 1e4).rounded() / 1e4
            return try #require(Coordinate(lon: lon, lat: lat))
        }

        func byHTTP(seed: UInt64) async throws {
            defer { script.end() }
            var random = SeededGenerator(seed: seed)
            let token = try await service.guest()
            var ids: [String] = []
            for _ in 0..<250 {
                let point = try Self.point(&random)
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1:
                    let species = Bool.random(using: &random) ? "dog" : "cat"
                    ids.append(
                        try await service.post(
                            #"{"status": "lost", "species": "\#(species)", "lon": \#(point.lon), "lat": \#(point.lat)}"#,
                            token
                        )
                    )
                case 2:
                    guard let id = ids.randomElement(using: &random) else { continue }
                    let body = #"{"lon": \#(point.lon), "lat": \#(point.lat)}"#
                    try await service.send("PATCH", "/v1/listings/\(id)", body, token: token)
                case 3:
                    guard let id = ids.randomElement(using: &random) else { continue }
                    let status = ["lost", "found", "reunited", "closed"].randomElement(using: &random) ?? "lost"
                    try await service.send("PATCH", "/v1/listings/\(id)", #"{"status": "\#(status)"}"#, token: token)
                case 4:
                    guard let id = ids.randomElement(using: &random) else { continue }
                    let breed = ["Beagle", "Labrador Retriever"].randomElement(using: &random) ?? ""
                    try await service.send("PATCH", "/v1/listings/\(id)", #"{"breed": "\#(breed)"}"#, token: token)
                default:
                    guard !ids.isEmpty else { continue }
                    let id = ids.remove(at: .random(in: ids.indices, using: &random))
                    try await service.send("DELETE", "/v1/listings/\(id)", token: token)
                }
            }
        }

        /// Writes as the command line does, by a separate connection.
        func beside(seed: UInt64) async throws {
            defer { script.end() }
            var random = SeededGenerator(seed: seed + 1000)
            let database = try service.board.openAgain()
            let store = ListingStore(database)
            let moderation = ModerationStore(database)
            let owner = try await AccountStore(database).createGuest(tokenHash: Data(repeating: 7, count: 32))
            var ids: [UUID] = []
            for _ in 0..<250 {
                let known = try await ids.randomElement(using: &random).flatMapAsync(store.findListing)
                switch (Int.random(in: 0..<7, using: &random), known) {
                case (0...1, _), (_, nil):
                    var draft = try ListingStore.Draft.at(0, 0)
                    draft.content.breedKey = BroadcasterConsistencyTests.breeds.randomElement(using: &random) ?? nil
                    draft.location = ListingLocation(coordinate: try Self.point(&random), approximate: false)
                    draft.location.place = BroadcasterConsistencyTests.towns.randomElement(using: &random)
                    ids.append(draft.id)
                    _ = try await store.put([draft], owner: owner)
                case (2, let known?) where !known.hidden: try await moderation.hide(known.id, .init(by: .service))
                case (3, let known?) where known.hidden: try await moderation.restore(known.id, by: .service)
                case (2...3, _): continue
                case (4...5, let known?):
                    var location = known.location
                    location.coordinate = try Self.point(&random)
                    location.place = BroadcasterConsistencyTests.towns.randomElement(using: &random)
                    _ = try await store.update(known, content: known.content, location: location, version: nil)
                case (_, let known?):
                    try await store.remove(known, version: nil)
                    ids.removeAll { $0 == known.id }
                }
            }
        }
    }

    /// The state of a client that searches once and then follows the stream.
    private struct Picture {
        private(set) var listings: [String: JSONValue] = [:]
        private(set) var hasHeardTwice = false
        private let query: ListingQuery
        private let board: TestDatabase
        private var last: Int64 = 0
        private var lastTold: Int64 = 0

        private struct CutOff: Error {}

        init(_ query: ListingQuery, _ board: TestDatabase) {
            self.query = query
            self.board = board
        }

        static func found(_ query: ListingQuery, _ board: TestDatabase) throws -> [String: JSONValue] {
            var listings: [String: JSONValue] = [:]
            _ = try board.search.find(query) { row, _ in
                var json = JSONWriter()
                try json.feature(row, base: "https://dogs.example.org", full: false)
                listings[row.string(.uuid) ?? ""] = try JSONDecoder().decode(JSONValue.self, from: Data(json.text.utf8))
            }
            return listings
        }

        /// The position in the log is read before the search, so that events between the two are delivered again.
        mutating func search() throws {
            last = try EventStore(board.database).bounds()?.upperBound ?? 0
            listings = try Self.found(query, board)
        }

        /// Follows until this many messages were read, which may be in the middle of a block, or until the writers have
        /// finished.
        mutating func follow(_ live: ListingEventBroadcaster, cut: Int, _ script: Script) async throws {
            var left = cut
            try await follow(live) { _ in
                left -= 1
                return left > 0 && script.isOn
            }
        }

        /// Follows until all events were delivered.
        mutating func catchUp(_ live: ListingEventBroadcaster) async throws {
            let end = try EventStore(board.database).bounds()?.upperBound ?? 0
            try await follow(live) { $0 < end }
            #expect(last == end)
        }

        private mutating func follow(_ live: ListingEventBroadcaster, while goesOn: (Int64) -> Bool) async throws {
            do {
                try await live.follow(ListingMatcher(query), after: last) { text in
                    for block in String(buffer: text).split(separator: "\n\n") {
                        try read(block)
                        guard goesOn(last) else { throw CutOff() }
                    }
                }
            } catch is CutOff {}
        }

        private mutating func read(_ block: Substring) throws {
            var fields: [Substring: String] = [:]
            for line in block.split(separator: "\n") {
                let parts = line.split(separator: ": ", maxSplits: 1)
                fields[parts[0]] = parts.count > 1 ? String(parts[1]) : ""
            }
            let id = try #require(fields["id"].flatMap { Int64($0) })
            if id < last { hasHeardTwice = true }
            last = id
            guard let event = fields["event"] else { return }
            if event == "reset" {
                listings = try Self.found(query, board)
                return
            }
            if id <= lastTold { hasHeardTwice = true }
            lastTold = id
            let data = try JSONDecoder().decode(JSONValue.self, from: Data((fields["data"] ?? "").utf8))
            guard case .object(let told) = data, case .string(let listing)? = told["id"] else {
                throw TestFailure("\(block)")
            }
            listings[listing] = event == "listing.removed" ? nil : told["feature"]
        }
    }
}

extension Optional {
    fileprivate func flatMapAsync<Value>(_ body: (Wrapped) async throws -> Value?) async rethrows -> Value? {
        guard let self else { return nil }
        return try await body(self)
    }
}
