import CSpatiaLite

/// A statement that is stepped manually, for hot paths and for statements that run many times. Other code uses the
/// methods of `SQLConnection`.
///
/// A connection keeps its statements by their SQL and never forgets them, so SQL that depends on client input such as
/// filters must be created with `isKept: false`.
///
/// PostGIS runs the statement at the first step and sends all rows at once, so the SQL needs a `LIMIT` where there may
/// be many.
package struct PreparedStatement: ~Copyable {
    private enum Source {
        case sqlite(OpaquePointer, SQLiteStatement)
        case postgres(PostgresStatement)
    }

    private let source: Source

    package init(_ db: SQLConnection, _ sql: String, _ values: [SQLValue] = [], isKept: Bool = true) throws {
        switch db.source {
        case .sqlite(let connection):
            let statement = try connection.statement(sql, isKept: isKept)
            try statement.begin(values)
            source = .sqlite(statement.handle, statement)
        case .postgres(let connection):
            source = .postgres(PostgresStatement(connection, sql, values, isKept: isKept))
        }
    }

    /// Takes a statement that has begun.
    init(_ statement: SQLiteStatement) {
        source = .sqlite(statement.handle, statement)
    }

    deinit {
        if case .sqlite(_, let statement) = source { statement.end() }
    }

    /// Resets the statement and binds another first value, for repeated look-ups.
    package func restart(_ key: Int64) throws {
        switch source {
        case .sqlite(let handle, _):
            sqlite3_reset(handle)
            try bind(key, 1, handle)
        case .postgres(let statement): statement.restart([.integer(key)])
        }
    }

    /// Resets the statement and binds other values to its first two parameters, for repeated searches of ranges.
    package func restart(_ range: ClosedRange<Int64>) throws {
        switch source {
        case .sqlite(let handle, _):
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
        case .sqlite(let handle, let statement):
            sqlite3_reset(handle)
            try statement.bind(values)
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
        case .sqlite(let handle, _):
            switch sqlite3_step(handle) {
            case SQLITE_ROW: return true
            case SQLITE_DONE: return false
            case let code: throw failure(code)
            }
        case .postgres(let statement): return try statement.next()
        }
    }

    private func failure(_ code: CInt) -> any Error {
        guard case .sqlite(let handle, _) = source else { preconditionFailure("not SQLite") }
        return SQLiteError(code, statement: handle)
    }

    /// The current row, valid until the next step.
    package var row: StatementRow {
        switch source {
        case .sqlite(let handle, _): StatementRow(sqlite: handle)
        case .postgres(let statement): StatementRow(statement.row)
        }
    }

    package func integer(_ column: CInt) -> Int64 { row.integer(column) }

    package func real(_ column: CInt) -> Double { row.real(column) }

    package func isNull(_ column: CInt) -> Bool { row.isNull(column) }

    /// Steps a statement that writes to its end: SQLite checks foreign keys only then.
    func finish() throws {
        guard case .sqlite(let handle, _) = source, sqlite3_stmt_readonly(handle) == 0 else { return }
        while try next() {}
    }

    /// The number of rows that the finished statement has inserted, updated or deleted.
    var changes: Int {
        switch source {
        case .sqlite(let handle, _): Int(sqlite3_changes(sqlite3_db_handle(handle)))
        case .postgres(let statement): statement.changes
        }
    }

    /// The SQL, for messages; nil on PostgreSQL.
    package var sql: String? {
        guard case .sqlite(let handle, _) = source else { return nil }
        return sqlite3_sql(handle).map { String(cString: $0) }
    }
}
