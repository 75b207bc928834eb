import Domain
import GRDB
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
    }

    private struct Queue {
        var jobs: [Job] = []
        var isBusy = false
    }

    /// The maximum number of writes per commit, so that the first write of a large burst does not wait for the last.
    private static let maxTogether = 64

    private let writer: any DatabaseWriter
    private let queue = Mutex(Queue())
    private let prepare: @Sendable (Database) throws -> Void

    /// - Parameter prepare: is called before each group, outside of a transaction. If it throws, all writes of the
    ///   group fail.
    init(_ writer: any DatabaseWriter, prepare: @escaping @Sendable (Database) throws -> Void) {
        self.writer = writer
        self.prepare = prepare
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
            if isFirst { writer.asyncWriteWithoutTransaction { db in self.drain(db) } }
        }
    }

    /// The number of writes that are not yet part of a commit.
    var waiting: Int { queue.withLock(\.jobs.count) }

    private func drain(_ db: Database) {
        while true {
            let jobs = queue.withLock { queue in
                let jobs = queue.jobs.prefix(Self.maxTogether)
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
            commit(jobs[...], db)
        }
    }

    private func commit(_ jobs: ArraySlice<Job>, _ db: Database) {
        var told: [@Sendable () -> Void] = []
        do {
            try db.inTransaction(.immediate) {
                told = try jobs.map { try $0.run(SQLConnection(db)) }
                return .commit
            }
        } catch {
            guard jobs.count > 1, !Self.affectsAllWrites(error) else {
                for job in jobs { job.fail(error) }
                return
            }
            let middle = jobs.startIndex + jobs.count / 2
            commit(jobs[..<middle], db)
            commit(jobs[middle...], db)
            return
        }
        for tell in told { tell() }
    }

    /// Returns whether the error would occur in a smaller group, too, so that splitting the group is useless.
    private static func affectsAllWrites(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return error.resultCode == .SQLITE_BUSY || StorageFault(error.extendedResultCode)?.affectsEveryWrite == true
    }
}
