import Domain
import Foundation
import Migrations
import SQL
import SpatiaLite
import Storage
import TestSupport
import Testing

@Suite("Upgrades")
struct UpgradeTests {
    private static let version = Migration.all.count - 1
    private let program: Program
    private let data: URL

    /// A database of the schema before the newest, with an account.
    init() throws {
        program = try Program()
        data = program.folder.url.appending(path: "data")
        let database = try DatabaseFile(directory: data)
        _ = try database.migrate(Array(Migration.all.prefix(Self.version)))
        try database.close()
    }

    private var copy: URL { data.appending(path: "doggofinder-schema-\(Self.version).sqlite") }

    private func schema(_ file: URL) throws -> Int? {
        try StandaloneDatabase(file).read { db in try db.value("PRAGMA user_version") }
    }

    @Test("An upgrade tells how long it takes and leaves a copy, from which one can go back")
    func copies() throws {
        let old = data.appending(path: "doggofinder-schema-2.sqlite")
        try Data("old".utf8).write(to: old)
        let outcome = try program.run(["migrate"], data: data)
        let next = Migration.all.count
        #expect(outcome.status == 0 && outcome.output == "\(next) \(Migration.all[next - 1].name)\n")
        #expect(outcome.errors.contains("upgrade from schema \(Self.version) to \(next), 0 listings, about 1 s"))
        #expect(outcome.errors.contains("upgraded to schema \(next) in "))
        #expect(try schema(copy) == Self.version)
        // The copy of an earlier upgrade is not needed any more.
        #expect(!FileManager.default.fileExists(atPath: old.path))
        let database = data.appending(path: DatabaseFile.fileName)
        #expect(try schema(database) == next)
        // As the article describes it.
        for name in data.entries.map(\.lastPathComponent) where name.hasPrefix(DatabaseFile.fileName) {
            try FileManager.default.removeItem(at: data.appending(path: name))
        }
        try FileManager.default.moveItem(at: copy, to: database)
        #expect(try schema(database) == Self.version)
        #expect(try program.run(["migrate"], data: data).status == 0)
        #expect(try program.run(["migrate"], data: data).output == "up to date\n")
    }

    @Test("An upgrade can leave no copy, and every command upgrades")
    func without() throws {
        let outcome = try program.run(["migrate", "--without-copy", "--progress", "json"], data: data)
        #expect(outcome.status == 0 && outcome.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("{") })
        #expect(outcome.errors.contains(#""step":"upgrading""#))
        #expect(!FileManager.default.fileExists(atPath: copy.path))
        let other = try UpgradeTests()
        #expect(try other.program.run(["listings", "list"], data: other.data).status == 0)
        #expect(FileManager.default.fileExists(atPath: other.copy.path))
    }

    @Test("An upgrade that a signal ends changes nothing", arguments: [SIGINT, SIGTERM, SIGKILL])
    func interrupted(signal: CInt) throws {
        let folder = program.folder.url.appending(path: "large")
        let database = try Self.makeOldBoard(in: folder, listings: 20_000)
        let process = Program.process(["migrate", "--progress", "json", "--data", folder.path])
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        var text = ""
        while !text.contains(#""step":"upgrading""#) {
            let data = errors.fileHandleForReading.availableData
            try #require(!data.isEmpty, "\(text)")
            text += String(decoding: data, as: UTF8.self)
        }
        kill(process.processIdentifier, signal)
        text += String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == (signal == SIGKILL ? SIGKILL : 128 + signal))
        #expect(
            text.contains("interrupted: the database keeps schema 1, and nothing was changed") == (signal != SIGKILL)
        )
        #expect(try schema(database) == 1 && Self.count(database) == 20_000)
        #expect(try program.run(["migrate"], data: folder).status == 0)
        #expect(try schema(database) == Migration.all.count && Self.count(database) == 20_000)
    }

    private static func count(_ database: URL) throws -> Int? {
        try StandaloneDatabase(database).read { db in try db.value("SELECT count(*) FROM listing") }
    }

    /// Makes a database of the first schema.
    private static func makeOldBoard(in folder: URL, listings: Int) throws -> URL {
        let database = try DatabaseFile(directory: folder)
        _ = try database.migrate([Migration.all[0]])
        try database.close()
        let file = folder.appending(path: DatabaseFile.fileName)
        try StandaloneDatabase(file).write { db in
            try db.execute(
                "INSERT INTO account (uuid, role) VALUES ('00000000-0000-4000-8000-000000000000', 'guest')"
            )
            try db.execute(
                """
                WITH RECURSIVE row (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM row WHERE n < ?)
                INSERT INTO listing (uuid, account_id, status, species, created_at, updated_at, last_seen_at, geom,
                                     approximate, name, place, description)
                SELECT printf('00000000-0000-4000-8000-%012d', n), 1, 'lost', 'dog', '2026-11-01T10:00:00.000Z',
                       '2026-11-01T10:00:00.000Z', '2026-11-01T10:00:00.000Z',
                       MakePoint(10 + n % 400 / 100.0, 42 + n / 10000.0, 4326), 0, 'Birba', 'Roma', 'collar ' || n
                FROM row
                """,
                [listings]
            )
        }
        return file
    }

    @Test("A server refuses a schema of a newer version in words, and changes nothing")
    func newer() throws {
        let database = data.appending(path: DatabaseFile.fileName)
        try StandaloneDatabase(database).write { db in try db.execute("PRAGMA user_version = 99") }
        let refused = try program.run(["serve", "--port", "0"], data: data)
        #expect(refused.status == 1)
        #expect(
            refused.errors.contains(
                "the database has schema 99, from a newer version of the program; this version knows schema \(Migration.all.count)"
            ),
            "\(refused.errors)"
        )
        #expect(try schema(database) == 99)
    }
}
