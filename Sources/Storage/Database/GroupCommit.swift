import Domain
import GRDB
import Synchronization

/// Lets writes that arrive together share one commit, and so one wait for the disk.
///
/// None is acknowledged before the commit that holds it is on disk. Those that arrive while the disk is busy make up the
/// next commit. One that fails leaves the others alone: a group that holds it is undone and tried again by halves. A
/// savepoint for each would do the same, but at each the text index writes out what it has collected.
final class GroupCommit: Sendable {
    private struct Job: Sendable {
        /// Runs the write and says how to acknowledge it once it is on disk.
        let run: @Sendable (Database) throws -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
    }

    private struct Queue {
        var jobs: [Job] = []
        var isBusy = false
    }

    /// So that the first of a crowd does not wait for its last.
    private static let maxTogether = 64

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

    /// How many are not yet in a commit.
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
                told = try jobs.map { try $0.run(db) }
                return .commit
            }
        } catch {
            guard jobs.count > 1, !Self.meetsAll(error) else {
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

    /// What no smaller group would escape.
    private static func meetsAll(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return error.resultCode == .SQLITE_BUSY || StorageFault(error.extendedResultCode)?.hitsEveryWrite == true
    }
}
