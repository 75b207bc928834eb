import Concurrency
import Logging
import NIOCore
import ServiceLifecycle
import Storage

/// Follows the log of events for all who watch the board, and tells each of them what happens to what they ask for.
///
/// It looks into the log four times a second while anybody watches: so it also learns of what another process wrote.
/// Whoever does not keep up reads the log by itself, as does who comes back, until both are at the same event.
actor ListingEventBroadcaster: ServiceLifecycle.Service {
    nonisolated let seats: ConcurrencyLimit

    private nonisolated let events: EventStore
    private nonisolated let base: String
    private let logger: Logger
    private let cycle: Int
    private var watchers: [ObjectIdentifier: Subscriber] = [:]
    /// The last event that all who watch were told.
    private var position: Int64 = 0
    /// Who has to be woken.
    private var news: [ObjectIdentifier: Subscriber] = [:]
    private var arrivals = 0
    private var hasEnded = false

    private static let pause = Duration.milliseconds(250)
    /// Watchers that are woken at once, and the pause behind them, in which others are answered.
    private static let crowd = 250
    private static let stepPause = Duration.milliseconds(2)
    /// Events that are told in a round.
    private static let piece = 200
    /// Whoever missed more starts afresh.
    private static let backlog: Int64 = 1_000

    /// - Parameters:
    ///   - mostWatchers: how many may watch at once.
    ///   - cycle: rounds between two signs of life: they keep the way open, show who has gone, and tell how far the log was
    ///     read. Twelve seconds.
    init(events: EventStore, base: String, maxSubscribers: Int, cycle: Int = 48, logger: Logger) {
        self.events = events
        self.base = base
        self.cycle = cycle
        self.logger = logger
        seats = ConcurrencyLimit(maxSubscribers)
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
        for watcher in watchers.values { watcher.close() }
    }

    /// How many watch.
    var audience: Int { watchers.count }

    /// Tells what happened since, and what happens from now on, until the task is cancelled or the service ends. The first
    /// message tells where that begins.
    ///
    /// - Parameters:
    ///   - last: the last event that the watcher knows of.
    ///   - write: sends text; while it waits, nothing but a short queue is kept for the watcher.
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
        // The server ends before this service does, when all its connections have.
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

    // MARK: - Reading the log for one

    /// What the log tells after an event, a piece of it; nil where that is the last one.
    private nonisolated func missed(
        _ check: ListingMatcher,
        after place: Int64
    ) throws -> (text: ByteBuffer, last: Int64)? {
        let bounds = try bounds()
        guard bounds.contains(place) else { return (Self.reset(bounds.upperBound), bounds.upperBound) }
        var text = ByteBuffer()
        let last = try events.changes(after: place, limit: Self.piece) { change, row in
            var message = ServerSentEvent(change, row, base: base)
            if let told = try message.text(for: check) { text.writeImmutableBuffer(told) }
        }
        guard let last else { return nil }
        // What it heard last may be older: not all events are told, and those of one listing together.
        text.writeString("id: \(last)\n\n")
        return (text, last)
    }

    /// The events from which one can go on.
    private nonisolated func bounds() throws -> ClosedRange<Int64> {
        guard let log = try events.bounds() else { return 0...0 }
        return max(log.lowerBound - 1, log.upperBound - Self.backlog)...log.upperBound
    }

    private static func reset(_ place: Int64) -> ByteBuffer {
        ByteBuffer(string: "id: \(place)\nevent: reset\ndata: {}\n\n")
    }

    // MARK: - Telling all

    /// Nil where the others are ahead.
    private func join(_ check: ListingMatcher, at place: Int64) -> Subscriber? {
        if watchers.isEmpty { position = place }
        guard position <= place, !hasEnded else { return nil }
        arrivals += 1
        let watcher = Subscriber(check, from: place, turn: arrivals)
        watchers[ObjectIdentifier(watcher)] = watcher
        return watcher
    }

    private func leave(_ watcher: Subscriber) { watchers[ObjectIdentifier(watcher)] = nil }

    private func look(_ round: Int) async {
        guard !watchers.isEmpty else { return }
        news = [:]
        do {
            try tell()
        } catch {
            logger.error("the log of events cannot be read", metadata: ["error": "\(error)"])
        }
        for watcher in watchers.values where (round + watcher.turn).isMultiple(of: cycle) {
            let place = max(position, watcher.start)
            put(ByteBuffer(string: "id: \(place)\n\n"), place, watcher)
        }
        let woken = Array(news.values)
        for start in stride(from: 0, to: woken.count, by: Self.crowd) {
            if start > 0 { try? await Task.sleep(for: Self.stepPause) }
            for watcher in woken[start...].prefix(Self.crowd) { watcher.wake() }
        }
    }

    private func tell() throws {
        let bounds = try bounds()
        guard bounds.contains(position) else {
            // Such as an import: all of it would cost each of them more than a search.
            position = bounds.upperBound
            for watcher in watchers.values where watcher.start < position {
                put(Self.reset(position), position, watcher)
            }
            return
        }
        let last = try events.changes(after: position, limit: Self.piece) { change, row in
            var message = ServerSentEvent(change, row, base: base)
            for watcher in watchers.values where watcher.start <= position {
                if let text = try message.text(for: watcher.check) { put(text, change.event, watcher) }
            }
        }
        guard let last else { return }
        // Who joined ahead, and knows a part of this, reads the rest by itself.
        for watcher in watchers.values where position < watcher.start && watcher.start < last {
            watcher.close()
            leave(watcher)
        }
        position = last
    }

    /// Whoever does not keep up reads the log by itself when it takes more.
    private func put(_ message: ByteBuffer, _ event: Int64, _ watcher: Subscriber) {
        if watcher.put(message, event: event) { news[ObjectIdentifier(watcher)] = watcher } else { leave(watcher) }
    }
}
