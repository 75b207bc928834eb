import Domain
import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// Keeps the write-ahead log from growing without bound, whoever reads meanwhile.
///
/// SQLite starts the log anew once everything in it is in the database and nobody reads from it any more; with readers
/// overlapping that moment may not come, and one read that does not end keeps all that is written after it.
final class WriteAheadLog: Sendable {
    /// Bytes.
    struct Limits: Sendable {
        /// Beyond this the writer waits a moment for the readers, to start anew.
        var usual = 64 << 20
        /// Beyond this nothing is written until that succeeds.
        var maxSize = 1 << 30
    }

    private let path: String
    private let limits: Limits
    /// The size at which to try again: not at every write while a long read goes on.
    private let nextTry: Mutex<Int>

    /// Reads that this program answers take a fraction of this. Milliseconds.
    private static let patience: CInt = 100

    init(of database: URL, _ limits: Limits = Limits()) {
        path = database.path + "-wal"
        self.limits = limits
        nextTry = Mutex(limits.usual)
    }

    /// Call on the writer, outside of a transaction. Throws `unavailable` where the log is full and cannot be emptied.
    func makeRoom(_ db: Database) throws {
        let size = try size
        guard size >= nextTry.withLock(\.self) else { return }
        let outcome = empty(db)
        let isEmpty = outcome == .SQLITE_OK
        nextTry.withLock { $0 = isEmpty ? limits.usual : min(size + limits.usual, limits.maxSize) }
        guard isEmpty || size < limits.maxSize else {
            guard outcome == .SQLITE_BUSY else { throw DatabaseError(resultCode: outcome) }
            throw ServiceError(
                .unavailable,
                "somebody has been reading the database for so long that nothing more can be written until they end"
            )
        }
    }

    private var size: Int {
        get throws {
            var file = stat()
            guard stat(path, &file) == 0 else {
                guard errno == ENOENT else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
                return 0
            }
            return Int(file.st_size)
        }
    }

    /// Call on the writer, outside of a transaction. `SQLITE_BUSY` where somebody reads what is in the log.
    func empty(_ db: Database) -> ResultCode {
        let connection = db.sqliteConnection
        sqlite3_busy_timeout(connection, Self.patience)
        defer { sqlite3_busy_timeout(connection, CInt(Configuration.patience * 1000)) }
        return ResultCode(rawValue: sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil))
    }
}
