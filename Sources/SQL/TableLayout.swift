/// The columns of a table that both engines have, in a form in which both read and write the same values.
package struct TableLayout: Equatable, Sendable {
    package struct Column: Equatable, Sendable {
        package let name: String
        /// Whether the values are read and written as text: EWKB in hexadecimal digits.
        let isGeometry: Bool
    }

    package let name: String
    package let columns: [Column]
    /// The columns that identify a row, in the order of the primary key.
    package let key: [String]

    package init(_ name: String, _ db: SQLConnection) throws {
        let found = try db.rows(Self.sql(db.engine), [name]) { row in
            (column: Column(name: try row[0], isGeometry: try row[1]), place: try row[2] as Int)
        }
        self.name = name
        columns = found.map(\.column)
        let key = found.filter { $0.place > 0 }.sorted { $0.place < $1.place }.map(\.column.name)
        // An R*Tree declares no key.
        self.key = key.isEmpty ? ["id"] : key
    }

    /// Selects the name of each column, whether it is a geometry, and its place in the primary key, from 1; 0 if it is
    /// not in it.
    private static func sql(_ engine: SQLEngine) -> String {
        switch engine {
        case .spatiaLite:
            """
            SELECT name, name IN (SELECT f_geometry_column FROM geometry_columns WHERE f_table_name = ?1), pk
            FROM pragma_table_info(?1) ORDER BY cid
            """
        case .postGIS:
            // The places in `indkey` begin with 0.
            """
            SELECT CAST(attname AS text), format_type(atttypid, NULL) = 'geometry',
                coalesce((
                    SELECT array_position(CAST(indkey AS smallint[]), attnum) + 1
                    FROM pg_index WHERE indrelid = attrelid AND indisprimary), 0)
            FROM pg_attribute
            WHERE attrelid = CAST(CAST(? AS text) AS regclass) AND attnum > 0 AND NOT attisdropped ORDER BY attnum
            """
        }
    }

    /// The same table with fewer columns.
    package func keeping(_ names: [String]) -> TableLayout {
        TableLayout(name: name, columns: columns.filter { names.contains($0.name) }, key: key)
    }

    private init(name: String, columns: [Column], key: [String]) {
        (self.name, self.columns, self.key) = (name, columns, key)
    }
}

extension SQLConnection {
    /// Calls `body` with rows in the order of the key, which is the same on both engines.
    ///
    /// - Parameters:
    ///   - last: the key of the row before; nil to begin with the first row.
    ///   - limit: the number of rows, which are all in memory.
    /// - Returns: the key of the last row that was read; nil if there are no more rows.
    package func readRows(
        of table: TableLayout,
        after last: [SQLValue]?,
        limit: Int,
        _ body: (StatementRow) throws -> Void
    ) throws -> [SQLValue]? {
        let columns = table.columns.map { column in
            guard column.isGeometry else { return column.name }
            return engine == .spatiaLite ? "AsEWKB(\(column.name))" : "CAST(\(column.name) AS text)"
        }
        let key = table.key.joined(separator: ", ")
        let blanks = table.key.map { _ in "?" }.joined(separator: ", ")
        let condition = last == nil ? "" : "WHERE (\(key)) > (\(blanks))"
        let places = table.key.compactMap { name in table.columns.firstIndex { $0.name == name }.map(CInt.init) }
        let sql = """
            SELECT \(columns.joined(separator: ", ")) FROM \(table.name) \(condition) ORDER BY \(key) LIMIT \(limit)
            """
        let values: [SQLValue] = last ?? []
        var found: [SQLValue]?
        var left = limit
        try forEachRow(sql, values) { row in
            try body(row)
            left -= 1
            if left == 0 { found = places.map(row.value) }
        }
        return found
    }

    /// Returns the greatest key; nil if the table is empty.
    package func lastKey(in table: TableLayout) throws -> [SQLValue]? {
        let order = table.key.map { "\($0) DESC" }.joined(separator: ", ")
        let sql = "SELECT \(table.key.joined(separator: ", ")) FROM \(table.name) ORDER BY \(order) LIMIT 1"
        return try row(sql) { row in (0..<row.columnCount).map(row.value) }
    }

    /// Inserts rows with values for all columns of the table: on PostgreSQL by one COPY.
    package func insert(_ rows: [[SQLValue]], into table: TableLayout) throws {
        let names = table.columns.map(\.name).joined(separator: ", ")
        switch source {
        case .sqlite:
            let blanks = table.columns.map { $0.isGeometry ? "GeomFromEWKB(?)" : "?" }.joined(separator: ", ")
            let insert = try PreparedStatement(self, "INSERT INTO \(table.name) (\(names)) VALUES (\(blanks))")
            for row in rows { try insert.run(row) }
        case .postgres(let connection):
            try connection.copy("COPY \(table.name) (\(names)) FROM STDIN", rows)
        }
    }

    /// Returns the greatest key that the table has given to a row, also to one that is gone; nil if the engine does not
    /// count the keys of the table.
    package func lastKey(of table: String) throws -> Int64? {
        switch engine {
        case .spatiaLite: try value("SELECT seq FROM sqlite_sequence WHERE name = ?", [table]) ?? 0
        case .postGIS:
            try row(
                """
                SELECT sequence IS NOT NULL, pg_sequence_last_value(sequence)
                FROM (SELECT CAST(pg_get_serial_sequence(?, 'id') AS regclass) AS sequence) AS keys
                """, [table]
            ) { row in (try row[0] as Bool) ? try row[1] as Int64? ?? 0 : nil } ?? nil
        }
    }

    /// Makes the table give new rows greater keys than this one. Does nothing if the engine does not count the keys of
    /// the table.
    package func setLastKey(of table: String, to key: Int64) throws {
        switch engine {
        case .spatiaLite:
            let isCounted = try exists(
                "SELECT 1 FROM sqlite_schema WHERE name = ? AND sql LIKE '%AUTOINCREMENT%'",
                [table]
            )
            guard isCounted else { return }
            let values: [any SQLBindable] = [key, table]
            guard try execute("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", values) == 0 else { return }
            try execute("INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)", values)
        case .postGIS:
            _ =
                try value(
                    """
                    SELECT setval(pg_get_serial_sequence(?1, 'id'), greatest(CAST(?2 AS bigint), 1), CAST(?2 AS bigint) > 0)
                    WHERE pg_get_serial_sequence(?1, 'id') IS NOT NULL
                    """,
                    [table, key]
                ) as Int64?
        }
    }
}
