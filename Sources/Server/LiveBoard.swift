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
    /// An event as it goes out (HTML Living Standard, 9.2), with its number in the log.
    struct Message: Sendable {
        let id: Int64
        let bytes: ByteBuffer
    }

    private let events: EventStore
    private let listings: ListingStore
    private let base: String
    private let logger: Logger
    private var watchers: [UUID: AsyncStream<Message>.Continuation] = [:]
    /// The last event that was told.
    private var position: Int64 = 0

    private static let pause = Duration.milliseconds(250)
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
            while true {
                try await Task.sleep(for: Self.pause)
                await self.tell()
            }
        }
        for watcher in watchers.values { watcher.finish() }
    }

    /// What happened since, and what happens from now on. The first message tells the position.
    ///
    /// - Parameter last: the last event that the watcher knows of.
    func watch(after last: Int64?) throws -> AsyncStream<Message> {
        if watchers.isEmpty { position = try events.bounds()?.upperBound ?? 0 }
        let id = UUID()
        // One that does not keep up is let go when this is full, and comes back with the last event it got.
        let (stream, watcher) = AsyncStream.makeStream(of: Message.self, bufferingPolicy: .bufferingOldest(2_000))
        watcher.onTermination = { _ in Task { await self.leave(id) } }
        let missed = try missed(since: last)
        watcher.yield(Message(id: position, bytes: ByteBuffer(string: "retry: 3000\n")))
        if missed == nil { watcher.yield(Message(id: position, bytes: ByteBuffer(string: "event: reset\ndata: {}\n"))) }
        for event in missed ?? [] { watcher.yield(try message(event)) }
        watchers[id] = watcher
        return stream
    }

    private func leave(_ id: UUID) { watchers[id] = nil }

    /// Nil where it is too much, or where the log does not reach back so far.
    private func missed(since last: Int64?) throws -> [EventStore.Event]? {
        guard let last, last != position else { return [] }
        guard let bounds = try events.bounds(), (bounds.lowerBound - 1...bounds.upperBound).contains(last) else {
            return nil
        }
        let missed = try events.listingEvents(after: last, limit: Self.backlog + 1).filter { $0.id <= position }
        return missed.count <= Self.backlog ? missed : nil
    }

    private func tell() {
        guard !watchers.isEmpty else { return }
        do {
            let news = try events.listingEvents(after: position, limit: Self.backlog)
            for event in news {
                let message = try message(event)
                for (id, watcher) in watchers {
                    guard case .dropped = watcher.yield(message) else { continue }
                    watcher.finish()
                    watchers[id] = nil
                }
                position = event.id
            }
        } catch {
            logger.error("the log of events cannot be read", metadata: ["error": "\(error)"])
        }
    }

    /// With the listing as everybody sees it; what nobody may see any more is removed.
    private func message(_ event: EventStore.Event) throws -> Message {
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
        return Message(id: event.id, bytes: ByteBuffer(string: "event: \(type)\ndata: \(json.text)\n"))
    }
}
