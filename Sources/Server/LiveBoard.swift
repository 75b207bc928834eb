import Domain
import Formats
import Foundation
import Logging
import NIOCore
import ServiceLifecycle
import Storage

/// Follows the log of events for all who watch the board, and tells each of them what happened.
///
/// It looks into the log four times a second while anybody watches: so it also learns of what another process wrote.
actor LiveBoard: ServiceLifecycle.Service {
    private let events: EventStore
    private let listings: ListingStore
    private let base: String
    private let logger: Logger
    private var watchers: [UUID: AsyncStream<ByteBuffer>.Continuation] = [:]
    /// The last event that was told.
    private var position: Int64 = 0

    private static let pause = Duration.milliseconds(250)
    /// Rounds between two lines that say nothing: they keep the way open, and show who has gone.
    private static let heartbeat = 60
    /// Events that are told at once; whoever missed more starts afresh.
    private static let backlog = 1_000

    init(events: EventStore, listings: ListingStore, base: String, logger: Logger) {
        self.events = events
        self.listings = listings
        self.base = base
        self.logger = logger
    }

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            for round in 1... {
                try await Task.sleep(for: Self.pause)
                await self.tell()
                if round.isMultiple(of: Self.heartbeat) { await self.send(ByteBuffer(string: ":\n\n")) }
            }
        }
    }

    /// What happened since, and what happens from now on, as it goes out (HTML Living Standard, 9.2). The first message
    /// tells where that begins.
    ///
    /// - Parameter last: the last event that the watcher knows of.
    func watch(after last: Int64?) throws -> AsyncStream<ByteBuffer> {
        if watchers.isEmpty { position = try events.bounds()?.upperBound ?? 0 }
        let id = UUID()
        let (stream, watcher) = AsyncStream.makeStream(of: ByteBuffer.self, bufferingPolicy: .bufferingOldest(2_000))
        watcher.onTermination = { _ in Task { await self.leave(id) } }
        let missed = try missed(since: last)
        let known = missed?.isEmpty == false ? last ?? position : position
        watcher.yield(ByteBuffer(string: "id: \(known)\nretry: 3000\n\n"))
        if missed == nil { watcher.yield(ByteBuffer(string: "id: \(position)\nevent: reset\ndata: {}\n\n")) }
        for event in missed ?? [] { watcher.yield(try message(event)) }
        watchers[id] = watcher
        return stream
    }

    /// How many watch.
    var audience: Int { watchers.count }

    private func leave(_ id: UUID) { watchers[id] = nil }

    /// Nil where it is too much, or where the log does not reach back so far.
    private func missed(since last: Int64?) throws -> [EventStore.Event]? {
        guard let last, last != position else { return [] }
        guard let bounds = try events.bounds(), (bounds.lowerBound - 1...bounds.upperBound).contains(last) else {
            return nil
        }
        let missed = try events.events(after: last, limit: Self.backlog + 1).filter { $0.id <= position }
        return missed.count <= Self.backlog ? missed.filter(\.isOfListing) : nil
    }

    private func tell() {
        guard !watchers.isEmpty else { return }
        do {
            for event in try events.events(after: position, limit: Self.backlog) {
                if event.isOfListing { send(try message(event)) }
                position = event.id
            }
        } catch {
            logger.error("the log of events cannot be read", metadata: ["error": "\(error)"])
        }
    }

    /// Who does not keep up is let go, and comes back with the last event it got.
    private func send(_ message: ByteBuffer) {
        for (id, watcher) in watchers {
            guard case .dropped = watcher.yield(message) else { continue }
            watcher.finish()
            watchers[id] = nil
        }
    }

    /// With the listing as everybody sees it; what nobody may see any more is removed.
    private func message(_ event: EventStore.Event) throws -> ByteBuffer {
        var type = event.type
        var json = JSONWriter()
        try json.object { json in
            json.field("id", event.subject)
            guard type != "listing.removed", let id = UUID(uuidString: event.subject) else { return }
            let isShown = try listings.findListing(id: id) { row in
                guard !row.flag(.hidden) else { return false }
                try json.embed("feature") { try $0.feature(row, base: base, full: false) }
                return true
            }
            if isShown != true { type = "listing.removed" }
        }
        return ByteBuffer(string: "id: \(event.id)\nevent: \(type)\ndata: \(json.text)\n\n")
    }
}
