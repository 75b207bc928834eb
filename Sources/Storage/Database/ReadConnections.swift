import Domain
import GRDB
import SpatiaLite
import Synchronization

/// Connections that only read, each in the hands of one caller at a time.
///
/// Reads run on their caller's thread, so there are never more connections than threads, and nobody waits for one.
/// GRDB's own pool hands its connections out by way of queues, which under load cost more than a search.
final class ReadConnections: Sendable {
    private let path: String
    private let configuration: Configuration
    private let idle = Mutex<[DatabaseQueue]>([])

    init(path: String, _ configuration: Configuration) {
        self.path = path
        self.configuration = configuration
    }

    /// Sees one state of the database from first to last; what takes longer than the limit is given up.
    func read<Value>(within limit: Duration?, _ body: (Database) throws -> Value) throws -> Value {
        let reader = try idle.withLock { $0.popLast() } ?? DatabaseQueue(path: path, configuration: configuration)
        do {
            let value = try read(reader, within: limit, body)
            idle.withLock { $0.append(reader) }
            return value
        } catch let error as DatabaseError where StorageFault(error.extendedResultCode) != nil {
            // It may be in any state; the next one begins anew.
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
        _ body: (Database) throws -> Value
    ) throws -> Value {
        try reader.inDatabase { db in
            try PreparedStatement.run(db, "BEGIN")
            defer { try? PreparedStatement.run(db, "COMMIT") }
            do {
                return try PreparedStatement.within(limit) { try body(db) }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
                throw ServiceError(.unavailable, "this took too long and was given up: ask for less")
            }
        }
    }

    /// Nil where it takes longer than it is worth.
    func read<Value>(atMost limit: Duration, _ body: (Database) throws -> Value) throws -> Value? {
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
