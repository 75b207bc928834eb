import Concurrency
import Logging
import NIOCore
import ServiceLifecycle
import Storage

/// Reads the event log, and sends each subscriber the changes of the listings that match its search.
///
/// It reads the log four times a second while there are subscribers, so it also sees events that other processes wrote.
/// Subscribers that are too slow, and clients that reconnect, read the log on their own until they have caught up.
actor ListingEventBroadcaster: ServiceLifecycle.Service {
    /// One address has at most an eighth of the permits, and at least eight.
    nonisolated let permits: PerAddressLimit

    private nonisolated let events: EventStore
    private nonisolated let base: String
    private let logger: Logger
    private let cycle: Int
    private var subscribers: [ObjectIdentifier: Subscriber] = [:]
    /// The last event that was sent to all subscribers.
    private var position: Int64 = 0
    /// The subscribers with new messages, which have to be woken.
    private var news: [ObjectIdentifier: Subscriber] = [:]
    private var arrivals = 0
    private var hasEnded = false

    private static let pause = Duration.milliseconds(250)
    /// The number of subscribers that are woken together, and the pause after them, during which the thread answers
    /// other requests.
    private static let maxWokenTogether = 250
    private static let stepPause = Duration.milliseconds(2)
    /// The maximum number of events sent in one round.
    private static let piece = 200
    /// The maximum number of missed events that a client can catch up with; beyond it the client gets a `reset` event.
    private static let backlog: Int64 = 1_000

    /// Creates a broadcaster.
    ///
    /// - Parameters:
    ///   - maxSubscribers: the maximum number of simultaneous subscribers.
    ///   - cycle: the number of rounds between two keep-alive messages, 48 rounds being twelve seconds. Keep-alive
    ///     messages keep proxies from closing the connection, detect clients that have gone, and tell clients the
    ///     position in the log.
    init(events: EventStore, base: String, maxSubscribers: Int, cycle: Int = 48, logger: Logger) {
        self.events = events
        self.base = base
        self.cycle = cycle
        self.logger = logger
        permits = PerAddressLimit(total: maxSubscribers, perAddress: max(8, maxSubscribers / 8))
    }

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            for round in 1... {
                try await Task.sleep(for: Self.pause)
                await self.look(round)
            }
        }
        end()
    }

    private func end() {
        guard !hasEnded else { return }
        hasEnded = true
        for watcher in subscribers.values { watcher.close() }
    }

    /// The number of subscribers.
    var subscriberCount: Int { subscribers.count }

    /// Sends the changes since an event, and then the changes as they happen, until the task is cancelled or the
    /// service ends. The first message contains the position in the log at which this begins.
    ///
    /// - Parameters:
    ///   - last: the last event that the client has received; nil for none.
    ///   - write: sends text. While it waits, only a short queue is kept for the subscriber.
    nonisolated func follow(
        _ check: ListingMatcher,
        after last: Int64?,
        _ write: (ByteBuffer) async throws -> Void
    ) async throws {
        var place = try last ?? bounds().upperBound
        let isKnown = try bounds().contains(place)
        if !isKnown { place = try bounds().upperBound }
        try await write(ByteBuffer(string: "id: \(place)\nretry: 3000\n\n"))
        if !isKnown { try await write(Self.reset(place)) }
        // The HTTP server shuts down before this service and waits for its connections, so they must end here.
        try await withGracefulShutdownHandler {
            try await follow(check, from: place, write)
        } onGracefulShutdown: {
            Task { await self.end() }
        }
    }

    private nonisolated func follow(
        _ check: ListingMatcher,
        from start: Int64,
        _ write: (ByteBuffer) async throws -> Void
    ) async throws {
        var place = start
        while await !hasEnded {
            try Task.checkCancellation()
            while let missed = try missed(check, after: place) {
                try await write(missed.text)
                place = missed.last
            }
            guard let watcher = await join(check, at: place) else { continue }
            do {
                for await _ in watcher.signals {
                    guard let news = watcher.take() else { continue }
                    try await write(news.text)
                    place = news.last
                }
            } catch {
                await leave(watcher)
                throw error
            }
            await leave(watcher)
        }
    }

    // MARK: - Reading the log for one subscriber

    /// Returns the text of the next events after `place`, at most `piece` of them, and the number of the last one; nil
    /// if there are none.
    private nonisolated func missed(
        _ check: ListingMatcher,
        after place: Int64
    ) throws -> (text: ByteBuffer, last: Int64)? {
        let bounds = try bounds()
        guard bounds.contains(place) else { return (Self.reset(bounds.upperBound), bounds.upperBound) }
        var text = ByteBuffer()
        let last = try events.changes(after: place, limit: Self.piece) { change, row in
            var message = ServerSentEvent(change, row, base: base)
            if let event = try message.text(for: check) { text.writeImmutableBuffer(event) }
        }
        guard let last else { return nil }
        // The last text may belong to an older event: not all events match, and the events of one listing are merged.
        text.writeString("id: \(last)\n\n")
        return (text, last)
    }

    /// The events after which a client can continue.
    private nonisolated func bounds() throws -> ClosedRange<Int64> {
        guard let log = try events.bounds() else { return 0...0 }
        return max(log.lowerBound - 1, log.upperBound - Self.backlog)...log.upperBound
    }

    private static func reset(_ place: Int64) -> ByteBuffer {
        ByteBuffer(string: "id: \(place)\nevent: reset\ndata: {}\n\n")
    }

    // MARK: - Broadcasting

    /// Adds a subscriber; returns nil if the other subscribers have received later events already.
    private func join(_ check: ListingMatcher, at place: Int64) -> Subscriber? {
        if subscribers.isEmpty { position = place }
        guard position <= place, !hasEnded else { return nil }
        arrivals += 1
        let watcher = Subscriber(check, from: place, turn: arrivals)
        subscribers[ObjectIdentifier(watcher)] = watcher
        return watcher
    }

    private func leave(_ watcher: Subscriber) { subscribers[ObjectIdentifier(watcher)] = nil }

    private func look(_ round: Int) async {
        guard !subscribers.isEmpty else { return }
        news = [:]
        do {
            try broadcast()
        } catch {
            logger.error("the log of events cannot be read", metadata: ["error": "\(error)"])
        }
        for watcher in subscribers.values where (round + watcher.turn).isMultiple(of: cycle) {
            let place = max(position, watcher.start)
            put(ByteBuffer(string: "id: \(place)\n\n"), place, watcher)
        }
        let woken = Array(news.values)
        for start in stride(from: 0, to: woken.count, by: Self.maxWokenTogether) {
            if start > 0 { try? await Task.sleep(for: Self.stepPause) }
            for watcher in woken[start...].prefix(Self.maxWokenTogether) { watcher.wake() }
        }
    }

    private func broadcast() throws {
        let bounds = try bounds()
        guard bounds.contains(position) else {
            // So many events are for example an import. Sending them would cost each client more than a new search.
            position = bounds.upperBound
            for watcher in subscribers.values where watcher.start < position {
                put(Self.reset(position), position, watcher)
            }
            return
        }
        let last = try events.changes(after: position, limit: Self.piece) { change, row in
            var message = ServerSentEvent(change, row, base: base)
            for watcher in subscribers.values where watcher.start <= position {
                if let text = try message.text(for: watcher.check) { put(text, change.event, watcher) }
            }
        }
        guard let last else { return }
        // A subscriber that joined within this piece has received a part of it, so it reads the rest on its own.
        for watcher in subscribers.values where position < watcher.start && watcher.start < last {
            watcher.close()
            leave(watcher)
        }
        position = last
    }

    /// Queues a message. A subscriber whose queue is full is removed and continues by reading the log on its own.
    private func put(_ message: ByteBuffer, _ event: Int64, _ watcher: Subscriber) {
        if watcher.put(message, event: event) { news[ObjectIdentifier(watcher)] = watcher } else { leave(watcher) }
    }
}
