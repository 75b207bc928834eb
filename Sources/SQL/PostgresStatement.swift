/// A statement with its values on a connection to PostgreSQL. It runs at the first step.
final class PostgresStatement {
    private let connection: PostgresConnection
    private let sql: String
    private let isKept: Bool
    private var values: [SQLValue]
    private var result: PostgresResult?
    private var index: CInt = -1

    init(_ connection: PostgresConnection, _ sql: String, _ values: [SQLValue], isKept: Bool) {
        (self.connection, self.sql, self.values, self.isKept) = (connection, sql, values, isKept)
    }

    /// Replaces the first values and runs the statement again at the next step.
    func restart(_ first: [SQLValue]) {
        values.replaceSubrange(0..<min(first.count, values.count), with: first)
        result = nil
        index = -1
    }

    /// Steps to the next row. Returns false after the last one.
    func next() throws -> Bool {
        let result = try result ?? connection.run(sql, values, isKept: isKept)
        self.result = result
        index += 1
        return index < result.rowCount
    }

    var changes: Int { result?.changes ?? 0 }

    /// The current row. There must be one.
    var row: PostgresRow {
        guard let result else { preconditionFailure("the statement has not run") }
        return PostgresRow(result: result.pointer, index: index)
    }
}
