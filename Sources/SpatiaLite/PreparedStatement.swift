import CSpatiaLite
package import GRDB
import GRDBSQLite

/// A value bound to a statement.
package enum SQLValue: Equatable, Sendable {
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
    case null
}

/// A statement stepped by hand, its columns read where SQLite keeps them: what a GRDB row costs would double a search.
///
/// The statement is cached by its SQL: two scans of one SQL at once need a `slot` each. The cache only grows, so what clients
/// shape, as by filters, must not be kept.
package struct PreparedStatement: ~Copyable {
    private let statement: Statement
    private let database: Database

    package init(
        _ database: Database,
        _ sql: String,
        _ values: [SQLValue] = [],
        slot: Int = 0,
        isKept: Bool = true
    ) throws {
        let statement =
            try isKept
            ? database.cachedStatement(sql: slot == 0 ? sql : "\(sql) -- \(slot)")
            : database.makeStatement(sql: sql)
        sqlite3_reset(statement.sqliteStatement)
        for (index, value) in values.enumerated() {
            try Self.bind(value, CInt(index + 1), statement, database)
        }
        self.statement = statement
        self.database = database
    }

    private static func bind(_ value: SQLValue, _ place: CInt, _ statement: Statement, _ database: Database) throws {
        let handle = statement.sqliteStatement
        let code =
            switch value {
            case .integer(let number): sqlite3_bind_int64(handle, place, number)
            case .real(let number): sqlite3_bind_double(handle, place, number)
            case .text(let text): sqlite3_bind_text(handle, place, text, -1, copied)
            case .blob(let bytes): sqlite3_bind_blob(handle, place, bytes, CInt(bytes.count), copied)
            case .null: sqlite3_bind_null(handle, place)
            }
        if code != SQLITE_OK { throw failure(code, database, statement) }
    }

    deinit {
        sqlite3_reset(statement.sqliteStatement)
    }

    /// The same statement once more, with another first value: a look-up among many.
    package func restart(_ key: Int64) throws {
        sqlite3_reset(statement.sqliteStatement)
        try Self.bind(.integer(key), 1, statement, database)
    }

    /// Runs a statement that gives no rows.
    package static func run(_ database: Database, _ sql: String, _ values: [SQLValue] = []) throws {
        let scan = try PreparedStatement(database, sql, values)
        _ = try scan.next()
    }

    /// Statements that run on this thread, within `body` and longer than that, end with SQLITE_INTERRUPT.
    package static func within<Value>(_ limit: Duration?, _ body: () throws -> Value) rethrows -> Value {
        guard let limit else { return try body() }
        sqlite_give_up_after(Int64(limit / .nanoseconds(1)))
        defer { sqlite_give_up_after(0) }
        return try body()
    }

    /// False after the last row.
    package func next() throws -> Bool {
        switch sqlite3_step(statement.sqliteStatement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw Self.failure(code, database, statement)
        }
    }

    /// The row stepped to; valid until the next step.
    package var row: StatementRow { StatementRow(handle: statement.sqliteStatement) }

    package func integer(_ column: CInt) -> Int64 { row.integer(column) }

    package func real(_ column: CInt) -> Double { row.real(column) }

    package func isNull(_ column: CInt) -> Bool { row.isNull(column) }

    private static func failure(_ code: CInt, _ database: Database, _ statement: Statement) -> DatabaseError {
        let message = database.sqliteConnection.flatMap(sqlite3_errmsg).map { String(cString: $0) }
        return DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: statement.sql)
    }

    /// SQLITE_TRANSIENT, a macro that Swift does not see: SQLite copies the text.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

/// The columns of the row a statement stands on.
package struct StatementRow {
    fileprivate let handle: SQLiteStatement

    package func integer(_ column: CInt) -> Int64 { sqlite3_column_int64(handle, column) }

    package func real(_ column: CInt) -> Double { sqlite3_column_double(handle, column) }

    package func isNull(_ column: CInt) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// UTF-8, nil for NULL; valid until the next step.
    package func text(_ column: CInt) -> UnsafeBufferPointer<UInt8>? {
        guard let start = sqlite3_column_text(handle, column) else { return nil }
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }

    package func string(_ column: CInt) -> String? { text(column).map { String(decoding: $0, as: UTF8.self) } }

    package func blob(_ column: CInt) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: sqlite3_column_blob(handle, column),
            count: Int(sqlite3_column_bytes(handle, column))
        )
    }
}
