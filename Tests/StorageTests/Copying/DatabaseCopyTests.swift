import Domain
import Foundation
import SQL
import SpatiaLite
import TestSupport
import Testing

@testable import Storage

/// Runs on each engine: `TestDatabase` is the one that `TEST_DATABASE` names.
@Suite("Copies of databases")
struct DatabaseCopyTests {
    private static func file(_ folder: TemporaryFolder, _ name: String) throws -> DatabaseFile {
        let database = try DatabaseFile(directory: folder.url.appending(path: name))
        _ = try database.migrate()
        return database
    }

    private static func digests(_ tables: [DatabaseCopy.Table]) -> [String: TableDigest] {
        Dictionary(uniqueKeysWithValues: tables.map { ($0.name, $0.digest) })
    }

    @Test("Every table of the schema is copied, derived or constant, and each comes after those that it refers to")
    func classified() async throws {
        let copied = CopiedTable.all.map(\.name)
        let known = CopiedTable.derived.union(CopiedTable.constant).union(CopiedTable.onlyOnPostGIS).union(copied)
        let board = try await TestDatabase()
        try await board.database.read { db in
            let tables: [String] =
                switch db.engine {
                case .spatiaLite:
                    try FilledBoard.tables(db) + ["board_text", "archive_text", "place_text", "alert_area"]
                case .postGIS:
                    try db.values(
                        """
                        SELECT CAST(relname AS text) FROM pg_class
                        WHERE relkind = 'r' AND relnamespace = CAST('public' AS regnamespace) AND NOT EXISTS (
                            SELECT 1 FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
                        """
                    )
                }
            #expect(Set(tables).subtracting(known) == [], "say in CopiedTable how a copy treats the table")
            let foreign: Set =
                db.engine == .spatiaLite ? CopiedTable.onlyOnPostGIS.union(["schema_version"]) : ["cell_bits"]
            #expect(known.subtracting(tables) == foreign)
            guard db.engine == .spatiaLite else { return }
            for (number, table) in copied.enumerated() {
                let others: [String] = try db.values("SELECT \"table\" FROM pragma_foreign_key_list(?)", [table])
                #expect(Set(others).subtracting(copied[..<number]).subtracting([table]) == [], "\(table)")
            }
        }
    }

    @Test("A copy of rows of all tables, and a copy of the copy, are sound and equal")
    func roundTrip() async throws {
        let folder = try TemporaryFolder()
        let source = try await FilledBoard.make(folder.url.appending(path: "source"))
        // Keys of removed rows must not be used again.
        try await source.write { db in
            try db.run(
                script: """
                    UPDATE sqlite_sequence SET seq = 1000 WHERE name = 'alert';
                    UPDATE block SET about = 'a\\b' || char(9, 10, 13) || 'ò\\N';
                    """
            )
        }
        let middle = try await TestDatabase()
        let there = try DatabaseCopy.run(from: source, to: middle.database)
        #expect(try await middle.database.check().findings.flatMap(\.problems) == [])
        let end = try Self.file(folder, "end")
        let back = try DatabaseCopy.run(from: middle.database, to: end)
        #expect(try await end.check().findings.flatMap(\.problems) == [])
        #expect(Self.digests(there) == Self.digests(back))
        #expect(there.map(\.name) == CopiedTable.all.map(\.name))
        #expect(there.filter { $0.digest.rows == 0 }.map(\.name) == [], "FilledBoard has nothing to copy there")
        for database in [middle.database, end] as [any Database] {
            try await database.read { db in
                let (last, text) = (try db.lastKey(of: "alert"), try db.value(Self.text) as String?)
                #expect(last == 1000 && text == "a\\b\t\n\rò\\N")
            }
        }
        let listing: [[SQLValue]] = try await source.read(Self.listings)
        #expect(try await end.read(Self.listings) == listing)
    }

    @Test("An entry that is missing at the end of the audit log is missing in copies, too")
    func auditEnd() async throws {
        let folder = try TemporaryFolder()
        let source = try await FilledBoard.make(folder.url.appending(path: "source"))
        try await source.write { db in
            try db.execute("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'audit'")
        }
        let (middle, end) = (try await TestDatabase(), try Self.file(folder, "end"))
        _ = try DatabaseCopy.run(from: source, to: middle.database)
        _ = try DatabaseCopy.run(from: middle.database, to: end)
        for database in [middle.database, end] as [any Database] {
            let problems = try await database.check().findings.flatMap(\.problems)
            #expect(problems.count == 1 && problems[0].hasSuffix("are missing"), "\(problems)")
        }
    }

    private static let text = "SELECT about FROM block LIMIT 1"

    private static func listings(_ db: SQLConnection) throws -> [[SQLValue]] {
        try db.rows("SELECT * FROM listing_on_board ORDER BY id") { row in (0..<row.columnCount).map(row.value) }
    }

