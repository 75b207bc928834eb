import CSpatiaLite
package import Domain
package import Foundation
import SQL
import Synchronization

/// Recognises storage faults by the error codes of the engines and of the system, counts them, and reports them at limited
/// intervals.
package final class StorageFaults: Sendable {
    /// The faults of one kind since the last report of that kind.
    package struct Report: Sendable {
        package let fault: StorageFault
        /// The error code, for the log.
        package let cause: String
        package let times: Int
    }

    private struct State {
        var counts: [StorageFault: Int] = [:]
        var reportedAt: [StorageFault: (time: ContinuousClock.Instant, count: Int)] = [:]
        var writing: StorageFault?
        var tell: @Sendable (Report) -> Void = { _ in }
    }

    private static let pause = Duration.seconds(60)
    /// In bytes. Below this the disk counts as full, because the log could hardly grow.
    private static let minRoom = 1 << 20

    private let folder: URL
    private let state = Mutex(State())

    package init(folder: URL) { self.folder = folder }

    /// - Parameter tell: is called at the first fault of each kind, and then at most once a minute per kind.
    package func report(to tell: @escaping @Sendable (Report) -> Void) {
        state.withLock { $0.tell = tell }
    }

    /// The number of faults of each kind.
    package var counts: [StorageFault: Int] { state.withLock(\.counts) }

    /// The storage fault of the last failed write; nil after a write is known to succeed.
    var writing: StorageFault? { state.withLock(\.writing) }

    func writingSucceeds() { state.withLock { $0.writing = nil } }

    /// Counts the error if it is a storage fault, and returns that fault. Returns nil for other errors.
    package func note(_ error: any Error, isWrite: Bool = false) -> StorageFault? {
        guard let (fault, cause) = diagnose(error) else { return nil }
        let now = ContinuousClock.now
        let report: (tell: @Sendable (Report) -> Void, Report)? = state.withLock { state in
            if isWrite { state.writing = fault }
            let count = state.counts[fault, default: 0] + 1
            state.counts[fault] = count
            let told = state.reportedAt[fault]
            if let told, now < told.time + Self.pause { return nil }
            state.reportedAt[fault] = (now, count)
            return (state.tell, Report(fault: fault, cause: cause, times: count - (told?.count ?? 0)))
        }
        if let report { report.tell(report.1) }
        return fault
    }

    /// Returns the error, or a `ServiceError` for the client if the error is a storage fault.
    func explain(_ error: any Error, isWrite: Bool = false) -> any Error {
        note(error, isWrite: isWrite)?.serviceError ?? error
    }

    /// Runs the body and throws storage faults as `ServiceError`s for the client.
    package func mappingFaults<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw explain(error, isWrite: true) }
    }

    var isFull: Bool {
        guard let disk = DiskSpace(of: folder) else { return false }
        return disk.free < Self.minRoom
    }

    private func diagnose(_ error: any Error) -> (StorageFault, String)? {
        switch error {
        case let fault as StorageFault: return (fault, fault.rawValue)
        case let error as SQLiteError:
            guard var fault = StorageFault(error) else { return nil }
            // On a full disk SQLite reports `SQLITE_FULL` only for plain writes, and I/O errors for other operations.
            if fault == .failing, isFull { fault = .full }
            return (fault, "SQLite \(error.codeText)")
        case let error as PostgresError: return StorageFault(error).map { ($0, error.description) }
        case let error as POSIXError: return StorageFault(errno: error.code.rawValue).map { ($0, "\(error.code)") }
        case let error as CocoaError: return error.underlying.flatMap(diagnose)
        default: return nil
        }
    }
}

extension StorageFault {
    init?(_ error: SQLiteError) {
        switch error.primaryCode {
        case _ where error.code == SQLiteError.noMemoryForFile: self = .outOfMemory
        case SQLITE_FULL: self = .full
        case SQLITE_READONLY, SQLITE_PERM: self = .readOnly
        case SQLITE_IOERR, SQLITE_CANTOPEN: self = .failing
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .damaged
        case SQLITE_NOMEM: self = .outOfMemory
        default: return nil
        }
    }

    init?(_ error: PostgresError) {
        if error.isConnectionLoss || error.isTransient {
            self = .unreachable
        } else if error.isDiskFull {
            self = .full
        } else if error.isOutOfMemory {
            self = .outOfMemory
        } else if error.code == PostgresError.dataCorrupted || error.code == PostgresError.indexCorrupted {
            self = .damaged
        } else if error.isStorageFailure {
            self = .failing
        } else {
            return nil
        }
    }

    /// Whether every write of a group would fail for this reason.
    var affectsEveryWrite: Bool { [.full, .readOnly, .failing, .unreachable].contains(self) }
}
