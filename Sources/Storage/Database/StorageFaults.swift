package import Domain
package import Foundation
import GRDB
import Synchronization

/// Knows a disk that fails by SQLite's codes and the system's, counts how often it did, and tells of it once in a while.
package final class StorageFaults: Sendable {
    /// Of one kind, since it was told of last.
    package struct Report: Sendable {
        package let fault: StorageFault
        /// The code, for the log.
        package let cause: String
        package let times: Int
    }

    private struct State {
        var counts: [StorageFault: Int] = [:]
        var toldAt: [StorageFault: (time: ContinuousClock.Instant, count: Int)] = [:]
        var writing: StorageFault?
        var tell: @Sendable (Report) -> Void = { _ in }
    }

    private static let pause = Duration.seconds(60)
    /// Bytes. Below this the disk counts as full: the log could hardly grow.
    private static let minRoom = 1 << 20

    private let folder: URL
    private let state = Mutex(State())

    package init(folder: URL) {
        self.folder = folder
    }

    /// - Parameter tell: is called at the first fault of a kind, and then at most once a minute.
    package func report(to tell: @escaping @Sendable (Report) -> Void) {
        state.withLock { $0.tell = tell }
    }

    /// How often each kind was met.
    package var counts: [StorageFault: Int] { state.withLock(\.counts) }

    /// What the last write that failed by the disk failed by, until one is known to succeed.
    var writing: StorageFault? { state.withLock(\.writing) }

    func writingSucceeds() { state.withLock { $0.writing = nil } }

    /// Counts an error that is the disk's; nil for all others.
    package func note(_ error: any Error, isWrite: Bool = false) -> StorageFault? {
        guard let (fault, cause) = diagnose(error) else { return nil }
        let now = ContinuousClock.now
        let report: (tell: @Sendable (Report) -> Void, Report)? = state.withLock { state in
            if isWrite { state.writing = fault }
            let count = state.counts[fault, default: 0] + 1
            state.counts[fault] = count
            let told = state.toldAt[fault]
            if let told, now < told.time + Self.pause { return nil }
            state.toldAt[fault] = (now, count)
            return (state.tell, Report(fault: fault, cause: cause, times: count - (told?.count ?? 0)))
        }
        if let report { report.tell(report.1) }
        return fault
    }

    /// The same error, in words for the one who asked where it is the disk's.
    func explain(_ error: any Error, isWrite: Bool = false) -> any Error {
        note(error, isWrite: isWrite)?.serviceError ?? error
    }

    /// Throws what the disk does to the body in words for the one who asked.
    package func explaining<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw explain(error, isWrite: true) }
    }

    var isFull: Bool {
        var disk = statvfs()
        return statvfs(folder.path, &disk) == 0 && Int(disk.f_bavail) * Int(disk.f_frsize) < Self.minRoom
    }

    private func diagnose(_ error: any Error) -> (StorageFault, String)? {
        switch error {
        case let fault as StorageFault: return (fault, fault.rawValue)
        case let error as DatabaseError:
            guard var fault = StorageFault(error.extendedResultCode) else { return nil }
            // Of what fails for want of room only plain writes are called so.
            if fault == .failing, isFull { fault = .full }
            return (fault, "SQLite \(error.extendedResultCode)")
        case let error as POSIXError: return StorageFault(errno: error.code.rawValue).map { ($0, "\(error.code)") }
        case let error as CocoaError: return error.underlying.flatMap(diagnose)
        default: return nil
        }
    }
}

extension StorageFault {
    init?(_ code: ResultCode) {
        switch code {
        case .SQLITE_IOERR_NOMEM: self = .outOfMemory
        default:
            switch code.primaryResultCode {
            case .SQLITE_FULL: self = .full
            case .SQLITE_READONLY, .SQLITE_PERM: self = .readOnly
            case .SQLITE_IOERR, .SQLITE_CANTOPEN: self = .failing
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged
            case .SQLITE_NOMEM: self = .outOfMemory
            default: return nil
            }
        }
    }

    /// Whether it would spare none of several writes.
    var hitsEveryWrite: Bool { self == .full || self == .readOnly || self == .failing }
}
