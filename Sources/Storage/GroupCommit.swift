import GRDB
import Synchronization

/// Lets writes that arrive together share one commit, and so one wait for the disk.
///
/// Each write has a savepoint of its own: one that fails leaves the others alone. None is acknowledged before the
/// commit that holds it is on disk. Those that arrive while the disk is busy make up the next commit.
final class GroupCommit: Sendable {
    /// Holds the outcome of a write until the commit has decided on it.
    private struct Job: Sendable {
        /// Runs the write and says how to acknowledge it; throws where the database did not take it.
        let run: @Sendable (Database) throws -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
    }

    private struct Queue {
        var jobs: [Job] = []
        var isBusy = false
    }

    /// So that the first of a crowd does not wait for its last.
    private static let mostTogether = 64

    private let writer: any DatabaseWriter
    private let queue = Mutex(Queue())
    private let prepare: @Sendable (Database) throws -> Void

    /// - Parameter prepare: called before each group, outside of any transaction; where it throws, none of them is tried.
    init(_ writer: any DatabaseWriter, prepare: @escaping @Sendable (Database) throws -> Void) {
        self.writer = writer
        self.prepare = prepare
    }

    func write<Value: Sendable>(_ body: @Sendable @escaping (Database) throws -> Value) async throws -> Value {
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
            if isFirst { writer.asyncWriteWithoutTransaction { db in self.drain(db) } }
        }
    }

    private func drain(_ db: Database) {
        while true {
            let jobs = queue.withLock { queue in
                let jobs = queue.jobs.prefix(Self.mostTogether)
                queue.jobs.removeFirst(jobs.count)
                queue.isBusy = !jobs.isEmpty
                return Array(jobs)
            }
            guard !jobs.isEmpty else { return }
            do {
                try prepare(db)
            } catch {
                for job in jobs { job.fail(error) }
                continue
            }
            if !commit(jobs, db) {
                // What spoils the whole transaction, such as a full disk, is told to the one it belongs to.
                for job in jobs { _ = commit([job], db) }
            }
        }
    }

    /// False, and nothing done nor told, where several jobs fell with their transaction. One alone is told its error.
    private func commit(_ jobs: [Job], _ db: Database) -> Bool {
        var told: [@Sendable () -> Void] = []
        do {
            try db.inTransaction(.immediate) {
                if jobs.count == 1, let job = jobs.first {
                    // No savepoint: all that a large write changes would be kept twice.
                    told = [try job.run(db)]
                } else {
                    told = try jobs.map { try Self.outcome($0, db) }
                }
                return .commit
            }
        } catch {
            guard jobs.count == 1, let job = jobs.first else { return false }
            job.fail(error)
            return true
        }
        for tell in told { tell() }
        return true
    }

    /// How to tell the job what became of it. Throws where SQLite rolled everything back because it could not go on.
    private static func outcome(_ job: Job, _ db: Database) throws -> @Sendable () -> Void {
        var told: (@Sendable () -> Void)?
        do {
            try db.inSavepoint {
                told = try job.run(db)
                return .commit
            }
        } catch {
            guard db.isInsideTransaction else { throw error }
            return { job.fail(error) }
        }
        return told ?? {}
    }
}
