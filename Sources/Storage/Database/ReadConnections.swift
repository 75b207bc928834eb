import CSpatiaLite
import Concurrency
import Domain
import SQL
import SpatiaLite
import Synchronization

/// A pool of read-only connections. Each connection serves one caller at a time.
///
/// Reads run on the caller's thread, so there are never more connections than threads, and no caller waits for one.
///
/// Reads for a request take processor time from its budget (`RequestMeter`).
final class ReadConnections: Sendable {
    struct Limits {
        /// In seconds.
        var processorTime: Double?
        var duration: Duration?
    }

    private let path: String
    private let idle = Mutex<[SQLiteConnection]>([])

    init(path: String) { self.path = path }

    /// Runs a read on one consistent snapshot of the database. Throws `tooSlow` if it exceeds a limit.
    func read<Value>(within limits: Limits, _ body: (SQLConnection) throws -> Value) throws -> Value {
        let reader = try idle.withLock { $0.popLast() } ?? .spatiaLite(path, isReadOnly: true)
        do {
            let value = try read(reader, within: limits, body)
            idle.withLock { $0.append(reader) }
            return value
        } catch let error as SQLiteError where StorageFault(error) != nil {
            // After a storage fault the connection may be in any state, so it is closed instead of reused.
            try? reader.close()
            throw error
        } catch {
            idle.withLock { $0.append(reader) }
            throw error
        }
    }

    private func read<Value>(
        _ reader: SQLiteConnection,
        within limits: Limits,
        _ body: (SQLConnection) throws -> Value
    ) throws -> Value {
        let meter = RequestMeter.current
        let (begin, processorBegin) = (MonotonicClock.seconds, PreparedStatement.processorTime)
        defer {
            meter?.addRead(
                duration: MonotonicClock.seconds - begin,
                processorTime: PreparedStatement.processorTime - processorBegin
            )
        }
        let processorTime = [limits.processorTime, meter?.readTimeLeft].compactMap(\.self).min()
        return try reader.transaction(.deferred) {
            do {
                return try PreparedStatement.within(processorTime: processorTime, duration: limits.duration) {
                    try body(SQLConnection(reader))
                }
            } catch let error as SQLiteError where error.primaryCode == SQLITE_INTERRUPT {
                meter?.noteInterruption()
                throw Self.tooSlow
            }
        }
    }

    /// Returns nil if the read exceeds a limit.
    func readIfQuick<Value>(within limits: Limits, _ body: (SQLConnection) throws -> Value) throws -> Value? {
        do { return try read(within: limits, body) } catch let error as ServiceError where error == Self.tooSlow {
            return nil
        }
    }

    static let tooSlow = ServiceError(
        .unavailable,
        "this search reads too many rows: add an area, a place, a breed or a shorter period"
    )

    func close() throws {
        for reader in idle.withLock({ readers in
            defer { readers = [] }
            return readers
        }) {
            try reader.close()
        }
    }
}
