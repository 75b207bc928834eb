import Domain
package import Foundation
package import SQL

/// The files of imports that have not ended. In PostgreSQL they are rows; otherwise they are in a folder.
package enum ImportFileCopy {
    /// Writes the files that a PostgreSQL database contains into a folder, as far as they are not there.
    package static func write(from database: any Database, to folder: URL) throws {
        guard database.engine == .postGIS else { return }
        for id in try database.readNow({ db in try waiting(db) }) {
            let url = folder.appending(path: id.lowercased)
            guard !FileManager.default.fileExists(atPath: url.path) else { continue }
            _ = try ListingImportStore(database).readFile(of: id, to: url)
        }
    }

    /// Inserts the files of a folder into a PostgreSQL database.
    package static func insert(from folder: URL, _ db: SQLConnection) throws {
        guard db.engine == .postGIS else { return }
        for id in try waiting(db) {
            let url = folder.appending(path: id.lowercased)
            guard FileManager.default.fileExists(atPath: url.path),
                let key: Int64 = try db.value("SELECT id FROM listing_import WHERE uuid = ?", [id])
            else { continue }
            try ListingImportStore.insert(url, of: key, db)
        }
    }

    private static func waiting(_ db: SQLConnection) throws -> [UUID] {
        try db.values("SELECT uuid FROM listing_import WHERE state IN ('waiting', 'running') OR dry_run ORDER BY id")
    }
}
