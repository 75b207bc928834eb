extension SQLConnection {
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
                """,
                [table]
            ) { row in (try row[0] as Bool) ? try row[1] as Int64? ?? 0 : nil } ?? nil
        }
    }
}
