package import SQL

/// The schema, as the catalogue of either engine describes it.
extension SQLConnection {
    /// The names of the program's tables, without virtual ones and without those of the engine.
    package func tableNames() throws -> [String] {
        switch engine {
        case .spatiaLite:
            try values(
                """
                SELECT name FROM pragma_table_list
                WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'spatial%'
                """
            )
        case .postGIS:
            try values(
                """
                SELECT CAST(relname AS text) FROM pg_class
                WHERE relkind = 'r' AND relnamespace = CAST('public' AS regnamespace)
                    AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
                """
            )
        }
    }

    /// The names of the tables that the foreign keys of a table reference.
    package func tablesReferenced(by table: String) throws -> Set<String> {
        switch engine {
        case .spatiaLite: try Set(values("SELECT \"table\" FROM pragma_foreign_key_list(?)", [table]))
        case .postGIS:
            try Set(
                values(
                    """
                    SELECT CAST(CAST(confrelid AS regclass) AS text) FROM pg_constraint
                    WHERE contype = 'f' AND conrelid = CAST(CAST(? AS text) AS regclass)
                    """,
                    [table]
                )
            )
        }
    }
}
