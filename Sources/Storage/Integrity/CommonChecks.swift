import Domain
import SQL

/// Checks of data that both engines derive from other data, and of data that must agree.
extension DatabaseCheck {
    static let commonChecks: [Check] =
        [
            ("unfinished copy", { db in try db.hasTable(UnfinishedCopy.table) ? [UnfinishedCopy.advice.text] : [] }),
            ("cells of the board", cells), ("events", events), ("keys", keys),
            ("chain of the audit", AuditChain.problems),
            ("exact points", exactPoints),
        ]
        + derivedData.map { what, derived in
            (what, { db in try derived.flatMap { try $0.problems(db) } })
        }
        + contradictions.map { what, queries in
            (what, { db in try queries.flatMap { problem, sql in try problems(problem, sql, db) } })
        }

    private static let ofCandidates = "listing_id, side, cell, day, lon, lat, blur"

    /// Data that are derived from others, by the names of the checks.
    private static let derivedData: KeyValuePairs<String, [DerivedData]> = [
        // The open listings that are not hidden, with their present values.
        "the board": [
            DerivedData(
                row: "listing", place: "board",
                wanted: """
                    SELECT id, geom, lon, lat, zone, status, species, last_seen_at, feature FROM listing_on_board
                    """,
                found: "SELECT * FROM board")
        ],
        "facets": [
            DerivedData(
                row: "listing", place: "the facets",
                wanted: """
                    WITH zoned AS MATERIALIZED (SELECT id, zone, lon, lat FROM listing_zone)
                    SELECT listing_id, name, zone, lon, lat FROM zoned CROSS JOIN listing_facet_name
                    WHERE listing_id = zoned.id
                    """,
                found: "SELECT listing_id, name, zone, lon, lat FROM listing_facet JOIN facet ON facet.id = facet_id")
        ],
        "candidates for matches": [
            DerivedData(
                row: "listing", place: "the candidates for matches",
                wanted: "SELECT \(ofCandidates) FROM listing_match",
                found: "SELECT \(ofCandidates) FROM match_candidate")
        ],
        "photos": [
            DerivedData(
                row: "listing", place: "listing.photos", wanted: "SELECT listing_id, photos FROM listing_photos",
                found: "SELECT id, photos FROM listing"),
            DerivedData(
                row: "account", place: "account.picture",
                wanted: "SELECT account_id, '/photos/' || uuid || '-800.jpg' FROM photo WHERE account_id IS NOT NULL",
                found: "SELECT id, picture FROM account WHERE picture LIKE '/photos/%'"),
        ],
        "places": [
            DerivedData(
                row: "source", place: "place_source",
                wanted: """
                    SELECT place_source.id, count(place.id) FROM place_source
                        LEFT JOIN place ON place.source_id = place_source.id WHERE is_live GROUP BY 1
                    """,
                found: "SELECT id, places FROM place_source WHERE is_live"),
            DerivedData(
                row: "place", place: "its point", wanted: "SELECT id, lon, lat FROM place WHERE geom IS NOT NULL",
                found: "SELECT id, ST_X(geom), ST_Y(geom) FROM place WHERE geom IS NOT NULL"),
        ],
        "renewals": [
            DerivedData(
                row: "listing", place: "listing_renewal",
                wanted: "SELECT id, status IN ('lost', 'found', 'sighted') FROM listing",
                found: "SELECT listing_id, is_open FROM listing_renewal")
        ],
        "reasons of reports": [
            DerivedData(
                row: "case", place: "report_reason",
                wanted: "SELECT case_id, reason, count(*) FROM report GROUP BY 1, 2",
                found: "SELECT case_id, reason, reports FROM report_reason")
        ],
    ]

    /// Returns a problem for each row of a query, at most 20.
    ///
    /// - Parameter problem: says what is wrong with a row. `#` stands for its first column.
    static func problems(_ problem: String, _ sql: String, _ db: SQLConnection) throws -> [String] {
        try db.rows("\(sql) LIMIT 20") { row in
            let name = row.type(0) == .integer ? String(row.integer(0)) : row.string(0) ?? ""
            return problem.replacing("#", with: name)
        }
    }

    // MARK: -

