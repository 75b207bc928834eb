import SQL

extension DatabaseCheck {
    /// Returns whether the table may give a new row a key that a row has or had.
    ///
    /// - Parameter columns: the columns with keys of the table, and their tables; nil for the table's own.
    static func reusesKeys(
        of table: String,
        usedBy columns: [String: String]? = nil,
        _ db: SQLConnection
    ) throws -> Bool {
        guard let last = try db.lastKey(of: table) else { return false }
        return try (columns ?? ["id": table]).contains { column, table in
            try db.value("SELECT max(\(column)) FROM \(table)") ?? 0 > last
        }
    }
}
