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

extension ListingQuery {
    /// The conditions on columns that no index of the search contains.
    var rowCondition: SQLCondition? {
        guard let country else { return filter }
        let (sql, values) = ("listing.country_code = ?", [SQLValue.text(country)])
        guard let filter else { return SQLCondition(sql: sql, values: values, box: nil) }
        return SQLCondition(sql: "\(sql) AND (\(filter.sql))", values: values + filter.values, box: filter.box)
    }
}
