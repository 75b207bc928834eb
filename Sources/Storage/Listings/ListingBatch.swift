import Domain
import Foundation
import Migrations
import SpatiaLite

/// Inserts many listings by statements for all rows together.
///
/// The triggers of a table run for each row. They take most of the time of an import: they evaluate the views of a
/// listing several times and update the same entries again and again, such as the counts of cells. This type writes the
/// same rows from the same views with one statement for each table, on a connection without triggers. `replaced` lists
/// the triggers; a test compares it with the schema, and another one compares the rows.
final class ListingBatch {
    /// The triggers whose work this type does.
    static let replaced: Set<String> = [
        // Tables and views of this program.
        "listing_of_banned", "listing_created", "listing_begins", "listing_enters", "listing_index_insert",
        "board_insert",
        // SpatiaLite's: the type of geometries, the spatial index, and the time of the last change.
        "ggi_listing_geom", "tmi_listing_geom", "ggi_board_geom", "gii_board_geom", "tmi_board_geom",
    ]

    struct Outcome {
        var created = 0
        var unchanged = 0
        var changed: [ImportedRows.Change] = []
    }

    /// In bytes. At this size of the log the import copies it into the database itself, so that no other process does so
    /// during a write of its own.
    private static let maxLog = 16 << 20
    /// The number of pages that one step of a merge writes.
    private static let mergedPages = 250

    private let connection: StandaloneDatabase
    private let database: DatabaseFile
    private let log: String
    private let owner: Int64

    init(_ database: DatabaseFile, _ rows: ImportedRows, owner: Int64) throws {
        self.database = database
        self.owner = owner
        log = database.url.path + "-wal"
        connection = try StandaloneDatabase(database.url)
        try connection.run { db in
            try db.run(script: "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0")
            try db.execute("ATTACH ? AS import", [rows.file.path])
            try db.run(
                script: """
                    PRAGMA import.cache_size = -4096;
                    CREATE TEMP TABLE known (position INTEGER PRIMARY KEY, id INTEGER NOT NULL, is_same INTEGER NOT NULL);
                    CREATE TEMP TABLE fresh (id INTEGER PRIMARY KEY);
                    CREATE TEMP TABLE zoned (id INTEGER PRIMARY KEY, zone INTEGER, lon REAL, lat REAL);
                    CREATE TEMP TABLE named (listing_id INTEGER, name TEXT);
                    CREATE TEMP TABLE shown (id INTEGER PRIMARY KEY, zone INTEGER, status TEXT, species TEXT, lon REAL, lat REAL);
                    """
            )
            try db.disableTriggers()
        }
    }

    deinit { try? connection.close() }

    func foreignIDs() throws -> [String] {
        try connection.run { db in
            try db.values(
                """
                SELECT draft.uuid FROM import.draft CROSS JOIN listing ON listing.uuid = draft.uuid
                WHERE account_id <> ? LIMIT 20
                """,
                [owner]
            )
        }
    }

    /// Writes the rows at these positions that are new, and returns those whose listings have other contents.
    func write(_ positions: Range<Int>) throws -> Outcome {
        try connection.run { db in
            try db.execute("BEGIN IMMEDIATE")
            do {
                try throwIfOutdated(db)
                let outcome = try write(positions, db)
                try db.execute("COMMIT")
                return outcome
            } catch {
                _ = try? db.execute("ROLLBACK")
                throw error
            }
        }
    }

    private func throwIfOutdated(_ db: SQLConnection) throws {
        guard try db.schemaVersion == Migration.all.count else {
            throw ServiceError(.unavailable, "a newer program has changed the database: start that program instead")
        }
    }

    private func write(_ positions: Range<Int>, _ db: SQLConnection) throws -> Outcome {
        guard try !db.exists("SELECT 1 FROM ban WHERE account_id = ?", [owner]) else {
            throw ServiceError(.forbidden, "the account is banned")
        }
        for table in ["known", "fresh", "zoned", "named", "shown"] { try db.execute("DELETE FROM temp.\(table)") }
        var outcome = Outcome()
        try findKnown(positions, db)
        outcome.unchanged = try db.execute(Self.renewal)
        outcome.changed = try changed(db)
        outcome.created = try insert(positions, db)
        if outcome.created > 0 { for statement in Self.derivation { try db.execute(statement) } }
        return outcome
    }

    private func findKnown(_ positions: Range<Int>, _ db: SQLConnection) throws {
        // An id counts more than a reference.
        try db.execute(
            """
            INSERT INTO temp.known
            SELECT position, listing.id, \(Self.sameness) FROM (
                SELECT position, coalesce(
                    (SELECT id FROM listing WHERE uuid = draft.uuid AND account_id = ?1),
                    (SELECT id FROM listing WHERE account_id = ?1 AND reference = draft.reference)) AS found
                FROM import.draft WHERE position >= ?2 AND position < ?3) AS matched
            CROSS JOIN listing ON listing.id = found CROSS JOIN import.draft USING (position)
            """,
            [owner, positions.lowerBound, positions.upperBound]
        )
    }

