import Domain
import Foundation
import Migrations
import SQL
import TestSupport
import Testing

@testable import Storage

@Suite("Upgrades of databases", .enabled(if: TestDatabase.isFile, "about database files"))
struct UpgradeTests {
    private struct Stop: Error {}

    private static func database(schema: Int) throws -> (TemporaryFolder, DatabaseFile) {
        let folder = try TemporaryFolder()
        let database = try DatabaseFile(directory: folder.url)
        _ = try database.migrate(Array(Migration.all.prefix(schema)))
        return (folder, database)
    }

    private static func schema(_ database: DatabaseFile) throws -> Int? {
        try database.readNow { db in try db.value("PRAGMA user_version") }
    }

    /// - Parameter step: the number of the step that fails; nil for the last one.
    @Test(
        "An upgrade that ends anywhere leaves the former schema and no part of a copy",
        arguments: [0, 1, 2, 20, nil]
    )
    func interrupted(step: Int?) throws {
        let (folder, database) = try Self.database(schema: 20)
        var steps = 0
        #expect(throws: Stop.self) {
            try database.migrate(keepingCopy: true) { progress in
                if steps == step { throw Stop() }
                if case .committing = progress { throw Stop() }
                steps += 1
            }
        }
        #expect(try Self.schema(database) == 20)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            .filter { !$0.hasPrefix(DatabaseFile.fileName) }
        #expect(Set(left).isSubset(of: ["doggofinder-schema-20.sqlite"]))
        #expect(try database.migrate(keepingCopy: true).count == Migration.all.count - 20)
    }

    @Test("An upgrade begins with what it will do and reports each migration")
    func progress() throws {
        let (folder, database) = try Self.database(schema: 24)
        defer { withExtendedLifetime(folder) {} }
        var plan: Upgrade?
        var numbers: [Int] = []
        _ = try database.migrate { step in
            switch step {
            case .begins(let upgrade): plan = upgrade
            case .migrating(_, let number, statement: 1): numbers.append(number)
            default: break
            }
        }
        #expect(plan?.schema == 24 && plan?.newSchema == Migration.all.count && plan?.copy == nil)
        #expect(numbers == Array(1...Migration.all.count - 24))
        let (newFolder, new) = try Self.database(schema: 0)
        defer { withExtendedLifetime(newFolder) {} }
        _ = try new.migrate { _ in Issue.record("a new database is not upgraded") }
    }

    @Test("Without room for a copy an upgrade is refused with the numbers")
    func room() throws {
        let (folder, _) = try Self.database(schema: 24)
        let missing = Array(Migration.all.dropFirst(24))
        let copy = folder.url.appending(path: "copy")
        let large = Upgrade(migrations: missing, schema: 24, listings: 0, bytes: 1 << 55, copy: copy)
        let error = #expect(throws: ServiceError.self) { try UpgradeCopy.requireRoom(for: large, in: folder.url) }
        #expect(error?.code == .diskFull)
        #expect(
            error?.message.text.contains("needs 72057594038 MB in \(folder.url.path)") == true,
            "\(error?.message.text ?? "")"
        )
        let small = Upgrade(migrations: missing, schema: 24, listings: 0, bytes: 1, copy: copy)
        try UpgradeCopy.requireRoom(for: small, in: folder.url)
    }

    @Test("Copies are removed after 30 days")
    func removal() throws {
        let (folder, database) = try Self.database(schema: 24)
        _ = try database.migrate(keepingCopy: true)
        let copy = folder.url.appending(path: "doggofinder-schema-24.sqlite")
        database.removeOldUpgradeCopies(now: Timestamp.now.adding(seconds: 29 * 86_400))
        #expect(FileManager.default.fileExists(atPath: copy.path))
        database.removeOldUpgradeCopies(now: Timestamp.now.adding(seconds: 31 * 86_400))
        #expect(!FileManager.default.fileExists(atPath: copy.path))
    }

    @Test("The expected time grows with the number of listings")
    func estimate() {
        let one = Upgrade(migrations: Migration.all, schema: 0, listings: 1_000_000, bytes: 1, copy: nil)
        let half = Upgrade(migrations: Migration.all, schema: 0, listings: 500_000, bytes: 1, copy: nil)
        #expect(one.expectedSeconds > 0 && half.expectedSeconds == one.expectedSeconds / 2)
    }
}
