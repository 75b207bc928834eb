package import Foundation
import SQL
import SpatiaLite

/// The results of an integrity check of a database, and the number of rows in its main tables.
package struct DatabaseCheck: Sendable {
    package struct Finding: Sendable {
        package let what: String
        /// Empty if the check found no problem.
        package let problems: [String]

        package init(what: String, problems: [String]) {
            self.what = what
            self.problems = problems
        }
    }

    package let findings: [Finding]
    package let counts: [(table: String, rows: Int)]

    package var isSound: Bool { findings.allSatisfy(\.problems.isEmpty) }

    /// - Parameter file: the file of the same database. Some checks need a connection that may write, although they
    ///   write nothing.
    /// - Parameter progress: is called for each check that begins, from several threads.
    init(_ db: SQLConnection, _ file: URL, _ progress: @escaping @Sendable (TaskProgress) -> Void = { _ in }) throws {
        let schema = try SchemaCheck.newest.get()
        let background: [[BackgroundChecks.Check]] = [
            [("integrity", { try Self.integrity(of: file) })], Self.textChecks(file),
        ]
        let checks = Self.checks(schema, db)
        let count = CheckCount(total: checks.count + background.joined().count)
        let others = BackgroundChecks(background) { what, look in
            progress(count.progress(what))
            defer { count.finish() }
            return Self.finding(what, look)
        }
        let own = checks.map { what, look in
            progress(count.progress(what))
            defer { count.finish() }
            return Self.finding(what, look)
        }
        findings = own + others.wait()
        counts = Self.counts(db)
    }

    private static func textChecks(_ file: URL) -> [BackgroundChecks.Check] {
        [
            ("words of the text index", { try reading(file) { db in try TextCheck(db).problems() } }),
            ("structure of the text index", { try reading(file, TextCheck.structure) }),
        ]
    }

    /// Reads the file on a connection of its own.
    private static func reading(_ file: URL, _ body: (SQLConnection) throws -> [String]) throws -> [String] {
        let database = try StandaloneDatabase(file, isReadOnly: true)
        defer { try? database.close() }
        return try database.read(body)
    }

    /// Runs only the checks that do not depend on the schema version.
    init(ofAnySchema db: SQLConnection, _ file: URL) throws {
        findings = [
            Self.finding("integrity") { try Self.integrity(of: file) },
            Self.finding("foreign keys") { try Self.foreignKeys(db) },
        ]
        counts = Self.counts(db)
    }

    private static func counts(_ db: SQLConnection) -> [(table: String, rows: Int)] {
        ["account", "session", "listing", "message", "sighting", "photo", "poi", "place", "event", "report", "audit"]
            .compactMap { table in
                // Tables that cannot be counted are reported by the other checks.
                (try? db.value("SELECT count(*) FROM \(table)") as Int?).flatMap { $0 }.map { (table, $0) }
            }
    }

    private static func checks(
        _ schema: SchemaCheck,
        _ db: SQLConnection
    ) -> [(what: String, look: () throws -> [String])] {
        [
            ("schema", { try schema.problems(db) }),
            ("rows that every database has", { try schema.rowProblems(db) }),
            ("foreign keys", { try foreignKeys(db) }),
            ("geometries", { try geometries(db) }),
            ("the board", { try board(db) }),
            ("spatial index of board", { try spatialIndex("board", db) }),
            ("spatial index of poi", { try spatialIndex("poi", db) }),
            ("spatial index of place", { try spatialIndex("place", db) }),
            ("spatial index of place_area", { try areaIndex(db) }),
            ("cells of the board", { try cells(db) }),
            ("facets", { try facets(db) }),
            ("text index", { try textIndex(db) }),
            ("candidates for matches", { try candidates(db) }),
            ("photos", { try photos(db) }),
            ("places", { try places(db) }),
            ("events", { try events(db) }),
            ("conversations", { try conversations(db) }),
            ("sightings", { try sightings(db) }),
            ("tracks", { try tracks(db) }),
            ("alerts", { try alerts(db) }),
            ("imports", { try imports(db) }),
            ("chain of the audit", { try audit(db) }),
            ("hidden listings", { try hiding(db) }),
            ("renewals", { try renewals(db) }),
            ("exact points", { try exactPoints(db) }),
            ("reports", { try reports(db) }),
            ("bans", { try bans(db) }),
        ]
    }

    private static func finding(_ what: String, _ look: () throws -> [String]) -> Finding {
        do {
            return Finding(what: what, problems: try look())
        } catch {
            return Finding(what: what, problems: ["cannot be read: \(reason(error))"])
        }
    }

    private static func reason(_ error: any Error) -> String {
        SQLFailure(error)?.description ?? "\(error)"
    }

    /// Every geometry must be readable by SpatiaLite and have the type and reference system of its column.
    private static func geometries(_ db: SQLConnection) throws -> [String] {
        try [("listing", "POINT"), ("board", "POINT"), ("poi", "POINT"), ("place", "POINT"), ("place_area", "POLYGON")]
            .flatMap { table, type in
                try
                    (db.values(
                        """
                        SELECT id FROM \(table)
                        WHERE geom IS NOT NULL
                            AND (ST_GeometryType(geom) IS DISTINCT FROM ? OR ST_SRID(geom) IS DISTINCT FROM 4326)
                        LIMIT 20
                        """,
                        [type]
                    ) as [Int64]).map { "the geometry of \(table) \($0) cannot be read" }
            }
    }

    /// Compares the photo columns of listings and accounts, and the pending deletions, with the `photo` table.
    private static func photos(_ db: SQLConnection) throws -> [String] {
        let told = try differences(
            "listing",
            "listing.photos",
            wanted: "SELECT listing_id, photos FROM listing_photos",
            found: "SELECT id, photos FROM listing",
            db
        )
        let pictures = try differences(
            "account",
            "account.picture",
            wanted: "SELECT account_id, '/photos/' || uuid || '-800.jpg' FROM photo WHERE account_id IS NOT NULL",
            found: "SELECT id, picture FROM account WHERE picture LIKE '/photos/%'",
            db
        )
        let both = try db.values("SELECT uuid FROM photo WHERE uuid IN (SELECT uuid FROM photo_leftover)") as [String]
        return told + pictures + both.map { "photo \($0) is there and about to go" }
    }

    private static func places(_ db: SQLConnection) throws -> [String] {
        try differences(
            "source",
            "place_source",
            wanted: """
                SELECT place_source.id, count(place.id) FROM place_source
                    LEFT JOIN place ON place.source_id = place_source.id WHERE is_live GROUP BY 1
                """,
            found: "SELECT id, places FROM place_source WHERE is_live",
            db
        )
            + differences(
                "place",
                "its point",
                wanted: "SELECT id, lon, lat FROM place WHERE geom IS NOT NULL",
                found: "SELECT id, ST_X(geom), ST_Y(geom) FROM place WHERE geom IS NOT NULL",
                db
            )
    }

    /// The event log must have no gaps, and the last event of every account and listing must agree with its present
    /// state. A hidden listing counts as removed.
    private static func events(_ db: SQLConnection) throws -> [String] {
        let numbers = try db.row("SELECT count(*), coalesce(max(id) - min(id) + 1, 0), coalesce(max(id), 0) FROM event")
        { row in
            (count: try row[0] as Int64, span: try row[1] as Int64, most: try row[2] as Int64)
        }
        let last = try db.value("SELECT seq FROM sqlite_sequence WHERE name = 'event'") as Int64? ?? 0
        let sources =
            try db.value(
                """
                SELECT coalesce(max(id), 0) > coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'place_source'), 0)
                FROM place_source
                """
            ) as Bool?
        guard let (count, span, most) = numbers else { return [] }
        var problems = count == span ? [] : ["\(span - count) are missing"]
        if sources == true { problems.append("a source of places may get a number that was used") }
        if last != most { problems.append("the last is \(most), but \(last) were written") }
        for table in ["account", "listing"] {
            let gone =
                try db.values(
                    """
                    SELECT subject FROM event WHERE id IN (
                        SELECT max(id) FROM event WHERE type LIKE '\(table).%' GROUP BY subject)
                    AND type <> '\(table).removed' AND subject NOT IN (SELECT uuid FROM \(table)) LIMIT 20
                    """
                ) as [String]
            problems += gone.map { "\(table) \($0) is gone, and no event tells so" }
            // Rows that are older than the event log have no event.
            guard count == most else { continue }
            let unborn =
                try db.values(
                    """
                    SELECT uuid FROM \(table)
                    WHERE uuid NOT IN (SELECT subject FROM event WHERE type = '\(table).created') LIMIT 20
                    """
                ) as [String]
            problems += unborn.map { "\(table) \($0) is there, and no event tells so" }
        }
        return problems
    }

    /// SQLite checks CHECK constraints only on connections that may write.
    private static func integrity(of file: URL) throws -> [String] {
        let database = try StandaloneDatabase(file, isReadOnly: access(file.path, W_OK) != 0)
        defer { try? database.close() }
        return try database.run { db in
            try (db.values("PRAGMA integrity_check") as [String]).filter { $0 != "ok" }
        }
    }

    private static func foreignKeys(_ db: SQLConnection) throws -> [String] {
        try db.rows("PRAGMA foreign_key_check") { row in
            "\(try row[0] as String) row \(try row[1] ?? 0 as Int64)"
        }
    }

    /// Compares the index with the geometries row by row, because SpatiaLite's `CheckSpatialIndex` needs write access.
    private static func spatialIndex(_ table: String, _ db: SQLConnection) throws -> [String] {
        let missing =
            try db.values(
                """
                SELECT id FROM \(table) LEFT JOIN idx_\(table)_geom AS tree ON tree.pkid = id
                WHERE geom IS NOT NULL AND (tree.pkid IS NULL OR ST_X(geom) NOT BETWEEN xmin AND xmax OR ST_Y(geom) NOT BETWEEN ymin AND ymax)
                LIMIT 20
                """
            ) as [Int64]
        let stale =
            try db.values("SELECT pkid FROM idx_\(table)_geom WHERE pkid NOT IN (SELECT id FROM \(table)) LIMIT 20")
            as [Int64]
        return try treeProblems(table, db) + missing.map { "row \($0) is not in the index, or elsewhere" }
            + stale.map { "row \($0) of the index is of no \(table)" }
    }

    /// Returns the problems that SQLite's own check of the R*Tree finds.
    private static func treeProblems(_ table: String, _ db: SQLConnection) throws -> [String] {
        let said = try db.value("SELECT rtreecheck('idx_\(table)_geom')") ?? "nothing is said of it"
        return said == "ok" ? [] : [said]
    }

    /// The index must contain exactly the areas, each with a bounding box that covers it.
    private static func areaIndex(_ db: SQLConnection) throws -> [String] {
        let outside =
            try db.values(
                """
                SELECT id FROM place_area JOIN idx_place_area_geom AS tree ON tree.pkid = id
                WHERE MbrMinX(geom) < xmin OR MbrMaxX(geom) > xmax OR MbrMinY(geom) < ymin OR MbrMaxY(geom) > ymax
                LIMIT 20
                """
            ) as [Int64]
        return try treeProblems("place_area", db) + outside.map { "area \($0) is not where the index has it" }
            + differences(
                "area",
                "the spatial index",
                wanted: "SELECT id FROM place_area",
                found: "SELECT pkid FROM idx_place_area_geom",
                db
            )
    }

    /// The `board` table must contain exactly the open listings that are not hidden, with their present values.
    private static func board(_ db: SQLConnection) throws -> [String] {
        let wanted = """
            SELECT id, geom, lon, lat, zone, status, species, last_seen_at, feature FROM listing_on_board
            """
        return try differences("listing", "board", wanted: wanted, found: "SELECT * FROM board", db)
    }

    private static func cells(_ db: SQLConnection) throws -> [String] {
        let cell = "(level << 28) | (zone >> shift)"
        let lists = try differences(
            "listing",
            "the lists of cells",
            wanted: "SELECT id >> 4, \(cell) AS cell, status, species, lon, lat FROM board, cell_level",
            found: "SELECT id, cell, status, species, lon, lat FROM board_cell",
            db
        )
        return try lists + cellCounts(cell, db)
    }

    private static func cellCounts(_ cell: String, _ db: SQLConnection) throws -> [String] {
        let found = "SELECT cell, status, species, listings, lon_sum, lat_sum FROM board_count"
        let listings = """
            SELECT \(cell), status, species, 1, CAST(lon * 1e7 AS INTEGER), CAST(lat * 1e7 AS INTEGER)
            FROM board, cell_level
            """
        let isSame = try GroupFingerprint(db, listings, keys: 3) == GroupFingerprint(db, found, keys: 3)
        if isSame, try !db.exists("SELECT 1 FROM board_count WHERE listings = 0") { return [] }
        return try differences(
            "cell",
            "the counts of cells",
            wanted: """
                SELECT \(cell) AS cell, status, species, count(*), sum(CAST(lon * 1e7 AS INTEGER)),
                    sum(CAST(lat * 1e7 AS INTEGER))
                FROM board, cell_level GROUP BY 1, 2, 3
                """,
            found: found,
            db
        )
    }

    private static func facets(_ db: SQLConnection) throws -> [String] {
        try differences(
            "listing",
            "the facets",
            wanted: """
                WITH zoned AS MATERIALIZED (SELECT id, zone, lon, lat FROM listing_zone)
                SELECT listing_id, name, zone, lon, lat FROM zoned CROSS JOIN listing_facet_name
                WHERE listing_id = zoned.id
                """,
            found: "SELECT listing_id, name, zone, lon, lat FROM listing_facet JOIN facet ON facet.id = facet_id",
            db
        )
    }

    private static func candidates(_ db: SQLConnection) throws -> [String] {
        let columns = "listing_id, side, cell, day, lon, lat, blur"
        return try differences(
            "listing",
            "the candidates for matches",
            wanted: "SELECT \(columns) FROM listing_match",
            found: "SELECT \(columns) FROM match_candidate",
            db
        )
    }

    /// Returns a message for each row in which two queries differ, at most 20 per direction. The first column
    /// identifies the row.
    static func differences(
        _ row: String,
        _ place: String,
        wanted: String,
        found: String,
        _ db: SQLConnection
    ) throws -> [String] {
        guard try RowFingerprint(db, wanted) != RowFingerprint(db, found) else { return [] }
        let both = ("SELECT * FROM (\(wanted))", "SELECT * FROM (\(found))")
        let missing = try db.values("\(both.0) EXCEPT \(both.1) LIMIT 20") as [Int64]
        let stale = try db.values("\(both.1) EXCEPT \(both.0) LIMIT 20") as [Int64]
        return missing.map { "\(row) \($0) is not in \(place), or not as it is" }
            + stale.map { "\(row) \($0) in \(place) is not so" }
    }

    private static func textIndex(_ db: SQLConnection) throws -> [String] {
        try [("board_text", "board_words"), ("archive_text", "archive_words"), ("place_text", "place")].flatMap {
            table,
            view in
            let wanted = "SELECT id FROM \(view)"
            let found = "SELECT id FROM \(table)_docsize"
            return try differences(table == "place_text" ? "place" : "listing", table, wanted: wanted, found: found, db)
        }
    }
}

extension DatabaseFile {
    package func check(progress: @escaping @Sendable (TaskProgress) -> Void) async throws -> DatabaseCheck {
        // The check has no time limit.
        try readers.read(within: .init()) { db in try DatabaseCheck(db, url, progress) }
    }

    /// Checks a copy, such as a backup, without changing it. A copy with an earlier schema gets only the checks that do
    /// not depend on the schema.
    package static func check(
        copy: URL,
        progress: @escaping @Sendable (TaskProgress) -> Void = { _ in }
    ) async throws -> DatabaseCheck {
        let isOlder = try schemaAge(ofCopy: copy) == .older
        let database = try StandaloneDatabase(copy, isReadOnly: true)
        defer { try? database.close() }
        return try database.read { db in
            try isOlder ? DatabaseCheck(ofAnySchema: db, copy) : DatabaseCheck(db, copy, progress)
        }
    }
}