    @Test("Triggers run again on a finished copy, and new rows get new keys")
    func written() async throws {
        let folder = try TemporaryFolder()
        let source = try await FilledBoard.make(folder.url.appending(path: "source"))
        let copy = try await TestDatabase()
        _ = try DatabaseCopy.run(from: source, to: copy.database)
        let before = try await copy.database.read { db in try db.value("SELECT max(id) FROM event") ?? 0 as Int64 }
        _ = try await copy.listings.create(.at(14.8, 40.7), owner: try await copy.guest())
        #expect(try await copy.database.check().findings.flatMap(\.problems) == [])
        let types: [String] = try await copy.database.read { db in
            try db.values("SELECT type FROM event WHERE id > ? ORDER BY id", [before])
        }
        #expect(types == ["account.created", "listing.created"])
    }

    @Test("An interrupted copy is refused by servers, reported by the check, and goes on when it is repeated")
    func interrupted() async throws {
        struct Interruption: Error {}
        let folder = try TemporaryFolder()
        let source = try await FilledBoard.make(folder.url.appending(path: "source"))
        let copy = try await TestDatabase()
        #expect(throws: Interruption.self) {
            try DatabaseCopy.run(from: source, to: copy.database, finish: { _ in throw Interruption() })
        }
        #expect(throws: ServiceError.self) { try copy.database.throwIfUnfinishedCopy() }
        let finding = try await copy.database.check().findings.first { $0.what == "unfinished copy" }
        #expect(finding?.problems.count == 1)
        #expect(throws: ServiceError.self) { try DatabaseCopy.run(from: copy.database, to: Self.file(folder, "other")) }

        // As if the process had ended in the middle of the last tables.
        try await copy.database.write { db in try db.execute("DELETE FROM listing_import_row") }
        _ = try DatabaseCopy.run(from: source, to: copy.database)
        try copy.database.throwIfUnfinishedCopy()
        #expect(try await copy.database.check().findings.flatMap(\.problems) == [])
    }

    @Test("A copy is not continued from a source that has changed, and overwrites nothing")
    func refused() async throws {
        let folder = try TemporaryFolder()
        let source = try await FilledBoard.make(folder.url.appending(path: "source"))
        let copy = try await TestDatabase()
        try DatabaseCopy.begin(from: source, to: copy.database)
        try await source.write { db in try db.execute("UPDATE listing SET version = version + 1 WHERE status = 'lost'")
        }
        var message = Self.refusal { try DatabaseCopy.run(from: source, to: copy.database) }
        #expect(message?.contains("an unfinished copy of another database, or the source has changed") == true)

        let full = try await TestDatabase()
        _ = try await full.guest()
        message = Self.refusal { try DatabaseCopy.run(from: source, to: full.database) }
        #expect(message?.contains("the target is not empty: account has rows") == true)
        try full.database.throwIfUnfinishedCopy()
    }

    @Test("Rows that differ are reported, and the copy stays unfinished")
    func different() async throws {
        let folder = try TemporaryFolder()
        let source = try await FilledBoard.make(folder.url.appending(path: "source"))
        let copy = try await TestDatabase()
        struct Interruption: Error {}
        #expect(throws: Interruption.self) {
            try DatabaseCopy.run(from: source, to: copy.database, finish: { _ in throw Interruption() })
        }
        try await copy.database.write { db in try db.execute("UPDATE breed SET name_en = 'other'") }
        let message = Self.refusal { try DatabaseCopy.run(from: source, to: copy.database) }
        #expect(message?.contains("the copy differs from the source in breed (") == true)
        #expect(throws: ServiceError.self) { try copy.database.throwIfUnfinishedCopy() }
    }

    private static func refusal(_ body: () throws -> [DatabaseCopy.Table]) -> String? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? ServiceError)?.description
        }
    }

    @Test("A file that is a copy from PostgreSQL may have gaps in its events, and no more than it had")
    func gaps() async throws {
        let folder = try TemporaryFolder()
        let source = try await FilledBoard.make(folder.url.appending(path: "source"))
        let middle = try await TestDatabase()
        _ = try DatabaseCopy.run(from: source, to: middle.database)
        try await middle.database.write { db in
            try db.execute("DELETE FROM event WHERE id = (SELECT min(id) + 1 FROM event)")
        }
        let end = try Self.file(folder, "end")
        _ = try DatabaseCopy.run(from: middle.database, to: end)
        let problems = try await end.check().findings.first { $0.what == "events" }?.problems
        // Between files, a missing event is a fault that the copy has as well.
        #expect(problems == (middle.database.engine == .postGIS ? [] : ["1 are missing"]))
        try await end.write { db in try db.execute("DELETE FROM event WHERE id = (SELECT min(id) + 2 FROM event)") }
        #expect(try await end.check().findings.first { $0.what == "events" }?.problems.isEmpty == false)
    }
}
