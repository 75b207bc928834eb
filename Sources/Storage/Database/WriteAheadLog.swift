import Domain
import Foundation
import GRDB
import GRDBSQLite
import SpatiaLite
import Synchronization

/// Limits the size of the write-ahead log, even if there are always readers.
///
/// SQLite restarts the log when all of it is in the database and no reader uses it. While reads overlap, that moment
/// may never come, and one read that does not end keeps everything that is written after its start.
final class WriteAheadLog: Sendable {
    /// In bytes.
    struct Limits: Sendable {
        /// Above this size the writer waits briefly for the readers, so that the log can restart.
        var usual = 64 << 20
        /// Above this size all writes fail until the log can be emptied.
        var maxSize = 1 << 30
    }

    private let path: String
    private let limits: Limits
    /// The log size in bytes at which the next attempt is made, so that not every write makes one during a long read.
    private let nextTry: Mutex<Int>

    /// In milliseconds. Reads of this program take a fraction of this.
    private static let patience: CInt = 100

    init(of database: URL, _ limits: Limits = Limits()) {
        path = database.path + "-wal"
        self.limits = limits
        nextTry = Mutex(limits.usual)
    }

    /// Empties the log if it is too large. Call it on the writer, outside of a transaction. Throws `unavailable` if the
    /// log is full and cannot be emptied.
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

    /// Copies the log into the database and truncates it. Call it on the writer, outside of a transaction. Returns
    /// `SQLITE_BUSY` if a reader uses the log.
    func empty(_ db: Database) -> ResultCode {
        let connection = db.sqliteConnection
        sqlite3_busy_timeout(connection, Self.patience)
        defer { db.waitForLocks() }
        return ResultCode(rawValue: sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil))
    }
}
