import CSpatiaLite
package import GRDB
import GRDBSQLite

package enum SQLValue: Equatable, Sendable {
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
    case null
}

/// A statement that is stepped manually and whose columns are read in SQLite's memory, because GRDB rows would double
/// the cost of a search.
///
/// Statements are cached by their SQL; two concurrent scans with the same SQL need different values of `slot`. The
/// cache never shrinks, so SQL that depends on client input such as filters must be created with `isKept: false`.
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

    /// Resets the statement and binds another first value, for repeated look-ups.
    package func restart(_ key: Int64) throws {
        sqlite3_reset(statement.sqliteStatement)
        try Self.bind(.integer(key), 1, statement, database)
    }

    /// Runs a statement that returns no rows.
    package static func run(_ database: Database, _ sql: String, _ values: [SQLValue] = []) throws {
        let scan = try PreparedStatement(database, sql, values)
        _ = try scan.next()
    }

    /// Runs `body`. Statements on this thread that run longer than the limit fail with SQLITE_INTERRUPT.
    package static func within<Value>(_ limit: Duration?, _ body: () throws -> Value) rethrows -> Value {
        guard let limit else { return try body() }
        sqlite_give_up_after(Int64(limit / .nanoseconds(1)))
        defer { sqlite_give_up_after(0) }
        return try body()
    }

    /// Steps to the next row. Returns false after the last one.
    package func next() throws -> Bool {
        switch sqlite3_step(statement.sqliteStatement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw Self.failure(code, database, statement)
        }
    }

    /// The current row, valid until the next step.
    package var row: StatementRow { StatementRow(handle: statement.sqliteStatement) }

    package func integer(_ column: CInt) -> Int64 { row.integer(column) }

    package func real(_ column: CInt) -> Double { row.real(column) }

    package func isNull(_ column: CInt) -> Bool { row.isNull(column) }

    private static func failure(_ code: CInt, _ database: Database, _ statement: Statement) -> DatabaseError {
        let message = database.sqliteConnection.flatMap(sqlite3_errmsg).map { String(cString: $0) }
        return DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: statement.sql)
    }

    /// SQLITE_TRANSIENT, a macro that Swift does not import, makes SQLite copy the text.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

/// The columns of the current row of a statement.
package struct StatementRow {
    fileprivate let handle: SQLiteStatement

    package func integer(_ column: CInt) -> Int64 { sqlite3_column_int64(handle, column) }

    package func real(_ column: CInt) -> Double { sqlite3_column_double(handle, column) }

    package func isNull(_ column: CInt) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// Returns the UTF-8 bytes of a text, valid until the next step, or nil for NULL.
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