    private func changed(_ db: SQLConnection) throws -> [ImportedRows.Change] {
        let names = ListingRecord.columnNames.map { name in
            name == "last_seen_at" ? "coalesce(draft.last_seen_at, listing.created_at)" : "draft.\(name)"
        }
        return try db.rows(
            """
            SELECT known.id, draft.lon, draft.lat, \(names.joined(separator: ", "))
            FROM temp.known CROSS JOIN import.draft USING (position) CROSS JOIN listing ON listing.id = known.id
            WHERE NOT is_same
            """
        ) { row in
            ImportedRows.Change(
                key: row.integer(0),
                record: ListingRecord(values: (1..<row.columnCount).map(row.value))
            )
        }
    }

    private func insert(_ positions: Range<Int>, _ db: SQLConnection) throws -> Int {
        let new = try db.rows(
            """
            SELECT position, time FROM import.draft
            WHERE position >= ? AND position < ? AND position NOT IN (SELECT position FROM temp.known) ORDER BY position
            """,
            [positions.lowerBound, positions.upperBound]
        ) { row in (position: row.integer(0), time: row.integer(1)) }
        guard !new.isEmpty else { return 0 }
        let insertion = try PreparedStatement(db, Self.insertion)
        let note = try PreparedStatement(db, "INSERT INTO temp.fresh (id) VALUES (?)")
        for row in new {
            let key = try ListingStore.nextKey(row.time, db)
            try insertion.run([key, owner, row.position])
            try note.run([key])
        }
        return new.count
    }

    /// Whether the listing has the contents of the row.
    private static let sameness =
        "ST_X(geom) IS draft.lon AND ST_Y(geom) IS draft.lat AND "
        + ListingRecord.columnNames.map { name in
            name == "last_seen_at"
                ? "listing.last_seen_at IS coalesce(draft.last_seen_at, listing.created_at)"
                : "listing.\(name) IS draft.\(name)"
        }.joined(separator: " AND ")

    private static let insertion = """
        INSERT INTO listing (id, uuid, account_id, created_at, updated_at, geom, \(ListingRecord.columnNames.joined(separator: ", ")))
        SELECT ?, uuid, ?, created_at, created_at, MakePoint(lon, lat, 4326), \(ListingRecord.columnNames.map { name in
            name == "last_seen_at" ? "coalesce(last_seen_at, created_at)" : name
        }.joined(separator: ", "))
        FROM import.draft WHERE position = ?
        """

    /// An owner who imports a listing again renews it, even if nothing has changed.
    private static let renewal = """
        UPDATE listing_renewal SET renewed_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), warned_at = NULL
        WHERE listing_id IN (SELECT id FROM temp.known WHERE is_same)
        """

    /// What the triggers write for the listings in `fresh`, from the same views. Rows of large tables are inserted in the
    /// order of their keys.
    private static let derivation = [
        """
        INSERT INTO event (type, subject)
        SELECT 'listing.created', uuid FROM temp.fresh CROSS JOIN listing ON listing.id = fresh.id ORDER BY fresh.id
        """,
        """
        INSERT INTO listing_renewal (listing_id, is_open, renewed_at)
        SELECT listing.id, status IN ('lost', 'found', 'sighted'), strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
        FROM temp.fresh CROSS JOIN listing ON listing.id = fresh.id
        """,
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
        INSERT INTO board_text (rowid, name, breed, colour, marks, description, place, province, tags)
        SELECT board_words.id, name, breed, colour, marks, description, place, province, tags
        FROM temp.fresh CROSS JOIN board_words ON board_words.id = fresh.id
        """,
        """
        INSERT INTO archive_text (rowid, name, breed, colour, marks, description, place, province, tags)
        SELECT archive_words.id, name, breed, colour, marks, description, place, province, tags
        FROM temp.fresh CROSS JOIN archive_words ON archive_words.id = fresh.id
        """,
        """
        UPDATE geometry_columns_time SET last_insert = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
        WHERE f_table_name IN ('listing', 'board')
        """,
    ]

    /// Copies the log into the database if it is long. Others can write meanwhile.
    func checkpoint() throws {
        let attributes = try? FileManager.default.attributesOfItem(atPath: log)
        guard let size = (attributes?[.size] as? NSNumber)?.intValue, size >= Self.maxLog else { return }
        try connection.run { db in _ = try db.value("PRAGMA wal_checkpoint(PASSIVE)") as Int? }
    }

    /// Merges some pages of a full-text index. Returns whether there is more to merge.
    func merge(_ index: String, isFirst: Bool) throws -> Bool {
        try connection.run { db in
            let before = db.totalChanges
            // A negative number begins to merge all segments; a positive one continues a merge.
            let pages = isFirst ? -Self.mergedPages : Self.mergedPages
            try db.execute("INSERT INTO \(index) (\(index), rank) VALUES ('merge', ?)", [pages])
            // FTS5 changes fewer than two rows if nothing is left to merge.
            return db.totalChanges - before >= 2
        }
    }
}
