import Domain
import SQL

/// Writes what the triggers write for new listings, by statements for all of them together.
///
/// The triggers of a table run for each row. They take most of the time of an insertion: they evaluate the views of a
/// listing several times and update the same entries again and again, such as the counts of cells. This type writes the
/// same rows from the same views with one statement for each table, on a connection without triggers.
enum ListingDerivation {
    /// The triggers whose work this type does. A test compares them with the schema, and another one compares the rows.
    static let replaced: Set<String> = [
        // Tables and views of this program.
        "listing_of_banned", "listing_created", "listing_begins", "listing_enters", "listing_index_insert",
        "board_insert", "match_candidate_enters", "listing_fans_out", "listing_posts",
        // SpatiaLite's: the type of geometries, the spatial index, and the time of the last change.
        "ggi_listing_geom", "tmi_listing_geom", "ggi_board_geom", "gii_board_geom", "tmi_board_geom",
    ]

    /// Prepares a connection that inserts listings and does nothing else that triggers would follow.
    static func prepare(_ db: SQLConnection) throws {
        try db.run(
            script: """
                CREATE TEMP TABLE fresh (id INTEGER PRIMARY KEY);
                CREATE TEMP TABLE zoned (id INTEGER PRIMARY KEY, zone INTEGER, lon REAL, lat REAL);
                CREATE TEMP TABLE named (listing_id INTEGER, name TEXT);
                CREATE TEMP TABLE shown (id INTEGER PRIMARY KEY, zone INTEGER, status TEXT, species TEXT, lon REAL, lat REAL);
                """
        )
        try db.disableTriggers()
    }

    /// Throws `forbidden` if the account is banned, as the trigger `listing_of_banned` does.
    static func throwIfBanned(_ account: Int64, _ db: SQLConnection) throws {
        guard try !db.exists("SELECT 1 FROM ban WHERE account_id = ?", [account]) else {
            throw ServiceError(.forbidden, "the account is banned")
        }
    }

    /// Notes a listing that this transaction has inserted. PostGIS has triggers on all connections.
    static func add(_ key: Int64, _ db: SQLConnection) throws {
        guard db.engine == .spatiaLite else { return }
        try db.execute("INSERT INTO temp.fresh (id) VALUES (?)", [key])
    }

    /// Writes the rows of all listings that were noted. Call it at the end of the transaction.
    static func run(_ db: SQLConnection) throws {
        guard try db.exists("SELECT 1 FROM temp.fresh") else { return }
        try run(notes + searchEntries + others, db)
    }

    /// Runs statements for the listings in `fresh` and empties the temporary tables.
    static func run(_ statements: [String], _ db: SQLConnection) throws {
        for statement in statements { try db.execute(statement) }
        for table in ["fresh", "zoned", "named", "shown"] { try db.execute("DELETE FROM temp.\(table)") }
    }

    // The rows of the triggers for the listings in `fresh`, by the same views. Rows of large tables follow the
    // order of their keys.

    private static let notes = [
        """
        INSERT INTO event (type, subject)
        SELECT 'listing.created', uuid FROM temp.fresh CROSS JOIN listing ON listing.id = fresh.id ORDER BY fresh.id
        """,
        """
        INSERT INTO listing_renewal (listing_id, is_open, renewed_at)
        SELECT listing.id, status IN ('lost', 'found', 'sighted'), strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
        FROM temp.fresh CROSS JOIN listing ON listing.id = fresh.id
        """,
    ]

