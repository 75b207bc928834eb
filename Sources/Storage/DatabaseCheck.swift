package import Foundation
package import GRDB
import SpatiaLite

/// What an admin wants to know of a database: is it whole, and how much is in it.
package struct DatabaseCheck: Sendable {
    package struct Finding: Sendable {
        package let what: String
        /// Empty where all is well.
        package let problems: [String]
    }

    package let findings: [Finding]
    package let counts: [(table: String, rows: Int)]

    package var isSound: Bool { findings.allSatisfy(\.problems.isEmpty) }

    package init(_ db: Database) throws {
        findings = [
            Finding(what: "integrity", problems: try Self.integrity(db)),
            Finding(what: "foreign keys", problems: try Self.foreignKeys(db)),
            Finding(what: "spatial index of listing", problems: try Self.spatialIndex("listing", db)),
            Finding(what: "spatial index of poi", problems: try Self.spatialIndex("poi", db)),
            Finding(what: "text index", problems: try Self.textIndex(db)),
        ]
        counts = try ["account", "session", "listing", "poi", "event"].map {
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
                WHERE tree.pkid IS NULL OR ST_X(geom) NOT BETWEEN xmin AND xmax OR ST_Y(geom) NOT BETWEEN ymin AND ymax
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

    private static func textIndex(_ db: Database) throws -> [String] {
        let missing =
            try Int.fetchOne(
                db,
                sql: "SELECT (SELECT count(*) FROM listing_text_docsize) - (SELECT count(*) FROM listing)"
            ) ?? 0
        return missing == 0 ? [] : ["\(abs(missing)) listings too \(missing > 0 ? "many" : "few")"]
    }
}

extension DatabaseFile {
    package func check() async throws -> DatabaseCheck {
        try await read { db in try DatabaseCheck(db) }
    }

    /// Checks a copy, such as a backup, without changing it.
    package static func check(copy: URL) async throws -> DatabaseCheck {
        var configuration = Configuration.spatiaLite
        configuration.readonly = true
        let queue = try DatabaseQueue(path: copy.path, configuration: configuration)
        return try await queue.read { db in try DatabaseCheck(db) }
    }
}
