import Foundation
import Migrations
import SQL
import SpatiaLite
import Storage
import TestSupport
import Testing

/// Measures `Migration.secondsPerMillionListings`: copies the listings of a data folder, such as one that `doggofinder
/// demo` has made, into a database of the first schema, and upgrades it step by step.
@Suite("Time of migrations", .serialized, .enabled(if: TestDatabase.isFile, "about database files"))
struct MigrationTimeTests {
    private static let folder = ProcessInfo.processInfo.environment["DOGGOFINDER_MIGRATED_BOARD"].map {
        URL(filePath: $0)
    }

    @Test(
        "The time of each migration is printed",
        .enabled(if: folder != nil, "DOGGOFINDER_MIGRATED_BOARD names no data folder")
    )
    func times() throws {
        let source = try #require(Self.folder).appending(path: DatabaseFile.fileName)
        let folder = try TemporaryFolder()
        let database = try DatabaseFile(directory: folder.url)
        _ = try database.migrate([Migration.all[0]])
        try database.close()
        let listings = try Self.copy(source, to: folder.url.appending(path: DatabaseFile.fileName))
        for version in 2...Migration.all.count {
            let database = try DatabaseFile(directory: folder.url)
            let begin = ContinuousClock.now
            _ = try database.migrate(Array(Migration.all.prefix(version)))
            let seconds = (ContinuousClock.now - begin) / .seconds(1)
            let log = try? FileManager.default.attributesOfItem(atPath: database.url.path + "-wal")[.size]
            print(
                "\(version) \(Migration.all[version - 1].name): \(seconds) s for \(listings),",
                "\(seconds / Double(listings) * 1_000_000) s a million, log \(log ?? 0)"
            )
            try database.close()
        }
    }

    private static func copy(_ source: URL, to file: URL) throws -> Int {
        let database = try StandaloneDatabase(file)
        try database.run { db in try db.execute("ATTACH ? AS source", [source.path]) }
        return try database.write { db in
            for table in ["account", "listing"] {
                let known = try Set(db.values("SELECT name FROM pragma_table_info(?, 'source')", [table]) as [String])
                let columns = try (db.values("SELECT name FROM pragma_table_info(?)", [table]) as [String])
                    .filter(known.contains).joined(separator: ", ")
                try db.execute("INSERT INTO \(table) (\(columns)) SELECT \(columns) FROM source.\(table)")
            }
            return try db.value("SELECT count(*) FROM listing") ?? 0
        }
    }
}
