import Domain
import SQL

/// Writes the rows of an import. The statements read the rows from the table `draft`, which each engine has in its own
/// way: SpatiaLite in an attached file, PostGIS as a temporary table with the rows of one write.
struct ListingBatch {
    struct Outcome {
        /// When the transaction had the lock for writing.
        let begin = ContinuousClock.now
        var created = 0
        var unchanged = 0
        var changed: [ImportedRows.Change] = []
    }

    private let database: any Database
    private let kind: WriteBatch
    private let rows: ImportedRows
    private let owner: Int64

    /// Opens the connection, and with it the file of the rows.
    init(_ database: any Database, _ rows: ImportedRows, owner: Int64) throws {
        self.database = database
        self.rows = rows
        self.owner = owner
        kind = Self.onSpatiaLite(rows)
        try database.open(kind)
    }

    func close() throws { try database.close(kind) }

    /// Returns an id among the rows at these positions that belongs to a listing of another account.
    func foreignID(_ positions: Range<Int>) async throws -> String? {
        try await run(positions) { [owner] db in
            try db.value(
                """
                SELECT draft.uuid FROM draft CROSS JOIN listing
                WHERE listing.uuid = draft.uuid AND position >= ? AND position < ? AND account_id <> ? LIMIT 1
                """,
                [positions.lowerBound, positions.upperBound, owner]
            )
        }
    }

    /// Writes the rows at these positions that are new, and returns those whose listings have other contents.
    func write(_ positions: Range<Int>) async throws -> Outcome {
        try await run(positions) { [owner] db in
            var outcome = Outcome()
            try ListingDerivation.throwIfBanned(owner, db)
            try db.execute("DELETE FROM known")
            try Self.findKnown(positions, owner, db)
            outcome.unchanged = try db.execute(Self.renewal, [Timestamp.now])
            outcome.changed = try Self.changed(db)
            outcome.created = try Self.insert(positions, owner, db)
            return outcome
        }
    }

    /// Merges some pages of a full-text index of SpatiaLite. Returns whether there is more to merge.
    func merge(_ index: String, isFirst: Bool) async throws -> Bool {
        try await database.write(kind) { db in try Self.merge(index, isFirst: isFirst, db) }
    }

    /// Runs a write that finds the rows at these positions in `draft`.
    private func run<Value: Sendable>(
        _ positions: Range<Int>,
        _ body: @escaping @Sendable (SQLConnection) throws -> Value
    ) async throws -> Value {
        guard database.engine == .postGIS else { return try await database.write(kind, body) }
        let drafts = try rows.json(positions)
        return try await database.write(kind) { db in
            try Self.makeTables(drafts, db)
            return try body(db)
        }
    }

    private static func findKnown(_ positions: Range<Int>, _ owner: Int64, _ db: SQLConnection) throws {
        // An id counts more than a reference.
        try db.execute(
            """
            INSERT INTO known (position, id, is_same)
            SELECT matched.position, listing.id, \(sameness) FROM (
                SELECT position, coalesce(
                    (SELECT id FROM listing WHERE uuid = draft.uuid AND account_id = ?1),
                    (SELECT id FROM listing WHERE account_id = ?1 AND reference = draft.reference)) AS found
                FROM draft WHERE position >= ?2 AND position < ?3) AS matched
            CROSS JOIN listing CROSS JOIN draft
            WHERE listing.id = found AND draft.position = matched.position
            """,
            [owner, positions.lowerBound, positions.upperBound]
        )
    }

    private static func changed(_ db: SQLConnection) throws -> [ImportedRows.Change] {
        let names = ListingRecord.columnNames.map { name in
            name == "last_seen_at" ? "coalesce(draft.last_seen_at, listing.created_at)" : "draft.\(name)"
        }
        return try db.rows(
            """
            SELECT known.id, draft.lon, draft.lat, \(names.joined(separator: ", "))
            FROM known CROSS JOIN draft CROSS JOIN listing
            WHERE draft.position = known.position AND listing.id = known.id AND NOT is_same
            """
        ) { row in
            ImportedRows.Change(
                key: row.integer(0),
                record: ListingRecord(values: (1..<row.columnCount).map(row.value))
            )
        }
    }

    private static func insert(_ positions: Range<Int>, _ owner: Int64, _ db: SQLConnection) throws -> Int {
        let new = try db.rows(
            """
            SELECT position, time FROM draft
            WHERE position >= ? AND position < ? AND position NOT IN (SELECT position FROM known) ORDER BY position
            """,
            [positions.lowerBound, positions.upperBound]
        ) { row in (position: row.integer(0), time: row.integer(1)) }
        guard !new.isEmpty else { return 0 }
        let insertion = try PreparedStatement(db, Self.insertion)
        for (row, code) in zip(new, try ListingCodes.draw(new.count, db)) {
            let key = try ListingStore.nextKey(row.time, db)
            try insertion.run([key, code.text, owner, row.position])
            try ListingDerivation.add(key, db)
        }
        return new.count
    }

    /// Whether the listing has the contents of the row.
    private static let sameness =
        "ST_X(geom) IS NOT DISTINCT FROM draft.lon AND ST_Y(geom) IS NOT DISTINCT FROM draft.lat AND "
        + ListingRecord.columnNames.map { name in
            name == "last_seen_at"
                ? "listing.last_seen_at IS NOT DISTINCT FROM coalesce(draft.last_seen_at, listing.created_at)"
                : "listing.\(name) IS NOT DISTINCT FROM draft.\(name)"
        }.joined(separator: " AND ")

    private static let insertion = """
        INSERT INTO listing (id, uuid, code, account_id, created_at, updated_at, geom, \(ListingRecord.columnNames.joined(separator: ", ")))
        SELECT CAST(? AS BIGINT), uuid, CAST(? AS TEXT), CAST(? AS BIGINT), created_at, created_at, MakePoint(lon, lat, 4326), \(ListingRecord.columnNames.map { name in
            name == "last_seen_at" ? "coalesce(last_seen_at, created_at)" : name
        }.joined(separator: ", "))
        FROM draft WHERE position = ?
        """

    /// An owner who imports a listing again renews it, even if nothing has changed.
    private static let renewal = """
        UPDATE listing_renewal SET renewed_at = ?, warned_at = NULL
        WHERE listing_id IN (SELECT id FROM known WHERE is_same)
        """
}