    /// The entries of the tables that searches read.
    static let searchEntries = [
        """
        INSERT INTO temp.zoned
        SELECT listing_zone.id, zone, lon, lat FROM temp.fresh CROSS JOIN listing_zone ON listing_zone.id = fresh.id
        """,
        """
        INSERT INTO temp.named
        SELECT listing_id, name FROM temp.fresh CROSS JOIN listing_facet_name ON listing_id = fresh.id
        """,
        """
        INSERT INTO facet (name)
        SELECT DISTINCT name FROM temp.named WHERE NOT EXISTS (SELECT 1 FROM facet WHERE facet.name = named.name)
        """,
        """
        INSERT INTO listing_facet (facet_id, zone, listing_id, lon, lat)
        SELECT facet.id, zone, listing_id, lon, lat
        FROM temp.named CROSS JOIN facet ON facet.name = named.name CROSS JOIN temp.zoned ON zoned.id = listing_id
        ORDER BY 1, 2, 3
        """,
        """
        INSERT INTO board (id, geom, lon, lat, zone, status, species, last_seen_at, feature)
        SELECT listing_on_board.id, geom, lon, lat, zone, status, species, last_seen_at, feature
        FROM temp.fresh CROSS JOIN listing_on_board ON listing_id = fresh.id
        """,
        """
        INSERT INTO temp.shown
        SELECT board.id, zone, status, species, lon, lat
        FROM temp.fresh CROSS JOIN board ON board.id BETWEEN fresh.id << 4 AND (fresh.id << 4) | 15
        """,
        """
        INSERT INTO idx_board_geom (pkid, xmin, xmax, ymin, ymax)
        SELECT id, lon, lon, lat, lat FROM temp.shown ORDER BY zone
        """,
        """
        INSERT INTO board_cell (cell, status, id, species, lon, lat)
        SELECT (level << 28) | (zone >> shift), status, id >> 4, species, lon, lat FROM cell_level CROSS JOIN temp.shown
        ORDER BY 1, 2, 3
        """,
        """
        INSERT INTO board_count (cell, status, species, listings, lon_sum, lat_sum)
        SELECT (level << 28) | (zone >> shift), status, species, count(*), sum(CAST(lon * 1e7 AS INTEGER)),
            sum(CAST(lat * 1e7 AS INTEGER))
        FROM cell_level CROSS JOIN temp.shown WHERE true GROUP BY 1, 2, 3
        ON CONFLICT (cell, status, species) DO UPDATE
        SET listings = listings + excluded.listings, lon_sum = lon_sum + excluded.lon_sum,
            lat_sum = lat_sum + excluded.lat_sum
        """,
        """
        INSERT INTO board_text (rowid, name, breed, colour, marks, description, place, province, tags, stems)
        SELECT board_words.id, name, breed, colour, marks, description, place, province, tags, stems
        FROM temp.fresh CROSS JOIN board_words ON board_words.id = fresh.id
        """,
        """
        INSERT INTO archive_text (rowid, name, breed, colour, marks, description, place, province, tags, stems)
        SELECT archive_words.id, name, breed, colour, marks, description, place, province, tags, stems
        FROM temp.fresh CROSS JOIN archive_words ON archive_words.id = fresh.id
        """,
    ]

    private static let others = [
        """
        INSERT INTO match_candidate (side, cell, listing_id, day, lon, lat, blur)
        SELECT side, cell, listing_match.listing_id, day, lon, lat, blur
        FROM temp.fresh CROSS JOIN listing_match ON listing_match.listing_id = fresh.id
        ORDER BY 1, 2, 3
        """,
        """
        INSERT INTO alert_fan_out (listing_id)
        SELECT listing.id FROM temp.fresh CROSS JOIN listing ON listing.id = fresh.id
        WHERE status IN ('lost', 'found', 'sighted') AND NOT hidden AND EXISTS (SELECT 1 FROM alert)
        """,
        """
        INSERT INTO social_post (social_account_id, listing_uuid)
        SELECT social_account_id, listing_uuid FROM temp.fresh CROSS JOIN listing_social ON listing_id = fresh.id
        WHERE true ON CONFLICT (social_account_id, listing_uuid) DO NOTHING
        """,
        """
        UPDATE geometry_columns_time SET last_insert = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
        WHERE f_table_name IN ('listing', 'board')
        """,
    ]
}
