import Concurrency
import Dispatch
import Domain
import SQL
import SpatiaLite
import Synchronization

/// Combines writes that arrive together into one commit, so that they wait for the disk only once.
///
/// A write is acknowledged only after its commit is on the disk. Writes that arrive while the disk is busy form the
/// next commit. A failing write does not affect the others: its group is rolled back, split in halves, and each half is
/// tried again. One savepoint per write would have the same effect, but the full-text index writes its pending data at
/// each savepoint.
final class GroupCommit: Sendable {
    private struct Job: Sendable {
        /// Runs the write and returns the function that acknowledges it once it is on the disk.
        let run: @Sendable (SQLConnection) throws -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
        let arrival = ContinuousClock.now
    }

    private struct Queue {
        var jobs: [Job] = []
        var isBusy = false
    }

    /// The maximum number of writes per commit, so that the first write of a large burst does not wait for the last.
    private static let maxTogether = 64

    private let writer: any GroupWriter
    private let turn: DispatchSemaphore
    private let queue = Mutex(Queue())
    private let idleTimer: IdleTimer

    /// - Parameters:
    ///   - turn: lets the groups of several connections run one after the other, so that none waits for the lock of
    ///     another one. It wakes who waits longest.
    ///   - cacheTime: how long after the last write the connection keeps its page cache.
    init(_ writer: any GroupWriter, turn: DispatchSemaphore, cacheTime: Duration = .seconds(60)) {
        self.writer = writer
        self.turn = turn
        idleTimer = IdleTimer(cacheTime)
    }

    func write<Value: Sendable>(_ body: @Sendable @escaping (SQLConnection) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Value, any Error>) in
            let job = Job(
                run: { db in
                    let value = try body(db)
                    return { waiter.resume(returning: value) }
                },
                fail: { waiter.resume(throwing: $0) }
            )
            let isFirst = queue.withLock { queue in
                queue.jobs.append(job)
                defer { queue.isBusy = true }
                return !queue.isBusy
            }
            if isFirst { writer.schedule(drain) }
        }
    }

    /// The number of writes that are not yet part of a commit.
    var waiting: Int { queue.withLock(\.jobs.count) }

    func close() throws { try writer.close() }

    private func drain(_ transactions: any GroupTransactions) {
        while let jobs = nextGroup() {
            turn.wait()
            defer { turn.signal() }
            let due = refuseLate(jobs)
            guard !due.isEmpty else { continue }
            do {
                try transactions.prepare()
                commit(due[...], transactions)
            } catch {
                for job in due { job.fail(error) }
            }
        }
        idleTimer.restart { [writer] in writer.releaseCache() }
    }

    /// Returns nil if no write is waiting.
    private func nextGroup() -> [Job]? {
        queue.withLock { queue in
            let jobs = queue.jobs.prefix(Self.maxTogether)
            queue.jobs.removeFirst(jobs.count)
            queue.isBusy = !jobs.isEmpty
            return jobs.isEmpty ? nil : Array(jobs)
        }
    }

    /// Refuses the writes that have waited for too long: their clients may not wait any more. Returns the others.
    private func refuseLate(_ jobs: [Job]) -> [Job] {
        guard let maxWait = writer.maxWait else { return jobs }
        let start = ContinuousClock.now - maxWait
        let busy = ServiceError(.unavailable, "the database is busy: try again in a moment", retryAfter: 5)
        for job in jobs where job.arrival < start { job.fail(busy) }
        return jobs.filter { $0.arrival >= start }
    }

    // MARK: - Commits

    private func commit(_ jobs: ArraySlice<Job>, _ transactions: any GroupTransactions) {
        var told: [@Sendable () -> Void] = []
        do {
            try transactions.run { db in told = try jobs.map { try $0.run(db) } }
        } catch {
            guard jobs.count > 1, !writer.affectsAllWrites(error) else {
                for job in jobs { job.fail(error) }
                return
            }
            let middle = jobs.startIndex + jobs.count / 2
            commit(jobs[..<middle], transactions)
            commit(jobs[middle...], transactions)
            return
        }
        for tell in told { tell() }
    }
}
