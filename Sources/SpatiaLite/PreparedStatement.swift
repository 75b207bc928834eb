import CSpatiaLite
import GRDB
import GRDBSQLite

/// A statement that is stepped manually, for hot paths and for statements that run many times. Other code uses the
/// methods of `SQLConnection`.
///
/// Statements are cached by their SQL; two concurrent scans with the same SQL need different values of `slot`. The
/// cache never shrinks, so SQL that depends on client input such as filters must be created with `isKept: false`.
package struct PreparedStatement: ~Copyable {
    private let statement: Statement
    private let connection: SQLConnection

    package init(
        _ db: SQLConnection,
        _ sql: String,
        _ values: [SQLValue] = [],
        slot: Int = 0,
        isKept: Bool = true
    ) throws {
        let statement = try Self.prepare(slot == 0 ? sql : "\(sql) -- \(slot)", isKept: isKept, db)
        try Self.bind(values, statement, db)
        self.statement = statement
        connection = db
    }

    /// Returns an idle statement: if the cached one is being stepped, as in recursive functions, a new one.
    private static func prepare(_ sql: String, isKept: Bool, _ db: SQLConnection) throws -> Statement {
        guard isKept else { return try db.database.makeStatement(sql: sql) }
        let cached = try db.database.cachedStatement(sql: sql)
        guard sqlite3_stmt_busy(cached.sqliteStatement) == 0 else { return try db.database.makeStatement(sql: sql) }
        sqlite3_reset(cached.sqliteStatement)
        return cached
    }

    private static func bind(_ values: [SQLValue], _ statement: Statement, _ db: SQLConnection) throws {
        for (index, value) in values.enumerated() { try bind(value, CInt(index + 1), statement, db) }
    }

    private static func bind(_ value: SQLValue, _ place: CInt, _ statement: Statement, _ db: SQLConnection) throws {
        let handle = statement.sqliteStatement
        let code =
            switch value {
            case .integer(let number): sqlite3_bind_int64(handle, place, number)
            case .real(let number): sqlite3_bind_double(handle, place, number)
            case .text(let text): sqlite3_bind_text(handle, place, text, -1, copied)
            // SQLite reads a blob without a pointer as NULL.
            case .blob(let bytes) where bytes.isEmpty: sqlite3_bind_zeroblob(handle, place, 0)
            case .blob(let bytes): sqlite3_bind_blob(handle, place, bytes, CInt(bytes.count), copied)
            case .null: sqlite3_bind_null(handle, place)
            }
        if code != SQLITE_OK { throw failure(code, statement, db) }
    }

    deinit {
        sqlite3_reset(statement.sqliteStatement)
        // Frees the copies of texts and blobs, because cached statements live as long as the connection.
        sqlite3_clear_bindings(statement.sqliteStatement)
    }

    /// Resets the statement and binds another first value, for repeated look-ups.
    package func restart(_ key: Int64) throws {
        sqlite3_reset(statement.sqliteStatement)
        try Self.bind(.integer(key), 1, statement, connection)
    }

    /// Resets the statement and binds other values to its first two parameters, for repeated searches of ranges.
    package func restart(_ range: ClosedRange<Int64>) throws {
        try restart(range.lowerBound)
        try Self.bind(.integer(range.upperBound), 2, statement, connection)
    }

    /// Binds new values and runs the statement to its end, for repeated writes.
    package func run(_ values: [any SQLBindable]) throws {
        sqlite3_reset(statement.sqliteStatement)
        try Self.bind(values.map(\.sqlValue), statement, connection)
        while try next() {}
        sqlite3_reset(statement.sqliteStatement)
    }

    /// Runs `body`. Statements on this thread that exceed a limit fail with SQLITE_INTERRUPT. Limits that are in effect
    /// already remain.
    ///
    /// - Parameters:
    ///   - processorTime: in seconds; nil for no limit.
    ///   - duration: the limit for the whole time; nil for none.
    package static func within<Value>(
        processorTime: Double?,
        duration: Duration?,
        _ body: () throws -> Value
    ) rethrows -> Value {
        guard processorTime != nil || duration != nil else { return try body() }
        let former = sqlite_narrow_time_limit(
            processorTime.map { max(1, Int64($0 * 1e9)) } ?? 0,
            duration.map { Int64($0 / .nanoseconds(1)) } ?? 0
        )
        defer { sqlite_restore_time_limit(former) }
        return try body()
    }

    /// The processor time of this thread in seconds since an arbitrary moment.
    package static var processorTime: Double { Double(thread_processor_time()) / 1e9 }

    /// Steps to the next row. Returns false after the last one.
    package func next() throws -> Bool {
        switch sqlite3_step(statement.sqliteStatement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw Self.failure(code, statement, connection)
        }
    }

    /// The current row, valid until the next step.
    package var row: StatementRow { StatementRow(handle: statement.sqliteStatement) }

    package func integer(_ column: CInt) -> Int64 { row.integer(column) }

    package func real(_ column: CInt) -> Double { row.real(column) }

    package func isNull(_ column: CInt) -> Bool { row.isNull(column) }

    /// Steps a statement that writes to its end: SQLite checks foreign keys only then.
    func finish() throws {
        guard sqlite3_stmt_readonly(statement.sqliteStatement) == 0 else { return }
        while try next() {}
    }

    private static func failure(_ code: CInt, _ statement: Statement, _ db: SQLConnection) -> DatabaseError {
        let message = db.database.sqliteConnection.flatMap(sqlite3_errmsg).map { String(cString: $0) }
        return DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: statement.sql)
    }

    /// SQLITE_TRANSIENT, a macro that Swift does not import, makes SQLite copy the text.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}
