package import CQL2
package import Domain
package import SQL

/// A query for a page of a feature collection (OGC API - Features). All conditions must hold; the results are in the
/// order of the keys.
package struct ItemQuery: Sendable {
    package var box: BoundingBox?
    /// Bounds of the time, for features that have one: at or after `since`, and before `until`.
    package var since: Timestamp?
    package var until: Timestamp?
    /// Required values of queryables, by name.
    package var equals: [String: SQLValue] = [:]
    /// A condition on the queryables of the collection.
    package var filter: SQLCondition?
    /// The key of the last feature of the previous page.
    package var after: Int64?
    package var limit = 100

    package init() {}

    /// Whether the query has conditions on the rows' contents, so that rows outside of the page must be read, too.

    /// A box that contains all results; nil if there is no such limit.
    var bounds: BoundingBox? { box ?? filter?.box }

    /// Returns the conditions on a row other than place and time; nil if there are none.
    func condition(over queryables: [Queryable]) -> SQLCondition? {
        var (parts, values) = ([String](), [SQLValue]())
        for queryable in queryables {
            guard let value = equals[queryable.name] else { continue }
            parts.append("\(queryable.sql) = ?")
            values.append(value)
        }
        if let filter {
            parts.append("(\(filter.sql))")
            values += filter.values
        }
        return parts.isEmpty ? nil : SQLCondition(sql: parts.joined(separator: " AND "), values: values, box: nil)
    }
}

/// A table whose rows are features, and the SQL that reads a page of them.
struct ItemTable: Sendable {
    /// The text after `FROM`. The expression `key` identifies a row.
    let from: String
    let key: String
    let columns: String
    let lon: String
    let lat: String
    let queryables: [Queryable]
    /// The name of the R*Tree for the table, and its columns for key, west, east, south and north.
    let tree: (name: String, columns: [String])

    /// SpatiaLite's names of these columns.
    static let spatialIndex = ["pkid", "xmin", "xmax", "ymin", "ymax"]

    /// Passes the rows of a page to `body` and returns whether more rows follow.
    func read(_ query: ItemQuery, _ db: SQLConnection, _ body: (StatementRow) throws -> Void) throws -> Bool {
        let condition = condition(query)
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
        let condition = condition(query)
        let scan = try PreparedStatement(
            db,
            "SELECT count(*) FROM \(from) WHERE true\(condition.sql)",
            condition.values,
            isKept: false
        )
        return try scan.next() ? Int(scan.integer(0)) : 0
    }

    private func condition(_ query: ItemQuery) -> (sql: String, values: [SQLValue]) {
        var (sql, values) = ("", [SQLValue]())
        if let box = query.bounds {
            let parts = box.extents.map { extent in
                let sides = [extent.west, extent.east, extent.south, extent.north].map(SQLValue.real)
                values += sides + sides
                return "(\(lon) BETWEEN ? AND ? AND \(lat) BETWEEN ? AND ?\(look))"
            }
            sql += " AND (\(parts.joined(separator: " OR ")))"
        }
        if let condition = query.condition(over: queryables) {
            sql += " AND \(condition.sql)"
            values += condition.values
        }
        return (sql, values)
    }

    /// A condition that the R*Tree contains the row in a bound range, given as west, east, south and north.
    private var look: String {
        let columns = tree.columns
        return """
             AND \(key) IN (
                SELECT \(columns[0]) FROM \(tree.name) WHERE \(columns[2]) >= ? AND \(columns[1]) <= ?
                    AND \(columns[4]) >= ? AND \(columns[3]) <= ?)
            """
    }
}