    private static func cells(_ db: SQLConnection) throws -> [String] {
        let cell = "(level << 28) | (zone >> shift)"
        let lists = DerivedData(
            row: "listing", place: "the lists of cells",
            wanted: "SELECT id >> 4, \(cell) AS cell, status, species, lon, lat FROM board, cell_level",
            found: "SELECT id, cell, status, species, lon, lat FROM board_cell")
        return try lists.problems(db) + cellCounts(cell, db)
    }

    private static func cellCounts(_ cell: String, _ db: SQLConnection) throws -> [String] {
        let found = "SELECT cell, status, species, listings, lon_sum, lat_sum FROM board_count"
        let (lon, lat) = ("CAST(trunc(lon * 1e7) AS BIGINT)", "CAST(trunc(lat * 1e7) AS BIGINT)")
        let listings = "SELECT \(cell), status, species, 1, \(lon), \(lat) FROM board, cell_level"
        let isSame =
            try db.engine == .spatiaLite
            && GroupFingerprint(db, listings, keys: 3) == GroupFingerprint(db, found, keys: 3)
        if isSame, try !db.exists("SELECT 1 FROM board_count WHERE listings = 0") { return [] }
        let counts = DerivedData(
            row: "cell", place: "the counts of cells",
            wanted: """
                SELECT \(cell) AS cell, status, species, count(*), sum(\(lon)), sum(\(lat))
                FROM board, cell_level GROUP BY 1, 2, 3
                """,
            found: found)
        return try counts.problems(db)
    }

    /// The event log must have no gaps, except those of PostgreSQL, and the last event of every account and listing must
    /// agree with its present state. A hidden listing counts as removed.
    private static func events(_ db: SQLConnection) throws -> [String] {
        let numbers = try db.row("SELECT count(*), coalesce(max(id) - min(id) + 1, 0), coalesce(max(id), 0) FROM event")
        { row in
            (count: try row[0] as Int64, span: try row[1] as Int64, most: try row[2] as Int64)
        }
        guard let (count, span, most) = numbers else { return [] }
        var found: [String] = []
        // On PostgreSQL, a write that is taken back leaves a gap.
        let hasGaps = db.engine == .postGIS
        if !hasGaps, span - count > Int64(try EventGaps.known(db)) { found.append("\(span - count) are missing") }
        let last = try db.lastKey(of: "event") ?? 0
        if hasGaps ? last < most : last != most { found.append("the last is \(most), but \(last) were written") }
        for table in ["account", "listing"] {
            found += try problems(
                "\(table) # is gone, and no event tells so",
                """
                SELECT subject FROM event WHERE id IN (
                    SELECT max(id) FROM event WHERE type LIKE '\(table).%' GROUP BY subject)
                AND type <> '\(table).removed' AND subject NOT IN (SELECT uuid FROM \(table))
                """, db)
            // Rows that are older than the event log have no event.
            guard hasGaps || count == most else { continue }
            found += try problems(
                "\(table) # is there, and no event tells so",
                """
                SELECT uuid FROM \(table)
                WHERE uuid NOT IN (SELECT subject FROM event WHERE type = '\(table).created')
                """, db)
        }
        return found
    }

    /// Tables may not give a new row a key that a row has or had.
    private static func keys(_ db: SQLConnection) throws -> [String] {
        let users = [
            ("alert", "id", "alert"), ("listing_import", "id", "listing_import"),
            ("listing_import", "first_import_id", "imported_listing"), ("message", "id", "message"),
            ("place_source", "id", "place_source"),
        ]
        return try users.compactMap { table, column, user in
            guard let last = try db.lastKey(of: table),
                try db.value("SELECT max(\(column)) FROM \(user)") ?? 0 > last
            else { return nil }
            return "the keys of \(table) would be used again"
        }
    }

    /// The public point of a listing with an approximate location must be the centre of the cell that contains the
    /// exact point.
    private static func exactPoints(_ db: SQLConnection) throws -> [String] {
        let scan = try PreparedStatement(
            db, "SELECT uuid, exact_lon, exact_lat, ST_X(geom), ST_Y(geom) FROM listing WHERE exact_lon IS NOT NULL")
        var problems: [String] = []
        while problems.count < 20, try scan.next() {
            let row = scan.row
            guard !row.isNull(2), !row.isNull(3), let exact = Coordinate(lon: row.real(1), lat: row.real(2)),
                exact.cellCentre == Coordinate(lon: row.real(3), lat: row.real(4))
            else {
                problems.append("listing \(row.string(0) ?? "") does not tell the cell around its point")
                continue
            }
        }
        return problems
    }
}
