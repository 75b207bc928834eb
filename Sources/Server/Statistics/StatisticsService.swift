import Domain
import Storage
import Synchronization

/// Keeps the counted cases of all listings in memory. They are read again at intervals, off the event loops and the
/// threads of slow reads, so that the cost of requests does not grow with the number of listings.
final class StatisticsService: Sendable {
    /// How often the job reads the listings.
    static let interval = Duration.seconds(1_800)
    /// After this time in seconds, requests wait for a new snapshot: the job has failed, or has not run yet.
    private static let lifetime = 3_600.0

    private struct State {
        var snapshot: StatisticsSnapshot?
        var reading: Task<StatisticsSnapshot, any Error>?
    }

    private let store: StatisticsStore
    private let now: @Sendable () -> Timestamp
    private let state = Mutex(State())

    init(store: StatisticsStore, now: @escaping @Sendable () -> Timestamp) {
        (self.store, self.now) = (store, now)
    }

    func snapshot() async throws -> StatisticsSnapshot {
        let now = now()
        if let known = state.withLock({ $0.snapshot }), known.time <= now,
            now < known.time.adding(seconds: Self.lifetime)
        {
            return known
        }
        return try await refresh()
    }

    /// Reads all listings. Callers at the same time share one reading.
    @discardableResult
    func refresh() async throws -> StatisticsSnapshot {
        let reading = state.withLock { state in
            if let running = state.reading { return running }
            // Detached, because the budget of the request that waits must not end a reading for all.
            let task = Task.detached(priority: .utility) { [self] in
                defer { self.state.withLock { $0.reading = nil } }
                let snapshot = try await store.snapshot(at: now())
                self.state.withLock { $0.snapshot = snapshot }
                return snapshot
            }
            state.reading = task
            return task
        }
        return try await reading.value
    }

    /// Reads all listings, unless the task is cancelled meanwhile.
    func refreshUnlessCancelled() async throws {
        try await withTaskCancellationHandler {
            _ = try await refresh()
        } onCancel: {
            state.withLock { $0.reading }?.cancel()
        }
    }
}
