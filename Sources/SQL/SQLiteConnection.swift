import CSpatiaLite
import Synchronization

/// Whether SQLite is configured, which is done once, before the first connection. If another part of the process has
/// opened a connection before, the setting has no effect and SQLite is only slower.
private let isConfigured = sqlite_configure() == SQLITE_OK

/// A connection to an SQLite database, which serves one caller at a time, on any thread. `SQLiteQueue` lets callers take
/// turns.
///
/// Foreign keys are checked. The connection waits ten seconds for locks of others.
package final class SQLiteConnection: @unchecked Sendable {
    /// In milliseconds.
    package static let patience: CInt = 10_000

    /// The connection of SQLite's own interface; nil after `close`.
    package private(set) var handle: OpaquePointer?
    /// Statements by their SQL. Those with the same SQL are in use at the same time.
    private var kept: [String: [SQLiteStatement]] = [:]
    /// Whether statements belong to a transaction and must not run without one.
    var isTransactional = false
    /// Is held when `handle` changes, because `interrupt` reads it on another thread.
    private let changing = Mutex(())

    /// Opens a database, and creates the file if it does not exist. Throws if the file is not a database.
    ///
    /// - Parameters:
    ///   - path: of the file; empty for a temporary database, `:memory:` for one in memory.
    ///   - prepare: is called before the first read of the file.
    package init(
        _ path: String,
        isReadOnly: Bool = false,
        prepare: (SQLiteConnection) throws -> Void = { _ in }
    ) throws {
        _ = isConfigured
        let mode = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let code = sqlite3_open_v2(path, &handle, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        // If this throws, `deinit` closes the connection.
        guard code == SQLITE_OK, let handle else { throw SQLiteError(code) }
        try check(sqlite_refuse_quoted_texts(handle))
        waitForLocks()
        try run(script: "PRAGMA foreign_keys = ON")
        try prepare(self)
        try run(script: "SELECT 1 FROM sqlite_schema LIMIT 1")
    }

    deinit {
        kept = [:]
        // If a statement is in use, SQLite closes the connection after it.
        sqlite3_close_v2(handle)
    }

    /// Closes the connection. Throws, and leaves it open, if a statement is in use.
    package func close() throws {
        guard let open = handle else { return }
        kept = [:]
        changing.withLock { _ in handle = nil }
        let code = sqlite3_close(open)
        guard code != SQLITE_OK else { return }
        changing.withLock { _ in handle = open }
        throw SQLiteError(code, connection: open)
    }

    /// Interrupts the statements that are running, from any thread.
    package func interrupt() {
        changing.withLock { _ in
            if let handle { sqlite3_interrupt(handle) }
        }
    }

    /// Makes the connection wait for locks that others hold.
    ///
    /// - Parameter patience: in milliseconds.
    package func waitForLocks(atMost patience: CInt = patience) {
        if let handle { sqlite_wait_for_locks(handle, patience) }
    }

    /// Frees the page cache, and returns free memory of the process to the system.
    package func releaseCache() {
        if let handle { sqlite_release_cache(handle) }
    }

    /// Uses a write-ahead log, in which each commit is on the disk when it returns.
    package func useWriteAheadLog() throws {
        let db = SQLConnection(self)
        guard try db.value("PRAGMA journal_mode = WAL") == "wal" else {
            throw SQLiteError(SQLITE_ERROR, "the file system does not support a write-ahead log")
        }
        try db.run(script: "PRAGMA synchronous = FULL")
    }

    /// Copies the write-ahead log into the database.
    ///
    /// - Parameter mode: `SQLITE_CHECKPOINT_PASSIVE` and so on.
    /// - Returns: SQLite's result code.
    package func checkpoint(_ mode: CInt) -> CInt {
        guard let handle else { return SQLITE_MISUSE }
        return sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil)
    }

    static let closed = SQLiteError(SQLITE_MISUSE, "the connection is closed")

    func check(_ code: CInt) throws {
        if code != SQLITE_OK { throw SQLiteError(code, connection: handle) }
    }
}

// MARK: - Statements

extension SQLiteConnection {
    /// Returns a statement that is not in use.
    ///
    /// - Parameter isKept: whether the connection keeps the statement for the next call with this SQL.
    func statement(_ sql: String, isKept: Bool) throws -> SQLiteStatement {
        try checkTransaction()
        guard isKept else { return try compile(sql) }
        if let idle = kept[sql]?.first(where: { !$0.isInUse }) { return idle }
        let statement = try compile(sql, CUnsignedInt(SQLITE_PREPARE_PERSISTENT))
        kept[sql, default: []].append(statement)
        return statement
    }

    private func compile(_ sql: String, _ flags: CUnsignedInt = 0) throws -> SQLiteStatement {
        try sql.withCString { start in
            var rest: UnsafePointer<CChar>? = start
            guard let statement = try compile(&rest, flags) else {
                throw SQLiteError(SQLITE_ERROR, "empty statement", sql: sql)
            }
            // Otherwise the others would silently not run.
            guard try compile(&rest) == nil else { throw SQLiteError(SQLITE_MISUSE, "several statements", sql: sql) }
            return statement
        }
    }

    /// Compiles the first statement and moves the start behind it. Returns nil if there are no more.
    private func compile(_ start: inout UnsafePointer<CChar>?, _ flags: CUnsignedInt = 0) throws -> SQLiteStatement? {
        guard let handle else { throw Self.closed }
        guard let sql = start, sql.pointee != 0 else { return nil }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, flags, &statement, &start)
        guard code == SQLITE_OK else { throw SQLiteError(code, connection: handle, sql: String(cString: sql)) }
        return statement.map(SQLiteStatement.init)
    }

    /// Calls with each statement of a script, before it runs. Each is compiled after the former one has run.
    func forEachStatement(of script: String, _ body: (borrowing PreparedStatement) throws -> Void) throws {
        try script.withCString { start in
            var rest: UnsafePointer<CChar>? = start
            while let statement = try compile(&rest) {
                try checkTransaction()
                try statement.begin([])
                try body(PreparedStatement(statement))
            }
        }
    }

    private func run(script: String) throws { try SQLConnection(self).run(script: script) }
}
