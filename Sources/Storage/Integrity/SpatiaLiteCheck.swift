package import Foundation
import SQL
import SpatiaLite

extension DatabaseCheck {
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
        self.init(own + others.wait(), of: db)
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
        self.init(
            [
                Self.finding("integrity") { try Self.integrity(of: file) },
                Self.finding("foreign keys") { try Self.foreignKeys(db) },
            ],
            of: db
        )
    }

    private static func checks(
        _ schema: SchemaCheck,
        _ db: SQLConnection
    ) -> [(what: String, look: () throws -> [String])] {
        [
            ("schema", { try schema.problems(db) }),
            ("unfinished copy", { try db.hasTable(UnfinishedCopy.table) ? [UnfinishedCopy.advice.text] : [] }),
            ("rows that every database has", { try schema.rowProblems(db) }),
            ("foreign keys", { try foreignKeys(db) }),
            ("geometries", { try geometries(db) }),
            ("spatial index of board", { try spatialIndex("board", db) }),
            ("spatial index of poi", { try spatialIndex("poi", db) }),
            ("spatial index of place", { try spatialIndex("place", db) }),
            ("spatial index of place_area", { try areaIndex(db) }),
            ("text index", { try textIndex(db) }),
        ] + commonChecks(db)
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
        return try treeProblems("idx_\(table)_geom", db) + missing.map { "row \($0) is not in the index, or elsewhere" }
            + stale.map { "row \($0) of the index is of no \(table)" }
    }

    /// Returns the problems that SQLite's own check of the R*Tree finds.
    static func treeProblems(_ tree: String, _ db: SQLConnection) throws -> [String] {
        let said = try db.value("SELECT rtreecheck('\(tree)')") ?? "nothing is said of it"
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
        return try treeProblems("idx_place_area_geom", db) + outside.map { "area \($0) is not where the index has it" }
            + differences(
                "area",
                "the spatial index",
                wanted: "SELECT id FROM place_area",
                found: "SELECT pkid FROM idx_place_area_geom",
                db
            )
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
