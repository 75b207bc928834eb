package import Foundation
package import GRDB
import SpatiaLite

/// What an admin wants to know of a database: is it whole, and how much is in it.
package struct DatabaseCheck: Sendable {
    package struct Finding: Sendable {
        package let what: String
        /// Empty where all is well.
        package let problems: [String]

        package init(what: String, problems: [String]) {
            self.what = what
            self.problems = problems
        }
    }

    package let findings: [Finding]
    package let counts: [(table: String, rows: Int)]

    package var isSound: Bool { findings.allSatisfy(\.problems.isEmpty) }

    package init(_ db: Database) throws {
        findings = [
            Finding(what: "integrity", problems: try Self.integrity(db)),
            Finding(what: "foreign keys", problems: try Self.foreignKeys(db)),
            Finding(what: "the board", problems: try Self.board(db)),
            Finding(what: "spatial index of board", problems: try Self.spatialIndex("board", db)),
            Finding(what: "spatial index of poi", problems: try Self.spatialIndex("poi", db)),
            Finding(what: "spatial index of place", problems: try Self.spatialIndex("place", db)),
            Finding(what: "spatial index of place_area", problems: try Self.areaIndex(db)),
            Finding(what: "cells of the board", problems: try Self.cells(db)),
            Finding(what: "facets", problems: try Self.facets(db)),
            Finding(what: "text index", problems: try Self.textIndex(db)),
        ]
        counts = try ["account", "session", "listing", "photo", "poi", "place", "event"].map {
            (table: $0, rows: try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)") ?? 0)
        }
    }

    private static func integrity(_ db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
    }

    private static func foreignKeys(_ db: Database) throws -> [String] {
        try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").map { "\($0[0] as String) row \($0[1] as Int64? ?? 0)" }
    }

    /// Compared row by row with the geometries; SpatiaLite's CheckSpatialIndex wants to write.
    private static func spatialIndex(_ table: String, _ db: Database) throws -> [String] {
        let missing = try Int64.fetchAll(
            db,
            sql: """
                SELECT id FROM \(table) LEFT JOIN idx_\(table)_geom AS tree ON tree.pkid = id
                WHERE geom IS NOT NULL AND (tree.pkid IS NULL OR ST_X(geom) NOT BETWEEN xmin AND xmax OR ST_Y(geom) NOT BETWEEN ymin AND ymax)
                LIMIT 20
                """
        )
        let stale = try Int64.fetchAll(
            db,
            sql: "SELECT pkid FROM idx_\(table)_geom WHERE pkid NOT IN (SELECT id FROM \(table)) LIMIT 20"
        )
        return missing.map { "row \($0) is not in the index, or elsewhere" }
            + stale.map { "row \($0) of the index is of no \(table)" }
    }

    /// Every area is in the index and nothing else is; whether the boxes fit is not looked at.
    private static func areaIndex(_ db: Database) throws -> [String] {
        try differences(
            "area",
            "the spatial index",
            wanted: "SELECT id FROM place_area",
            found: "SELECT pkid FROM idx_place_area_geom",
            db
        )
    }

    /// The board must hold what is open and not hidden, as it is, and nothing else.
    private static func board(_ db: Database) throws -> [String] {
        let wanted = """
            SELECT id, geom, lon, lat, zone, status, species, last_seen_at, feature FROM listing_on_board
            """
        return try differences("listing", "board", wanted: wanted, found: "SELECT * FROM board", db)
    }

    private static func cells(_ db: Database) throws -> [String] {
        let cell = "(level << 28) | (zone >> shift)"
        let lists = try differences(
            "listing",
            "the lists of cells",
            wanted: "SELECT id >> 4, \(cell) AS cell, status, species, lon, lat FROM board, cell_level",
            found: "SELECT id, cell, status, species, lon, lat FROM board_cell",
            db
        )
        let counts = try differences(
            "cell",
            "the counts of cells",
            wanted: """
                SELECT \(cell) AS cell, status, species, count(*), sum(CAST(lon * 1e7 AS INTEGER)),
                    sum(CAST(lat * 1e7 AS INTEGER))
                FROM board, cell_level GROUP BY 1, 2, 3
                """,
            found: "SELECT cell, status, species, listings, lon_sum, lat_sum FROM board_count",
            db
        )
        return lists + counts
    }

    private static func facets(_ db: Database) throws -> [String] {
        try differences(
            "listing",
            "the facets",
            wanted: """
                SELECT listing_id, name, zone, lon, lat
                FROM listing_facet_name JOIN listing_zone ON listing_zone.id = listing_id
                """,
            found: "SELECT listing_id, name, zone, lon, lat FROM listing_facet JOIN facet ON facet.id = facet_id",
            db
        )
    }

    /// What two queries do not have in common; the first column tells which row.
    private static func differences(
        _ row: String,
        _ place: String,
        wanted: String,
        found: String,
        _ db: Database
    ) throws -> [String] {
        let missing = try Int64.fetchAll(db, sql: "SELECT * FROM (\(wanted)) EXCEPT \(found) LIMIT 20")
        let stale = try Int64.fetchAll(db, sql: "SELECT * FROM (\(found)) EXCEPT \(wanted) LIMIT 20")
        return missing.map { "\(row) \($0) is not in \(place), or not as it is" }
            + stale.map { "\(row) \($0) in \(place) is not so" }
    }

    private static func textIndex(_ db: Database) throws -> [String] {
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
    package func check() async throws -> DatabaseCheck {
        try await read { db in try DatabaseCheck(db) }
    }

    /// Checks a copy, such as a backup, without changing it.
    package static func check(copy: URL) async throws -> DatabaseCheck {
        var configuration = Configuration.spatiaLite()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: copy.path, configuration: configuration)
        return try await queue.read { db in try DatabaseCheck(db) }
    }
}
