import Foundation
import FoundationNetworking
import Logging
import ServerSupport
import ServiceLifecycle
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Who watches the board") struct WatcherTests {
    private static let logger: Logger = {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }()

    private static func group(_ services: any ServiceLifecycle.Service...) -> ServiceGroup {
        ServiceGroup(configuration: .init(services: services, logger: logger))
    }

    @Test(.timeLimit(.minutes(1))) func `a server stops while they watch`() async throws {
        let store = try await Board()
        defer { withExtendedLifetime(store) {} }
        let service = try await Service(over: store, model: nil)
        let (ports, ready) = AsyncStream.makeStream(of: Int.self)
        let group = Self.group(
            service.application(host: "127.0.0.1", port: 0, logger: Self.logger) { ready.yield($0) }
        )
        async let stopped: Void = group.run()
        let port = try #require(await ports.first { _ in true })
        let stream = try #require(URL(string: "http://127.0.0.1:\(port)/v1/listings/stream"))
        async let told = try? URLSession.shared.data(from: stream)
        try await Task.sleep(for: .milliseconds(500))
        await group.triggerGracefulShutdown()
        try await stopped
        // Nil where a busy machine had not let it in yet.
        let text = await told.map { String(decoding: $0.0, as: UTF8.self) }
        #expect(text?.contains("\nretry: 3000\n\n") != false)
    }

    @Test func `whoever does not keep up is let go, and comes back`() async throws {
        let store = try await Board()
        let board = LiveBoard(
            events: EventStore(store.database),
            listings: store.listings,
            base: "",
            logger: Self.logger
        )
        let group = Self.group(board)
        async let stopped: Void = group.run()
        let slow = try await board.watch(after: nil)
        try await store.database.write { db in
            for _ in 0..<3_000 {
                try db.execute(sql: "INSERT INTO event (type, subject) VALUES ('listing.removed', 'x')")
            }
        }
        while await board.audience > 0 { try await Task.sleep(for: .milliseconds(50)) }
        var messages: [String] = []
        for await message in slow { messages.append(String(buffer: message)) }
        #expect(messages.count == 2_000)
        #expect(messages.last?.hasPrefix("id: 1999\n") == true)

        let back = try await board.watch(after: 2_500)
        var later = back.makeAsyncIterator()
        #expect(await later.next().map { String(buffer: $0) } == "id: 2500\nretry: 3000\n\n")
        #expect(await later.next().map { String(buffer: $0) }?.hasPrefix("id: 2501\n") == true)
        for unknown in [1_000, 9_999] as [Int64] {
            var fresh = try await board.watch(after: unknown).makeAsyncIterator()
            _ = await fresh.next()
            #expect(await fresh.next().map { String(buffer: $0) } == "id: 3000\nevent: reset\ndata: {}\n\n")
        }
        await group.triggerGracefulShutdown()
        try await stopped
    }
}
