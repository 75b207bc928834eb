import CQL2
import SQL

/// Evaluates an SQL condition for single listings. The statement is prepared on first use, once per search.
final class RowFilter {
    private final class Statement {
        let scan: PreparedStatement

        init(_ scan: consuming PreparedStatement) { self.scan = scan }
    }

    private let db: SQLConnection
    private let condition: SQLCondition?
    private var statement: Statement?

    /// - Parameter condition: nil accepts every listing.
    init(_ db: SQLConnection, _ condition: SQLCondition?) {
        self.db = db
        self.condition = condition
    }

    func holds(_ key: Int64) throws -> Bool {
        guard let condition else { return true }
        let statement = try statement ?? prepare(condition)
        self.statement = statement
        try statement.scan.restart(key)
        return try statement.scan.next()
    }

    private func prepare(_ condition: SQLCondition) throws -> Statement {
        let sql = "SELECT 1 FROM listing WHERE listing.id = ? AND (\(condition.sql))"
        return Statement(try PreparedStatement(db, sql, [.integer(0)] + condition.values, isKept: false))
    }
}
