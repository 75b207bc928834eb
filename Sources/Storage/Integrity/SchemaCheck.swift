import Foundation
import Migrations
import SQL
import SpatiaLite

/// Checks the contents that every database has in common: the schema, and the rows that migrations and SpatiaLite
/// insert.
struct SchemaCheck {
    /// Tables that contain times, or that SQLite maintains itself.
    private static let varying = [
        "spatialite_history", "sqlite_sequence", "sqlite_stat1", "geometry_columns_statistics", "geometry_columns_time",
    ]

    /// A reference database with the newest schema, created once per process.
    static let newest = Result { try SchemaCheck() }

    private let model: StandaloneDatabase

    private init() throws {
        model = try .inMemory()
        _ = try model.run { db in try Migrator(Migration.all).migrate(db) }
    }

    func problems(_ db: SQLConnection) throws -> [String] {
        let version = try db.schemaVersion
        guard version == Migration.all.count else {
            return ["it is at version \(version), this program's is \(Migration.all.count)"]
        }
        let (wanted, found) = (try model.run(Self.objects), try Self.objects(db))
        return wanted.keys.sorted().compactMap { name in
            guard let sql = found[name] else { return "\(name) is missing" }
            return sql == wanted[name] ? nil : "\(name) is not as it should be"
        } + found.keys.filter { wanted[$0] == nil }.sorted().map { "\($0) is none of ours" }
    }

    /// Compares the rows that are the same in every database.
    func rowProblems(_ db: SQLConnection) throws -> [String] {
        let tables = try model.run { model in
            try
                (model.values(
                    "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
                ) as [String]).filter { !Self.varying.contains($0) && !Self.isShadow($0) }
        }
        return try tables.flatMap { table -> [String] in
            let sql = "SELECT * FROM \"\(table)\""
            let wanted = try model.run { model in try Self.rows(sql, model) }
            guard !wanted.isEmpty else { return [] }
            let found = Set(try Self.rows(sql, db))
            let missing = wanted.count { !found.contains($0) }
            return missing + found.count == wanted.count && missing == 0
                ? [] : ["\(table) has not the rows that it should have"]
        }
    }

    private static func rows(_ sql: String, _ db: SQLConnection) throws -> [[SQLValue]] {
        try db.rows(sql) { row in (0..<row.columnCount).map(row.value) }
    }

    /// Whether the table is an internal table of an R*Tree or a full-text index.
    private static func isShadow(_ table: String) -> Bool {
        ["_node", "_rowid", "_parent", "_data", "_idx", "_docsize", "_config", "_content"].contains(
            where: table.hasSuffix
        )
    }

    /// Returns the definition of each schema object by name, without the tables that `ANALYZE` adds.
    private static func objects(_ db: SQLConnection) throws -> [String: String] {
        let rows = try db.rows(
            "SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%'"
        ) { row in (try row[0] as String, try row[1] as String) }
        return Dictionary(rows) { $1 }
    }
}
