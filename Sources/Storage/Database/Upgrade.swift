package import Foundation
package import Migrations
import SQL

/// The migrations that bring a database with data up to date, with what an operator wants to know before they begin.
package struct Upgrade: Sendable {
    package let migrations: [Migration]
    /// The schema of the database before the upgrade.
    package let schema: Int
    package let listings: Int
    /// The size of the database, including what only the write-ahead log contains.
    package let bytes: Int
    /// The copy of the database that is made before the first migration; nil if none is made.
    package let copy: URL?

    package var newSchema: Int { schema + migrations.count }

    /// How long the migrations probably take. The time depends on the machine and on the texts of the listings.
    package var expectedSeconds: Double {
        migrations.map(\.secondsPerMillionListings).reduce(0, +) * Double(listings) / 1_000_000
    }

    /// Applies the missing migrations to a database that is open.
    static func run(
        _ db: SQLConnection,
        _ file: URL,
        _ migrations: [Migration],
        keepingCopy: Bool,
        _ progress: (UpgradeProgress) throws -> Void
    ) throws -> [Migration] {
        // A new database has nothing to sort, and needs no folder for temporary files.
        if try db.schemaVersion > 0 { try sortInFiles(db, in: file.deletingLastPathComponent()) }
        defer { try? db.run(script: "PRAGMA temp_store = MEMORY") }
        let formerCopies = UpgradeCopy.files(in: file.deletingLastPathComponent())
        var upgrade: Upgrade?
        var number = 0
        let done = try Migrator(migrations).migrate(
            db,
            beginning: { schema, missing in
                // A database without a schema is new.
                guard schema > 0 else { return }
                let new = try Upgrade(
                    migrations: missing,
                    schema: schema,
                    listings: db.count("listing"),
                    bytes: db.value("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size") ?? 0,
                    copy: keepingCopy ? UpgradeCopy.file(schema: schema, beside: file) : nil
                )
                upgrade = new
                try progress(.begins(new))
                guard let copy = new.copy else { return }
                try UpgradeCopy.requireRoom(for: new, in: file.deletingLastPathComponent())
                try withoutActuallyEscaping(progress) { progress in
                    try UpgradeCopy.make(copy, of: file) { try progress(.copying(fraction: $0)) }
                }
            },
            progress: { migration, statement in
                guard upgrade != nil else { return }
                if statement == 1 { number += 1 }
                try progress(.migrating(migration, number: number, statement: statement))
            },
            committing: { if upgrade != nil { try progress(.committing) } }
        )
        if let copy = upgrade?.copy, !done.isEmpty {
            // One copy is enough, and each contains personal data.
            for former in formerCopies where former.lastPathComponent != copy.lastPathComponent {
                try? FileManager.default.removeItem(at: former)
            }
        }
        return done
    }

    /// Migrations sort whole tables: a million listings would take a gigabyte of memory. The files are in the data folder,
    /// whose disk has been checked for room, because other folders for temporary files may be small or in memory.
    private static func sortInFiles(_ db: SQLConnection, in folder: URL) throws {
        let path = folder.path.replacing("'", with: "''")
        try db.run(script: "PRAGMA temp_store_directory = '\(path)'; PRAGMA temp_store = FILE")
    }
}

/// The next step of an upgrade.
package enum UpgradeProgress: Sendable {
    case begins(Upgrade)
    /// - Parameter fraction: the part of the database that is copied.
    case copying(fraction: Double)
    /// - Parameter number: counts the migrations of this upgrade from 1.
    case migrating(Migration, number: Int, statement: Int)
    /// All migrations are done and are being written to the disk.
    case committing
}
