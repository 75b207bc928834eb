import CSpatiaLite

/// The connection on which a transaction runs its SQL, to SpatiaLite or PostGIS. It must not be used after the
/// transaction.
///
/// Parameters of statements are `?`, in the order of the values, or `?1`. Statements are cached by their SQL, so SQL
/// must not contain client input; see `PreparedStatement` for SQL that does.
package struct SQLConnection {
    enum Source {
        case sqlite(SQLiteConnection)
        case postgres(PostgresConnection)
    }

    let source: Source

    package init(_ connection: SQLiteConnection) { source = .sqlite(connection) }

    package init(_ connection: PostgresConnection) { source = .postgres(connection) }

    package var engine: SQLEngine {
        switch source {
        case .sqlite: .spatiaLite
        case .postgres: .postGIS
        }
    }

    /// The connection to SQLite, for transactions and SQLite's own interfaces. The engine must be SpatiaLite.
    package var sqlite: SQLiteConnection {
        guard case .sqlite(let connection) = source else { preconditionFailure("the connection is not one of SQLite") }
        return connection
    }

    /// Runs a statement. Returns the number of rows that it inserted, updated or deleted.
    @discardableResult
    package func execute(_ sql: String, _ values: [any SQLBindable] = []) throws -> Int {
        let statement = try prepare(sql, values)
        while try statement.next() {}
        return statement.changes
    }

    /// Runs an INSERT that ends with `RETURNING` and an integer column, and returns the value.
    package func insert(_ sql: String, _ values: [any SQLBindable] = []) throws -> Int64 {
        guard let key: Int64 = try value(sql, values) else { throw UnreadableRow("nothing returned by: \(sql)") }
        return key
    }

    /// Runs several statements without parameters, separated by semicolons.
    package func run(script sql: String) throws {
        switch source {
        case .sqlite: try forEachStatement(of: sql) { statement in while try statement.next() {} }
        case .postgres(let connection): try connection.run(script: sql)
        }
    }

    /// Returns what `read` reads from each row.
    package func rows<Value>(
        _ sql: String,
        _ values: [any SQLBindable] = [],
        _ read: (StatementRow) throws -> Value
    ) throws -> [Value] {
        let statement = try prepare(sql, values)
        var found: [Value] = []
        while try statement.next() { found.append(try read(statement.row)) }
        return found
    }

    /// Calls with each row. Cheaper than `rows` where most rows are left out.
    package func forEachRow(
        _ sql: String,
        _ values: [any SQLBindable] = [],
        _ body: (StatementRow) throws -> Void
    ) throws {
        let statement = try prepare(sql, values)
        while try statement.next() { try body(statement.row) }
    }

    /// Returns what `read` reads from the first row; nil if there are no rows.
    package func row<Value>(
        _ sql: String,
        _ values: [any SQLBindable] = [],
        _ read: (StatementRow) throws -> Value
    ) throws -> Value? {
        let statement = try prepare(sql, values)
        guard try statement.next() else { return nil }
        let value = try read(statement.row)
        try statement.finish()
        return value
    }

    /// Returns the first column of all rows.
    package func values<Value: SQLReadable>(_ sql: String, _ values: [any SQLBindable] = []) throws -> [Value] {
        try rows(sql, values) { row in try row[0] }
    }

    /// Returns the first column of the first row; nil if there are no rows or the value is NULL.
    package func value<Value: SQLReadable>(_ sql: String, _ values: [any SQLBindable] = []) throws -> Value? {
        try row(sql, values) { row in try row[0] as Value? } ?? nil
    }

    /// Returns the number of rows.
    ///
    /// - Parameter rows: the part of the query that follows `FROM`.
    package func count(_ rows: String, _ values: [any SQLBindable] = []) throws -> Int {
        try value("SELECT count(*) FROM \(rows)", values) ?? 0
    }

    /// Returns whether the query has a row.
    package func exists(_ sql: String, _ values: [any SQLBindable] = []) throws -> Bool {
        try prepare(sql, values).next()
    }

    package func hasTable(_ name: String) throws -> Bool {
        switch engine {
        case .spatiaLite: try exists("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", [name])
        case .postGIS: try exists("SELECT 1 WHERE to_regclass(?) IS NOT NULL", [name])
        }
    }

    private func prepare(_ sql: String, _ values: [any SQLBindable]) throws -> PreparedStatement {
        try PreparedStatement(self, sql, values.map(\.sqlValue))
    }
}

// MARK: - SQLite only

extension SQLConnection {
    /// Calls with each statement of a script, before it runs. Each is compiled after the former one has run.
    package func forEachStatement(of script: String, _ body: (borrowing PreparedStatement) throws -> Void) throws {
        try sqlite.forEachStatement(of: script, body)
    }

    /// The number of rows that this connection has inserted, updated or deleted so far.
    package var totalChanges: Int { sqlite.handle.map { Int(sqlite3_total_changes($0)) } ?? 0 }

    /// Disables all triggers on this connection, for code that does their work itself.
    package func disableTriggers() throws { try useTriggers(false) }

    package func enableTriggers() throws { try useTriggers(true) }

    private func useTriggers(_ isEnabled: Bool) throws {
        guard let handle = sqlite.handle else { return }
        try sqlite.check(sqlite_use_triggers(handle, isEnabled ? 1 : 0))
    }
}

/// The database engine behind a connection.
package enum SQLEngine: Sendable {
    case spatiaLite
    case postGIS
}
