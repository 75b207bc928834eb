import CSpatiaLite
import GRDB
import GRDBSQLite

/// A statement that is stepped manually, for hot paths and for statements that run many times. Other code uses the
/// methods of `SQLConnection`.
///
/// Statements are cached by their SQL; two concurrent scans with the same SQL need different values of `slot`. The
/// cache never shrinks, so SQL that depends on client input such as filters must be created with `isKept: false`.
///
/// PostGIS runs the statement at the first step and sends all rows at once, so the SQL needs a `LIMIT` where there may
/// be many.
package struct PreparedStatement: ~Copyable {
    private enum Source {
        case sqlite(OpaquePointer, Statement, Database)
        case postgres(PostgresStatement)
    }

    private let source: Source

    package init(
        _ db: SQLConnection,
        _ sql: String,
        _ values: [SQLValue] = [],
        slot: Int = 0,
        isKept: Bool = true
    ) throws {
        switch db.source {
        case .sqlite(let database):
            let statement = try Self.prepare(slot == 0 ? sql : "\(sql) -- \(slot)", isKept: isKept, database)
            try Self.bind(values, statement, database)
            source = .sqlite(statement.sqliteStatement, statement, database)
        case .postgres(let connection):
            source = .postgres(PostgresStatement(connection, sql, values, isKept: isKept))
        }
    }

    /// Returns an idle statement: if the cached one is being stepped, as in recursive functions, a new one.
    private static func prepare(_ sql: String, isKept: Bool, _ database: Database) throws -> Statement {
        guard isKept else { return try database.makeStatement(sql: sql) }
        let cached = try database.cachedStatement(sql: sql)
        guard sqlite3_stmt_busy(cached.sqliteStatement) == 0 else { return try database.makeStatement(sql: sql) }
        sqlite3_reset(cached.sqliteStatement)
        return cached
    }

    private static func bind(_ values: [SQLValue], _ statement: Statement, _ database: Database) throws {
        for (index, value) in values.enumerated() { try bind(value, CInt(index + 1), statement, database) }
    }

    private static func bind(
        _ value: SQLValue,
        _ place: CInt,
        _ statement: Statement,
        _ database: Database
    ) throws {
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
        if code != SQLITE_OK { throw failure(code, statement, database) }
    }

    deinit {
        guard case .sqlite(let handle, _, _) = source else { return }
        sqlite3_reset(handle)
        // Frees the copies of texts and blobs, because cached statements live as long as the connection.
        sqlite3_clear_bindings(handle)
    }

    /// Resets the statement and binds another first value, for repeated look-ups.
    package func restart(_ key: Int64) throws {
        switch source {
        case .sqlite(let handle, _, _):
            sqlite3_reset(handle)
            try bind(key, 1, handle)
        case .postgres(let statement): statement.restart([.integer(key)])
        }
    }

    /// Resets the statement and binds other values to its first two parameters, for repeated searches of ranges.
    package func restart(_ range: ClosedRange<Int64>) throws {
        switch source {
        case .sqlite(let handle, _, _):
            sqlite3_reset(handle)
            try bind(range.lowerBound, 1, handle)
            try bind(range.upperBound, 2, handle)
        case .postgres(let statement):
            statement.restart([.integer(range.lowerBound), .integer(range.upperBound)])
        }
    }

    private func bind(_ key: Int64, _ place: CInt, _ handle: OpaquePointer) throws {
        let code = sqlite3_bind_int64(handle, place, key)
        if code != SQLITE_OK { throw failure(code) }
    }

    /// Binds new values and runs the statement to its end, for repeated writes.
    package func run(_ values: [any SQLBindable]) throws {
        let values = values.map(\.sqlValue)
        switch source {
        case .sqlite(let handle, let statement, let database):
            sqlite3_reset(handle)
            try Self.bind(values, statement, database)
            while try next() {}
            sqlite3_reset(handle)
        case .postgres(let statement):
            statement.restart(values)
            _ = try statement.next()
        }
    }

    /// Runs `body`. Statements on this thread that exceed a limit fail with SQLITE_INTERRUPT. Limits that are in effect
    /// already remain. PostGIS has other limits: see `PostgresConnection`.
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
        switch source {
        case .sqlite(let handle, _, _):
            switch sqlite3_step(handle) {
            case SQLITE_ROW: return true
            case SQLITE_DONE: return false
            case let code: throw failure(code)
            }
        case .postgres(let statement): return try statement.next()
        }
    }

    private func failure(_ code: CInt) -> any Error {
        guard case .sqlite(_, let statement, let database) = source else { preconditionFailure("not SQLite") }
        return Self.failure(code, statement, database)
    }

    /// The current row, valid until the next step.
    package var row: StatementRow {
        switch source {
        case .sqlite(let handle, _, _): StatementRow(sqlite: handle)
        case .postgres(let statement): StatementRow(statement.row)
        }
    }

    package func integer(_ column: CInt) -> Int64 { row.integer(column) }

    package func real(_ column: CInt) -> Double { row.real(column) }

    package func isNull(_ column: CInt) -> Bool { row.isNull(column) }

    /// Steps a statement that writes to its end: SQLite checks foreign keys only then.
    func finish() throws {
        guard case .sqlite(let handle, _, _) = source, sqlite3_stmt_readonly(handle) == 0 else { return }
        while try next() {}
    }

    /// The number of rows that the finished statement has inserted, updated or deleted.
    var changes: Int {
        switch source {
        case .sqlite(_, _, let database): Int(sqlite3_changes(database.sqliteConnection))
        case .postgres(let statement): statement.changes
        }
    }

    private static func failure(_ code: CInt, _ statement: Statement, _ database: Database) -> DatabaseError {
        let message = database.sqliteConnection.flatMap(sqlite3_errmsg).map { String(cString: $0) }
        return DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: statement.sql)
    }

    /// SQLITE_TRANSIENT, a macro that Swift does not import, makes SQLite copy the text.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}
