import Domain
import Foundation
import Migrations
import SQL
import SpatiaLite
import Storage
import TestSupport
import Testing

/// Migrates every earlier schema, with rows in all its tables, to the newest one. New migrations are included
/// automatically.
@Suite("Migrations", .enabled(if: TestDatabase.isFile, "about database files"))
struct MigratorTests {
    /// The newest schema is included, which also checks that its rows can be created.
    private static let versions = Array(1...Migration.all.count)

    @Test(
        "Migration keeps the contents of a database of an earlier schema and leaves it sound",
        arguments: versions
    )
    func upgrade(from version: Int) async throws {
        let folder = try TemporaryFolder()
        let database = try DatabaseFile(directory: folder.url)
        _ = try database.migrate(Array(Migration.all.prefix(version)))
        let before = try await Self.fill(database)
        #expect(try database.migrate().map(\.number) == Migration.all.dropFirst(version).map(\.number))
        #expect(try await database.check().findings.flatMap(\.problems) == [])
        for (table, rows) in before {
            let after = try await database.read { db in try Self.rows(of: table, rows.columns, db) }
            #expect(after == rows.values, "\(table)")
        }
        #expect(
            try await database.read { db in try Set(db.values("SELECT place_names FROM listing") as [String]) }
                == ["[\"roma\"]"]
        )
        let sessions = try await database.read { db in
            try db.rows("SELECT token_hash, account_id, disabled FROM session JOIN account ON account.id = account_id")
            { row in
                (hash: try row[0] as Data, account: try row[1] as Int64, isOut: try row[2] as Bool)
            }
        }
        #expect(Set(sessions.map(\.isOut)) == [false, true])
        for session in sessions {
            let account = try await AccountStore(database).findAccount(tokenHash: session.hash)
            #expect(account?.key == (session.isOut ? nil : session.account))
        }
        // The author of earlier rows can continue.
        let account = try #require(
            try await AccountStore(database).findAccount(tokenHash: Data(repeating: 0, count: 32))
        )
        let listing = try await ListingStore(database).create(.at(14, 40), owner: account)
        #expect(try await ListingStore(database).findListing(id: listing.id) != nil)
        #expect(try await database.check().findings.flatMap(\.problems) == [])
    }

    @Test("The copies of places of earlier versions are removed, and no other file")
    func placeCopies() throws {
        let folder = try TemporaryFolder()
        let database = try DatabaseFile(directory: folder.url)
        for name in ["gazetteer-5f3a-1.sqlite", "gazetteer-draft-\(UUID()).sqlite", "gazetteer.bin", "last-backup"] {
            try Data([1]).write(to: folder.url.appending(path: name))
        }
        try database.removePlaceCopies()
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(Set(left.filter { !$0.hasPrefix(DatabaseFile.fileName) }) == ["gazetteer.bin", "last-backup"])
        try database.removePlaceCopies()
    }

    @Test("A failed migration leaves the database unchanged", arguments: versions.dropLast())
    func failing(after version: Int) async throws {
        let folder = try TemporaryFolder()
        let database = try DatabaseFile(directory: folder.url)
        _ = try database.migrate(Array(Migration.all.prefix(version)))
        let before = try await Self.fill(database)
        let next = Migration.all[version]
        let broken = Migration(number: next.number, name: next.name, sql: next.sql + "\nSELECT 0;")
        #expect(throws: (any Error).self) { try database.migrate(Array(Migration.all.prefix(version)) + [broken]) }
        #expect(try await database.read { db in try db.value("PRAGMA user_version") as Int? } == version)
        for (table, rows) in before {
            let after = try await database.read { db in try Self.rows(of: table, rows.columns, db) }
            #expect(after == rows.values, "\(table)")
        }
        #expect(try database.migrate().last?.number == Migration.all.count)
        #expect(try await database.check().findings.flatMap(\.problems) == [])
    }

    @Test("A link without both answers ends, the half of a point is removed, and neither can be written any more")
    func wholeAnswersAndPoints() async throws {
        let folder = try TemporaryFolder()
        let database = try DatabaseFile(directory: folder.url)
        _ = try database.migrate(Array(Migration.all.prefix(28)))
        _ = try await Self.fill(database)
        let writes = [
            "UPDATE match_answer SET found_answer = NULL, found_answered_at = NULL",
            "UPDATE message SET lon = 14, lat = NULL, place = NULL",
        ]
        try await database.write { db in for sql in writes { try db.execute(sql) } }
        _ = try database.migrate()
        try await database.read { db in
            for (table, condition) in [
                ("match_answer", "linked_at IS NULL AND found_status IS NULL AND lost_answer = 'yes'"),
                ("message", "lon IS NULL AND lat IS NULL AND place IS NULL"),
            ] {
                let repaired = try db.value("SELECT count(*) FROM \(table) WHERE \(condition)") as Int?
                #expect(repaired == (try db.value("SELECT count(*) FROM \(table)")), "\(table)")
                #expect(try db.exists("SELECT 1 FROM \(table)"))
            }
        }
        try await database.write { db in
            try db.execute(
                """
                UPDATE match_answer SET found_answer = 'yes', found_answered_at = lost_answered_at,
                    found_status = 'found', linked_at = lost_answered_at
                """
            )
            try db.execute("UPDATE message SET lon = 14, lat = 40, place = 'Roma'")
        }
        for sql in writes {
            await #expect(throws: (any Error).self, "\(sql)") { try await database.write { try $0.execute(sql) } }
        }
        #expect(try await database.check().findings.flatMap(\.problems) == [])
    }

    @Test("A migration on a full disk fails without changes and succeeds when there is space")
    func full() async throws {
        let folder = try TemporaryFolder()
        let database = try DatabaseFile(directory: folder.url)
        _ = try database.migrate([Migration.all[0]])
        _ = try await Self.fill(database)
        try await database.write { db in try db.execute("PRAGMA max_page_count = 1") }
        let error = #expect(throws: ServiceError.self) { try database.migrate() }
        #expect(error == StorageFault.full.serviceError)
        #expect(try await database.read { db in try db.value("PRAGMA user_version") as Int? } == 1)
        try await database.write { db in try db.execute("PRAGMA max_page_count = 1000000") }
        #expect(try database.migrate().last?.number == Migration.all.count)
        #expect(try await database.check().findings.flatMap(\.problems) == [])
    }

    // MARK: - Rows of the newest schema, reduced to the columns of an earlier one

    private struct Rows {
        let columns: [String]
        let values: [[SQLValue]]
    }

    /// Triggers write these tables, and SQLite writes the shadow tables of indexes.
    private static let derived: Set<String> = [
        "board", "board_cell", "board_count", "facet", "listing_facet", "event", "cell_level", "cell_bits",
    ]

    /// Migrations renumber the keys of listings.
    private static let remade: Set<String> = ["listing.id", "photo.listing_id"]

    /// Triggers increase these columns with each row of another table.
    private static let counted: Set<String> = ["report_case.reports", "report_case.registered"]

    /// Rows with values in these columns do not fit in a schema without the columns.
    private static let required = ["photo": ["sighting_id", "message_id"]]

    /// Whether the row fits in a schema with these tables and columns.
    private static func fits(
        _ row: [String: SQLValue],
        _ table: String,
        _ columns: [String],
        _ known: Set<String>
    ) -> Bool {
        guard table != "account" || known.contains("organisation") || row["role"] != .text("organisation") else {
            return false
        }
        return (required[table] ?? []).allSatisfy { columns.contains($0) || row[$0] == .null }
    }

    private struct Table {
        let name: String
        let rows: [[String: SQLValue]]
    }

    /// The tables of a filled database of the newest schema that are not derived from others, in order of creation.
    private static let newest = Task {
        let folder = try TemporaryFolder()
        try await FilledBoard.make(folder.url).close()
        return try StandaloneDatabase(folder.url.appending(path: DatabaseFile.fileName)).read { db in
            try FilledBoard.tables(db).filter { !derived.contains($0) }.map { table in
                let rows = try db.rows("SELECT * FROM \(table) ORDER BY 1") { row in
                    Dictionary(uniqueKeysWithValues: (0..<row.columnCount).map { (row.name($0), row.value($0)) })
                }
                return Table(name: table, rows: rows)
            }
        }
    }

    private static func fill(_ database: DatabaseFile) async throws -> [String: Rows] {
        let source = try await newest.value
        try await database.write { db in
            let known = try Set(db.values("SELECT name FROM sqlite_schema WHERE type = 'table'") as [String])
            // A migration may have created a table anew that an older one refers to.
            try db.execute("PRAGMA defer_foreign_keys = ON")
            for (table, rows) in source.map({ ($0.name, $0.rows) }) where known.contains(table) {
                let columns = try (db.values("SELECT name FROM pragma_table_info(?)", [table]) as [String]).filter {
                    column in
                    rows.first?[column] != nil && !counted.contains("\(table).\(column)")
                }
                let blanks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
                let changes = columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
                for row in rows where fits(row, table, columns, known) {
                    // A trigger may have inserted the row already.
                    try db.execute(
                        """
                        INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(blanks))
                        ON CONFLICT DO UPDATE SET \(changes)
                        """,
                        columns.map { row[$0] ?? .null }
                    )
                }
            }
            for (table, sql) in FilledBoard.former where known.contains(table) { try db.run(script: sql) }
        }
        // Before the schema had photos, the picture of an account was stored in another way.
        _ = try? await database.write { db in
            let hasPhotos = try db.hasTable("photo")
            if !hasPhotos { try db.execute("UPDATE account SET picture = NULL") }
        }
        let gaps = try await database.read(FilledBoard.gaps).filter { $0 != "account.picture" }
        #expect(gaps == [], "FilledBoard has nothing for these of an earlier schema: give it to `former`")
        return try await database.read { db in
            let known = try Set(db.values("SELECT name FROM sqlite_schema WHERE type = 'table'") as [String])
            return try Dictionary(
                uniqueKeysWithValues: source.map(\.name).filter(known.contains).map { table in
                    let columns = try (db.values("SELECT name FROM pragma_table_info(?)", [table]) as [String]).filter {
                        !remade.contains("\(table).\($0)")
                    }
                    return (table, Rows(columns: columns, values: try rows(of: table, columns, db)))
                }
            )
        }
    }

    private static func rows(of table: String, _ columns: [String], _ db: SQLConnection) throws -> [[SQLValue]] {
        let columns = columns.joined(separator: ", ")
        return try db.rows("SELECT \(columns) FROM \(table) ORDER BY \(columns)") { row in
            (0..<row.columnCount).map(row.value)
        }
    }
}
