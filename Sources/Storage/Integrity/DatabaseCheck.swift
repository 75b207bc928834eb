import Domain
import Foundation
import Migrations
import SQL

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

    /// Checks of data that both engines derive from other data, and of data that must agree.
    static func commonChecks(_ db: SQLConnection) -> [(what: String, look: () throws -> [String])] {
        [
            ("the board", { try board(db) }),
            ("cells of the board", { try cells(db) }),
            ("facets", { try facets(db) }),
            ("candidates for matches", { try candidates(db) }),
            ("photos", { try photos(db) }),
            ("places", { try places(db) }),
            ("codes of listings", { try codes(db) }),
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

    init(_ findings: [Finding], of db: SQLConnection) {
        self.findings = findings
        counts = Self.counts(db)
    }

    private static func counts(_ db: SQLConnection) -> [(table: String, rows: Int)] {
        ["account", "session", "listing", "message", "sighting", "photo", "poi", "place", "event", "report", "audit"]
            .compactMap { table in
                // Tables that cannot be counted are reported by the other checks.
                (try? db.value("SELECT count(*) FROM \(table)") as Int?).flatMap { $0 }.map { (table, $0) }
            }
    }

    static func finding(_ what: String, _ look: () throws -> [String]) -> Finding {
        do {
            return Finding(what: what, problems: try look())
        } catch {
            return Finding(what: what, problems: ["cannot be read: \(reason(error))"])
        }
    }

    private static func reason(_ error: any Error) -> String {
        SQLFailure(error)?.description ?? "\(error)"
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

    /// The event log must have no gaps, except those of PostgreSQL, and the last event of every account and listing must agree with its present
    /// state. A hidden listing counts as removed.
    private static func events(_ db: SQLConnection) throws -> [String] {
        let numbers = try db.row("SELECT count(*), coalesce(max(id) - min(id) + 1, 0), coalesce(max(id), 0) FROM event")
        { row in
            (count: try row[0] as Int64, span: try row[1] as Int64, most: try row[2] as Int64)
        }
        guard let (count, span, most) = numbers else { return [] }
        var problems: [String] = []
        // On PostgreSQL, a write that is taken back leaves a gap.
        let hasGaps = db.engine == .postGIS
        if !hasGaps, span - count > Int64(try EventGaps.known(db)) { problems.append("\(span - count) are missing") }
        if try reusesKeys(of: "place_source", db) {
            problems.append("a source of places may get a number that was used")
        }
        let last = try db.lastKey(of: "event") ?? 0
        if hasGaps ? last < most : last != most { problems.append("the last is \(most), but \(last) were written") }
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
            guard hasGaps || count == most else { continue }
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
            SELECT \(cell), status, species, 1, CAST(trunc(lon * 1e7) AS BIGINT), CAST(trunc(lat * 1e7) AS BIGINT)
            FROM board, cell_level
            """
        let isSame =
            try db.engine == .spatiaLite
            && GroupFingerprint(db, listings, keys: 3) == GroupFingerprint(db, found, keys: 3)
        if isSame, try !db.exists("SELECT 1 FROM board_count WHERE listings = 0") { return [] }
        return try differences(
            "cell",
            "the counts of cells",
            wanted: """
                SELECT \(cell) AS cell, status, species, count(*), sum(CAST(trunc(lon * 1e7) AS BIGINT)),
                    sum(CAST(trunc(lat * 1e7) AS BIGINT))
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
        let photos: [Int64] = try db.values(
            """
            SELECT listing_id FROM match_photo
            EXCEPT SELECT listing_id FROM match_candidate WHERE subject IS NOT NULL LIMIT 20
            """
        )
        return try photos.map { "listing \($0) has photos for matches, but no texts that were read" }
            + differences(
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
        // PostgreSQL compares on the server, which sorts in files: all rows would be too many for the memory here.
        guard try db.engine == .postGIS || RowFingerprint(db, wanted) != RowFingerprint(db, found) else { return [] }
        let both = ("SELECT * FROM (\(wanted)) AS wanted", "SELECT * FROM (\(found)) AS found")
        let missing = try db.values("\(both.0) EXCEPT \(both.1) LIMIT 20") as [Int64]
        let stale = try db.values("\(both.1) EXCEPT \(both.0) LIMIT 20") as [Int64]
        return missing.map { "\(row) \($0) is not in \(place), or not as it is" }
            + stale.map { "\(row) \($0) in \(place) is not so" }
    }
}

extension Database {
    /// Looks for damage, and for data that contradict each other, without a time limit.
    ///
    /// - Parameter progress: is called for each check that begins; for a database file, from several threads.
    package func check(
        progress: @escaping @Sendable (TaskProgress) -> Void = { _ in }
    ) async throws -> DatabaseCheck {
        switch self {
        case let file as DatabaseFile:
            try file.readers.read(within: .init()) { db in try DatabaseCheck(db, file.url, progress) }
        case let server as PostgresDatabase:
            try server.read(within: nil) { db in
                try DatabaseCheck(postGIS: db, schema: Migration.postGIS.last?.number ?? 0, progress)
            }
        default: throw ServiceError(.unavailable, "there is no check for this kind of database")
        }
    }
}
