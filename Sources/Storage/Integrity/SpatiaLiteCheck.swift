package import Foundation
import SQL
import SpatiaLite

extension DatabaseCheck {
    /// - Parameter file: the file of the same database. Some checks need a connection that may write, although they
    ///   write nothing.
    /// - Parameter progress: is called for each check that begins, from several threads.
    init(_ db: SQLConnection, _ file: URL, _ progress: @escaping @Sendable (TaskProgress) -> Void = { _ in }) throws {
        let schema = try SchemaCheck.newest.get()
        let own: [Check] = [
            ("schema", schema.problems), ("rows that every database has", schema.rowProblems),
            ("foreign keys", Self.foreignKeys), ("geometries", Self.geometries),
            ("spatial index of board", { try Self.spatialIndex("board", $0) }),
            ("spatial index of poi", { try Self.spatialIndex("poi", $0) }),
            ("spatial index of place", { try Self.spatialIndex("place", $0) }),
            ("spatial index of place_area", Self.areaIndex),
            ("spatial index of alert_area", { try Self.treeProblems("alert_area", $0) }),
            ("text index", Self.textIndex),
        ]
        let texts: [BackgroundCheck] = [
            ("words of the text index", { try Self.reading(file) { db in try TextCheck(db).problems() } }),
            ("structure of the text index", { try Self.reading(file, TextCheck.structure) }),
        ]
        let integrity: BackgroundCheck = ("integrity", { try Self.integrity(of: file) })
        self.init(own + Self.commonChecks, beside: [[integrity], texts], db, progress)
    }

    /// Runs only the checks that do not depend on the schema version.
    init(ofAnySchema db: SQLConnection, _ file: URL) {
        self.init([("integrity", { _ in try Self.integrity(of: file) }), ("foreign keys", Self.foreignKeys)], db)
    }

    /// Reads the file on a connection of its own, whose temporary tables are in files.
    private static func reading(_ file: URL, _ body: (SQLConnection) throws -> [String]) throws -> [String] {
        let database = try StandaloneDatabase(file, isReadOnly: true)
        defer { try? database.close() }
        try database.run { db in try db.run(script: "PRAGMA temp_store = FILE") }
        return try database.read(body)
    }

    /// Every geometry must be readable by SpatiaLite and have the type and reference system of its column.
    private static func geometries(_ db: SQLConnection) throws -> [String] {
        try [("listing", "POINT"), ("board", "POINT"), ("poi", "POINT"), ("place", "POINT"), ("place_area", "POLYGON")]
            .flatMap { table, type in
                try problems(
                    "the geometry of \(table) # cannot be read",
                    """
                    SELECT id FROM \(table)
                    WHERE geom IS NOT NULL
                        AND (ST_GeometryType(geom) IS DISTINCT FROM '\(type)' OR ST_SRID(geom) IS DISTINCT FROM 4326)
                    """, db)
            }
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
        let tree = "idx_\(table)_geom"
        return try treeProblems(tree, db)
            + problems(
                "row # is not in the index, or elsewhere",
                """
                SELECT id FROM \(table) LEFT JOIN \(tree) AS tree ON tree.pkid = id
                WHERE geom IS NOT NULL AND (tree.pkid IS NULL
                    OR ST_X(geom) NOT BETWEEN xmin AND xmax OR ST_Y(geom) NOT BETWEEN ymin AND ymax)
                """, db)
            + problems(
                "row # of the index is of no \(table)",
                "SELECT pkid FROM \(tree) WHERE pkid NOT IN (SELECT id FROM \(table))", db)
    }

    /// Returns the problems that SQLite's own check of the R*Tree finds.
    private static func treeProblems(_ tree: String, _ db: SQLConnection) throws -> [String] {
        let said = try db.value("SELECT rtreecheck('\(tree)')") ?? "nothing is said of it"
        return said == "ok" ? [] : [said]
    }

    /// The index must contain exactly the areas, each with a bounding box that covers it.
    private static func areaIndex(_ db: SQLConnection) throws -> [String] {
        let tree = "idx_place_area_geom"
        let areas = DerivedData(
            row: "area", place: "the spatial index", wanted: "SELECT id FROM place_area",
            found: "SELECT pkid FROM \(tree)")
        return try treeProblems(tree, db) + areas.problems(db)
            + problems(
                "area # is not where the index has it",
                """
                SELECT id FROM place_area JOIN \(tree) AS tree ON tree.pkid = id
                WHERE MbrMinX(geom) < xmin OR MbrMaxX(geom) > xmax OR MbrMinY(geom) < ymin OR MbrMaxY(geom) > ymax
                """, db)
    }

    private static func textIndex(_ db: SQLConnection) throws -> [String] {
        try [
            ("board_text", "listing", "board_words"), ("archive_text", "listing", "archive_words"),
            ("place_text", "place", "place"),
        ].flatMap { table, row, view in
            try DerivedData(
                row: row, place: table, wanted: "SELECT id FROM \(view)", found: "SELECT id FROM \(table)_docsize"
            ).problems(db)
        }
    }
}

extension DatabaseFile {
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
