import Migrations
import SQL

/// The checks of a database on PostgreSQL. The server itself enforces keys, types and constraints at each write, also
/// those of geometries, so what is left are data that triggers derive, and data that must agree.
extension DatabaseCheck {
    init(postGIS db: SQLConnection, _ progress: @escaping @Sendable (TaskProgress) -> Void = { _ in }) {
        let own: [Check] = [
            ("schema", Self.schema), ("constraints and triggers", Self.suspended),
            ("words of the text indexes", Self.words),
        ]
        self.init(own + Self.commonChecks, db, progress)
    }

    private static func schema(_ db: SQLConnection) throws -> [String] {
        let (found, wanted) = (try db.schemaVersion, Migration.postGIS.last?.number ?? 0)
        return found == wanted ? [] : ["it is at version \(found), this program's is \(wanted)"]
    }

    /// Triggers may be disabled, and constraints and indexes incomplete, after a restoration or changes by hand.
    private static func suspended(_ db: SQLConnection) throws -> [String] {
        try db.values(
            """
            SELECT 'trigger ' || tgname || ' of ' || relname || ' is disabled'
            FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
            WHERE tgenabled IN ('D', 'R') AND relnamespace = CAST(current_schema() AS regnamespace)
            UNION ALL
            SELECT 'constraint ' || conname || ' was not checked for all rows'
            FROM pg_constraint WHERE NOT convalidated AND connamespace = CAST(current_schema() AS regnamespace)
            UNION ALL
            SELECT 'index ' || relname || ' is not complete'
            FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
            WHERE NOT indisvalid AND relnamespace = CAST(current_schema() AS regnamespace)
            LIMIT 20
            """
        )
    }

    /// The words in the indexes must be those that the triggers make of the texts.
    private static func words(_ db: SQLConnection) throws -> [String] {
        let listings = [("board_text", "board_words"), ("archive_text", "archive_words")].map { table, view in
            DerivedData(
                row: "listing", place: table,
                wanted: """
                    SELECT id, listing_lexemes(
                        concat_ws(' ', name, colour, marks, description, place, province), breed, tags, stems)
                    FROM \(view)
                    """,
                found: "SELECT id, words FROM \(table)")
        }
        let places = DerivedData(
            row: "place", place: "place_text",
            wanted: """
                SELECT id, array_to_tsvector(array_remove(regexp_split_to_array(names, '[[:space:][:punct:]]+'), ''))
                FROM place
                """,
            found: "SELECT id, words FROM place_text")
        return try (listings + [places]).flatMap { try $0.problems(db) }
            + problems(
                "place_word: '#' is missing",
                """
                SELECT DISTINCT word FROM place_text CROSS JOIN unnest(tsvector_to_array(words)) AS word
                WHERE word NOT IN (SELECT word FROM place_word)
                """, db)
    }
}
