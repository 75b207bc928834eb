import Domain
import Foundation
import FoundationNetworking
import Hummingbird
import Logging
import SQL
import ServerSupport
import ServiceLifecycle
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Server

@Suite("Broadcaster of listing events")
struct ListingEventBroadcasterTests {
    private static let logger: Logger = {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }()

    private static func group(_ services: any ServiceLifecycle.Service...) -> ServiceGroup {
        ServiceGroup(configuration: .init(services: services, logger: logger))
    }

    @Test("A server stops while clients are subscribed", .timeLimit(.minutes(10)))
    func shutdown() async throws {
        let store = try await TestDatabase()
        defer { withExtendedLifetime(store) {} }
        let service = try await WebService(over: store, model: nil)
        let (ports, ready) = AsyncStream.makeStream(of: Int.self)
        let group = service.serviceGroup(host: "127.0.0.1", port: 0, logger: Self.logger) { ready.yield($0) }
        async let stopped: Void = group.run()
        let port = try #require(await ports.first { _ in true })
        let stream = try #require(URL(string: "http://127.0.0.1:\(port)/v1/listings/stream"))
        let (_, answer) = try await Self.open(stream)
        #expect(answer.statusCode == 200)
        await group.triggerGracefulShutdown()
        try await stopped
    }

    /// A board that is followed without HTTP. Its events concern listings that never existed.
    private struct Followed {
        let store: TestDatabase
        let live: ListingEventBroadcaster

        static func with(_ body: (Followed) async throws -> Void) async throws {
            let store = try await TestDatabase()
            let live = ListingEventBroadcaster(
                events: EventStore(store.database),
                base: "",
                maxSubscribers: 10,
                logger: logger
            )
            let group = group(live)
            async let stopped: Void = group.run()
            try await body(Followed(store: store, live: live))
            await group.triggerGracefulShutdown()
            try await stopped
        }

        func write(_ numbers: ClosedRange<Int>) async throws {
            try await store.database.write { db in
                for number in numbers {
                    try db.execute("INSERT INTO event (type, subject) VALUES ('listing.removed', ?)", ["\(number)"])
                }
            }
        }

        /// Subscribes to all events. The closure receives block by block, and the subscription waits until it returns.
        func watch(
            after last: Int64?,
            _ read: @Sendable @escaping (Substring) async throws -> Void
        ) -> Task<Void, any Error> {
            Task { [live] in
                try await live.follow(ListingMatcher(ListingQuery()), after: last) { text in
                    for block in String(buffer: text).split(separator: "\n\n") { try await read(block) }
                }
            }
        }

        func until(_ subscriberCount: Int) async throws {
            try await TestSupport.until("\(subscriberCount) subscribers") {
                await live.subscriberCount == subscriberCount
            }
        }
    }

    private struct Enough: Error {}

    /// Reads until a block begins with this text.
    private static func read(_ board: Followed, after last: Int64?, until end: String) async throws -> [String] {
        let read = Mutex<[String]>([])
        let watching = board.watch(after: last) { block in
            read.withLock { $0.append(String(block)) }
            if block.hasPrefix(end) { throw Enough() }
        }
        await #expect(throws: Enough.self) { try await watching.value }
        return read.withLock(\.self)
    }

    private static func told(_ numbers: ClosedRange<Int>) -> [String] {
        numbers.map { "id: \($0)\nevent: listing.removed\ndata: {\"id\":\"\($0)\"}" }
    }

    @Test("A slow subscriber is dropped and continues at its position", .timeLimit(.minutes(10)))
    func slowSubscriber() async throws {
        try await Followed.with { board in
            let read = Mutex<[String]>([])
            let (waits, go) = AsyncStream.makeStream(of: Void.self)
            let slow = board.watch(after: nil) { block in
                read.withLock { $0.append(String(block)) }
                if block.hasPrefix("id: 1\n") { for await _ in waits {} }
                if block.hasPrefix("id: 900\n") { throw Enough() }
            }
            try await board.until(1)
            try await board.write(1...1)
            try await until("an event") { read.withLock(\.count) == 2 }
            try await board.write(2...900)
            try await board.until(0)
            go.finish()
            await #expect(throws: Enough.self) { try await slow.value }
            let events = read.withLock { $0.filter { $0.contains("event") } }
            #expect(events == Self.told(1...900))
        }
    }

    @Test("A subscriber that reconnects continues after its last event", .timeLimit(.minutes(10)))
    func reconnect() async throws {
        try await Followed.with { board in
            try await board.write(1...3_000)
            let told = try await Self.read(board, after: 2_500, until: "id: 3000\n")
            #expect(told.first == "id: 2500\nretry: 3000")
            #expect(told.filter { $0.contains("event") } == Self.told(2_501...3_000))
            let latest = try await Self.read(board, after: 3_000, until: "id")
            #expect(latest == ["id: 3000\nretry: 3000"])
        }
    }

