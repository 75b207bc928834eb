import Domain
import SQL

/// Writes the rows of an import, on a connection without triggers: `ListingDerivation` does their work.
struct ListingBatch: Sendable {
    struct Outcome {
        /// When the transaction had the lock for writing.
        let begin = ContinuousClock.now
        var created = 0
        var unchanged = 0
        var changed: [ImportedRows.Change] = []
    }

    /// The number of pages that one step of a merge writes.
    private static let mergedPages = 250

    private let database: any Database
    private let kind: WriteBatch
    private let owner: Int64

    /// Opens the connection, and with it the file of the rows.
    init(_ database: any Database, _ rows: ImportedRows, owner: Int64) throws {
        self.database = database
        self.owner = owner
        let file = rows.file.path
        kind = WriteBatch(name: "import of \(file)", cache: 64, finish: ListingDerivation.run) { db in
            // The last write of an import, on another connection, syncs the log with all that the import wrote.
            try db.run(script: "PRAGMA synchronous = NORMAL")
            try db.execute("ATTACH ? AS import", [file])
            try db.run(
                script: """
                    PRAGMA import.cache_size = -4096;
                    CREATE TEMP TABLE known (position INTEGER PRIMARY KEY, id INTEGER NOT NULL, is_same INTEGER NOT NULL);
                    """
            )
            try ListingDerivation.prepare(db)
        }
        try database.open(kind)
    }

    func close() throws { try database.close(kind) }

    /// Returns an id among the rows at these positions that belongs to a listing of another account.
    func foreignID(_ positions: Range<Int>) async throws -> String? {
        try await database.write(kind) { [owner] db in
            try db.value(
                """
                SELECT draft.uuid FROM import.draft CROSS JOIN listing ON listing.uuid = draft.uuid
                WHERE position >= ? AND position < ? AND account_id <> ? LIMIT 1
                """,
                [positions.lowerBound, positions.upperBound, owner]
            )
        }
    }

    /// Writes the rows at these positions that are new, and returns those whose listings have other contents.
    func write(_ positions: Range<Int>) async throws -> Outcome {
        try await database.write(kind) { db in
            var outcome = Outcome()
            try ListingDerivation.throwIfBanned(owner, db)
            try db.execute("DELETE FROM temp.known")
            try findKnown(positions, db)
            outcome.unchanged = try db.execute(Self.renewal)
            outcome.changed = try changed(db)
            outcome.created = try insert(positions, db)
            return outcome
        }
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
        for row in new {
            let key = try ListingStore.nextKey(row.time, db)
            try insertion.run([key, owner, row.position])
            try ListingDerivation.add(key, db)
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

    /// Merges some pages of a full-text index. Returns whether there is more to merge.
    func merge(_ index: String, isFirst: Bool) async throws -> Bool {
        try await database.write(kind) { db in
            let before = db.totalChanges
            // A negative number begins to merge all segments; a positive one continues a merge.
            let pages = isFirst ? -Self.mergedPages : Self.mergedPages
            try db.execute("INSERT INTO \(index) (\(index), rank) VALUES ('merge', ?)", [pages])
            // FTS5 changes fewer than two rows if nothing is left to merge.
            return db.totalChanges - before >= 2
        }
    }
}
