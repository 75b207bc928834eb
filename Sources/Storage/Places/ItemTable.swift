import CQL2
import SQL

/// A table whose rows are features, and the SQL that reads a page of them.
struct ItemTable: Sendable {
    /// The text after `FROM`. The expression `key` identifies a row.
    let from: String
    let key: String
    let columns: String
    let lon: String
    let lat: String
    let queryables: [Queryable]
    /// Finds the rows in a box.
    let index: PointIndex

    /// Passes the rows of a page to `body` and returns whether more rows follow.
    func read(_ query: ItemQuery, _ db: SQLConnection, _ body: (StatementRow) throws -> Void) throws -> Bool {
        let condition = condition(query, db.engine)
        let rows = try PreparedStatement(
            db,
            """
            SELECT \(columns) FROM \(from) WHERE \(key) > ?\(condition.sql) ORDER BY \(key) LIMIT ?
            """,
            [.integer(query.after ?? .min)] + condition.values + [.integer(Int64(query.limit) + 1)],
            isKept: false
        )
        var count = 0
        while try rows.next() {
            guard count < query.limit else { return true }
            try body(rows.row)
            count += 1
        }
        return false
    }

    func count(_ query: ItemQuery, _ db: SQLConnection) throws -> Int {
        let condition = condition(query, db.engine)
        let scan = try PreparedStatement(
            db,
            "SELECT count(*) FROM \(from) WHERE true\(condition.sql)",
            condition.values,
            isKept: false
        )
        return try scan.next() ? Int(scan.integer(0)) : 0
    }

    private func condition(_ query: ItemQuery, _ engine: SQLEngine) -> (sql: String, values: [SQLValue]) {
        var (sql, values) = ("", [SQLValue]())
        if let box = query.bounds {
            let parts = box.extents.map { extent in
                let sides = [extent.west, extent.east, extent.south, extent.north].map(SQLValue.real)
                values += sides + extent.corners
                let look = index.condition(on: engine)
                return "(\(lon) BETWEEN ? AND ? AND \(lat) BETWEEN ? AND ? AND \(look))"
            }
            sql += " AND (\(parts.joined(separator: " OR ")))"
        }
        if let condition = query.condition(over: queryables) {
            sql += " AND \(condition.sql)"
            values += condition.values
        }
        return (sql, values)
    }
}
