import GRDB

/// Conditions joined by AND, with the values bound to them in order.
struct SQLFilter {
    private(set) var sql = ""
    private(set) var arguments = StatementArguments()

    mutating func add(_ condition: String, _ values: StatementArguments = []) {
        sql += sql.isEmpty ? condition : " AND " + condition
        arguments += values
    }

    /// Every word must occur, the last letters of each may be missing.
    static func matchExpression(_ text: String, column: String? = nil) -> String {
        let words = text.split(separator: " ").map { "\"\($0)\"*" }.joined(separator: " ")
        return column.map { "\($0) : (\(words))" } ?? words
    }
}
