import Domain
import GRDB
import SpatiaLite
import Synchronization

/// A pool of read-only connections. Each connection serves one caller at a time.
///
/// Reads run on the caller's thread, so there are never more connections than threads, and no caller waits for one.
/// GRDB's pool passes connections through dispatch queues, which cost more than a search under load.
final class ReadConnections: Sendable {
    private let path: String
    private let configuration: Configuration
    private let idle = Mutex<[DatabaseQueue]>([])

    init(path: String, _ configuration: Configuration) {
        self.path = path
        self.configuration = configuration
    }

    /// Runs a read on one consistent snapshot of the database. Throws `unavailable` if it takes longer than the limit.
    func read<Value>(within limit: Duration?, _ body: (SQLConnection) throws -> Value) throws -> Value {
        let reader = try idle.withLock { $0.popLast() } ?? DatabaseQueue(path: path, configuration: configuration)
        do {
            let value = try read(reader, within: limit, body)
            idle.withLock { $0.append(reader) }
            return value
        } catch let error as DatabaseError where StorageFault(error.extendedResultCode) != nil {
            // After a storage fault the connection may be in any state, so it is closed instead of reused.
            try? reader.close()
            throw error
        } catch {
            idle.withLock { $0.append(reader) }
            throw error
        }
    }

    private func read<Value>(
        _ reader: DatabaseQueue,
        within limit: Duration?,
        _ body: (SQLConnection) throws -> Value
    ) throws -> Value {
        try reader.inDatabase { db in
            let db = SQLConnection(db)
            try db.execute("BEGIN")
            defer { _ = try? db.execute("COMMIT") }
            do {
                return try PreparedStatement.within(limit) { try body(db) }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
                throw ServiceError(.unavailable, "this took too long and was given up: ask for less")
            }
        }
    }

    /// Returns nil if the read takes longer than the limit.
    func read<Value>(atMost limit: Duration, _ body: (SQLConnection) throws -> Value) throws -> Value? {
        do {
            return try read(within: limit, body)
        } catch let error as ServiceError where error.code == .unavailable {
            return nil
        }
    }

    func close() throws {
        for reader in idle.withLock({ readers in
            defer { readers = [] }
            return readers
        }) {
            try reader.close()
        }
    }
}
