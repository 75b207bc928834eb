package import Domain
import Foundation
import GRDB
import SpatiaLite

/// Statistics that can be read without counting large tables.
package struct DatabaseStatistics: Sendable {
    /// The number of open listings that are not hidden, by status and species.
    package let listings: [(status: String, species: String, count: Int)]
    package let accounts: Int
    /// The number of reported listings, photos and messages on which no moderator has decided.
    package let openReports: Int
    /// The number of events since the database was created.
    package let events: Int
    package let schema: Int
    /// In bytes.
    package let databaseSize: Int
    /// In bytes.
    package let logSize: Int
}

extension DatabaseFile {
    package func statistics() throws -> DatabaseStatistics {
        try readNow { db in
            // The cells of the coarsest level have only a few dozen rows.
            let level = Int64(CellCover.levels[0])
            let scan = try PreparedStatement(
                db,
                """
                SELECT status, species, sum(listings) FROM board_count
                WHERE cell >= ? AND cell < ? GROUP BY status, species ORDER BY status, species
                """,
                [.integer(level << 28), .integer((level + 1) << 28)]
            )
            var listings: [(status: String, species: String, count: Int)] = []
            while try scan.next() {
                listings.append((scan.row.string(0) ?? "", scan.row.string(1) ?? "", Int(scan.integer(2))))
            }
            return DatabaseStatistics(
                listings: listings,
                accounts: try Int.fetchOne(db, sql: "SELECT count(*) FROM account") ?? 0,
                openReports: try Int.fetchOne(db, sql: "SELECT count(*) FROM report_case WHERE status = 'open'") ?? 0,
                events: try Int.fetchOne(db, sql: "SELECT max(id) FROM event") ?? 0,
                schema: try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0,
                databaseSize: Self.size(of: url.path),
                logSize: Self.size(of: url.path + "-wal")
            )
        }
    }

    private static func size(of path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }

    private var backupRecord: URL { url.deletingLastPathComponent().appending(path: DatabaseFile.backupRecordName) }

    /// The time at which the last backup that passed its check was started; nil if unknown.
    package var lastBackup: Timestamp? {
        guard let text = try? String(contentsOf: backupRecord, encoding: .utf8), Timestamp(parsing: text) != nil else {
            return nil
        }
        return Timestamp(stored: text)
    }

    /// Stores the time in a file beside the database, so that the age of the last backup can be monitored.
    package func recordBackup(begunAt time: Timestamp) throws {
        try Data(time.text.utf8).write(to: backupRecord, options: .atomic)
    }
}
