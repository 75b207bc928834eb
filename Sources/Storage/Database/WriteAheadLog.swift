import CSpatiaLite
import Domain
import Foundation
import SQL
import Synchronization

/// Copies the write-ahead log into the database while writes continue, and limits its size, even if there are always
/// readers.
///
/// SQLite restarts the log when all of it is in the database and no reader uses it. While reads overlap, that moment
/// may never come, and one read that does not end keeps everything that is written after its start.
final class WriteAheadLog: Sendable {
    /// In bytes.
    struct Limits: Sendable {
        /// At this size the log is copied into the database. A page that changes repeatedly is copied only once.
        var checkpoint = 64 << 20
        /// Above this size the writer waits briefly for the readers, so that the log can restart.
        var usual = 128 << 20
        /// Above this size all writes fail until the log can be emptied.
        var maxSize = 1 << 30
    }

    private enum Checkpoint {
        case idle, running
        /// All but the latest pages are copied. The writer copies those, so that the log can restart.
        case remaining
    }

    // In bytes.
    private static let pageSize = 4096
    private static let maxSizeOnFullDisk = 4 << 20
    /// In milliseconds. Reads of this program take a fraction of this.
    private static let patience: CInt = 100

    private let database: URL
    private let path: String
    private let limits: Limits
    /// The log size in bytes at which the next attempt is made, so that not every write makes one during a long read.
    private let nextTry: Mutex<Int>
    private let checkpoint = Mutex(Checkpoint.idle)
    /// Copies pages on a connection of its own, because the pages of a large database are far apart: that takes hundreds
    /// of milliseconds.
    private let queue = DispatchQueue(label: "checkpoint")
    private let syncQueue = DispatchQueue(label: "log sync")
    private let isSyncing = Mutex(false)

    init(of database: URL, _ limits: Limits = Limits()) {
        self.database = database
        path = database.path + "-wal"
        self.limits = limits
        nextTry = Mutex(limits.usual)
    }

    /// Follows the commits of a connection, instead of SQLite's automatic checkpoints. The log must outlive it.
    func follow(_ connection: SQLiteConnection) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_wal_hook(
            connection.handle,
            { context, _, _, pages in
                if let context { Unmanaged<WriteAheadLog>.fromOpaque(context).takeUnretainedValue().grew(to: pages) }
                return SQLITE_OK
            },
            context
        )
    }

    private func grew(to pages: CInt) {
        guard Int(pages) * Self.pageSize >= limits.checkpoint else { return }
        let begins = checkpoint.withLock { state in
            defer { if state == .idle { state = .running } }
            return state == .idle
        }
        if begins { queue.async { self.copyPages() } }
    }

    private func copyPages() {
        // Without the settings of a writer, SQLite syncs both files (`synchronous = FULL`). A second pass would copy
        // the same pages again, because they change all the time.
        let connection = try? SQLiteConnection(database.path)
        let isCopied = connection?.checkpoint(SQLITE_CHECKPOINT_PASSIVE) == SQLITE_OK
        try? connection?.close()
        checkpoint.withLock { $0 = isCopied ? .remaining : .idle }
    }

    /// Empties the log if it is too large. Call it on the writer, outside of a transaction. Throws `unavailable` if the
    /// log is full and cannot be emptied.
    ///
    /// - Parameter isDiskFull: the log may be what fills the disk.
    func makeRoom(_ writer: SQLiteConnection, isDiskFull: Bool) throws {
        finishCheckpoint(writer)
        let size = try size
        if isDiskFull, size >= Self.maxSizeOnFullDisk { _ = empty(writer) }
        guard size >= nextTry.withLock(\.self) else { return }
        let outcome = empty(writer)
        let isEmpty = outcome == SQLITE_OK
        nextTry.withLock { $0 = isEmpty ? limits.usual : min(size + limits.usual, limits.maxSize) }
        guard isEmpty || size < limits.maxSize else {
            guard outcome == SQLITE_BUSY else { throw SQLiteError(outcome) }
            throw ServiceError(
                .unavailable,
                "somebody has been reading the database for so long that nothing more can be written until they end"
            )
        }
    }

    /// Begins to write the log to the disk, unless this is being done, for commits that were not synced. Otherwise the next
    /// commit that is synced, which others wait for, would write all of them.
    func beginSync() {
        let begins = isSyncing.withLock { isSyncing in
            defer { isSyncing = true }
            return !isSyncing
        }
        guard begins else { return }
        syncQueue.async { [self] in
            defer { isSyncing.withLock { $0 = false } }
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return }
            // Errors concern commits that nobody relies on yet; the commit that is synced reports them.
            fdatasync(file)
            Glibc.close(file)
        }
    }

    private func finishCheckpoint(_ writer: SQLiteConnection) {
        guard checkpoint.withLock({ $0 == .remaining }) else { return }
        // An error that concerns writes is reported by the next write.
        _ = writer.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
        checkpoint.withLock { $0 = .idle }
    }

    /// Waits until no checkpoint and no sync is running.
    func close() {
        queue.sync {}
        syncQueue.sync {}
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
    func empty(_ writer: SQLiteConnection) -> CInt {
        writer.waitForLocks(atMost: Self.patience)
        defer { writer.waitForLocks() }
        return writer.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
    }
}
