package import CQL2
package import Domain
import GRDB
package import SpatiaLite

/// A page of a collection of features (OGC API - Features): every condition narrows, the order is that of the keys.
package struct ItemQuery: Sendable {
    package var box: BoundingBox?
    /// Of what has a time: from `since` on, before `until`.
    package var since: Timestamp?
    package var until: Timestamp?
    /// What queryables equal, by their names.
    package var equals: [String: SQLValue] = [:]
    /// Over the collection's queryables.
    package var filter: SQLCondition?
    /// The key of the last feature of the page before.
    package var after: Int64?
    package var limit = 100

    package init() {}

    /// Whether rows have to be looked at that no page shows.
    package var looksAtRows: Bool { filter != nil || !equals.isEmpty }

    /// A box in which all lies that is asked for; nil for the whole Earth.
    var bounds: BoundingBox? { box ?? filter?.box }

    /// What is to hold of a row, besides place and time; nil where nothing is.
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

/// A table whose rows are features, and how a page of them is read.
struct ItemTable: Sendable {
    /// What follows FROM; rows are told apart by `key`.
    let from: String
    let key: String
    let columns: String
    let lon: String
    let lat: String
    let queryables: [Queryable]
    /// The R*Tree over it, where there is one: its name, and its columns for key, west, east, south and north.
    let tree: (name: String, columns: [String])?

    /// Those columns as SpatiaLite names them.
    static let spatialIndex = ["pkid", "xmin", "xmax", "ymin", "ymax"]

    /// Hands out the rows of a page, and tells whether more follow.
    func read(_ query: ItemQuery, _ db: Database, _ body: (StatementRow) throws -> Void) throws -> Bool {
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

    func count(_ query: ItemQuery, _ db: Database) throws -> Int {
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
                values += sides + (tree == nil ? [] : sides)
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

    /// Whether the tree knows of the row between the west and east, south and north that are bound.
    private var look: String {
        guard let tree else { return "" }
        let columns = tree.columns
        return """
             AND \(key) IN (
                SELECT \(columns[0]) FROM \(tree.name) WHERE \(columns[2]) >= ? AND \(columns[1]) <= ?
                    AND \(columns[4]) >= ? AND \(columns[3]) <= ?)
            """
    }
}