    @Test("Ids that are too old, in the future or pruned cause a reset", .timeLimit(.minutes(10)))
    func unknownIDs() async throws {
        try await Followed.with { board in
            try await board.write(1...3_000)
            for unknown in [1_999, 9_999] as [Int64] {
                let told = try await Self.read(board, after: unknown, until: "id: 3000\nevent: reset")
                #expect(told == ["id: 3000\nretry: 3000", "id: 3000\nevent: reset\ndata: {}"])
            }
            try await board.store.database.write { db in try db.execute("DELETE FROM event WHERE id < 2990") }
            #expect(try await Self.read(board, after: 2_988, until: "id: 3000\nevent").count == 2)
            #expect(
                try await Self.read(board, after: 2_989, until: "id: 3000\nevent").dropFirst().first?.contains("2990")
                    == true
            )
        }
    }

    @Test("Too many events at once cause a reset", .timeLimit(.minutes(10)))
    func overload() async throws {
        try await Followed.with { board in
            let read = Mutex<[String]>([])
            let watching = board.watch(after: nil) { block in
                read.withLock { $0.append(String(block)) }
                if block.contains("reset") { throw Enough() }
            }
            try await board.until(1)
            try await board.write(1...1_500)
            await #expect(throws: Enough.self) { try await watching.value }
            #expect(read.withLock(\.last) == "id: 1500\nevent: reset\ndata: {}")
        }
    }

    @Test("Several events of one listing are delivered once", .timeLimit(.minutes(10)))
    func repeatedEvents() async throws {
        try await Followed.with { board in
            let guest = try await board.store.guest()
            var listing = try await board.store.listings.create(try .at(14, 40), owner: guest)
            let other = try await board.store.listings.create(try .at(14, 40), owner: guest)
            for _ in 0..<5 {
                listing = try await board.store.listings.update(
                    listing,
                    content: listing.content,
                    location: listing.location,
                    version: nil
                )
            }
            try await board.store.listings.remove(other, version: nil)
            let told = try await Self.read(board, after: 0, until: "id: 9")
            let events = told.compactMap { $0.split(separator: "\n").first { $0.hasPrefix("event") } }
            #expect(events == ["event: listing.created", "event: listing.removed"])
            #expect(told.last == "id: 9")
        }
    }

    @Test("Event ids become visible in ascending order, whichever process writes", .timeLimit(.minutes(10)))
    func orderedIDs() async throws {
        let store = try await TestDatabase()
        let other = try store.openAgain()
        let events = EventStore(store.database)
        let owner = try await store.guest()
        let start = try #require(try events.bounds()).upperBound
        try await withThrowingTaskGroup(of: Void.self) { group in
            for database in [store.database, other] {
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<50 { _ = try await ListingStore(database).create(try .at(14, 40), owner: owner) }
                    }
                }
            }
            group.addTask {
                var last = start
                while last < start + 400 {
                    let new = try events.events(after: last, limit: 1000).map(\.id)
                    if !new.isEmpty { #expect(new == Array(last + 1...last + Int64(new.count))) }
                    last = new.last ?? last
                    try await Task.sleep(for: .milliseconds(2))
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("Subscribers over the limit are told to retry", .timeLimit(.minutes(10)))
    func maxSubscribers() async throws {
        let store = try await TestDatabase()
        let service = try await WebService(over: store, model: nil)
        try await serving {
            service.serviceGroup(host: "127.0.0.1", port: 0, maxSubscribers: 1, logger: Self.logger, onReady: $0)
        } _: { port in
            let address = try #require(URL(string: "http://127.0.0.1:\(port)/v1/listings/stream"))
            let (first, _) = try await Self.open(address)
            let (none, refused) = try await Self.open(address)
            #expect(refused.statusCode == 503 && refused.value(forHTTPHeaderField: "Retry-After") == "2")
            none.cancel()
            first.cancel()
            // The place is free as soon as the server has noticed the disconnection.
            while true {
                let (again, answer) = try await Self.open(address)
                again.cancel()
                if answer.statusCode == 200 { break }
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    /// Sends the request and waits only for the headers of the answer.
    private static func open(_ address: URL) async throws -> (URLSessionDataTask, HTTPURLResponse) {
        let (answers, answer) = AsyncStream.makeStream(of: URLResponse.self)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 600
        let session = URLSession(configuration: configuration, delegate: Headers(answer), delegateQueue: nil)
        let task = session.dataTask(with: address)
        task.resume()
        session.finishTasksAndInvalidate()
        let first = await answers.first { _ in true }
        return (task, try #require(first as? HTTPURLResponse))
    }

    private final class Headers: NSObject, URLSessionDataDelegate, Sendable {
        private let answer: AsyncStream<URLResponse>.Continuation

        init(_ answer: AsyncStream<URLResponse>.Continuation) {
            self.answer = answer
        }

        func urlSession(
            _ session: URLSession,
            dataTask: URLSessionDataTask,
            didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            answer.yield(response)
            answer.finish()
            completionHandler(.allow)
        }
    }
}
