import Foundation
package import GRDB
import Synchronization

extension DatabaseQueue {
    private static let opening = Mutex(())

    /// Opens a temporary database for imports, which SQLite moves to disk when it grows. It contains all reference
    /// systems. With `readsFiles`, SpatiaLite may read and write files on this connection, but on no other one.
    package static func scratch(readsFiles: Bool = false) throws -> DatabaseQueue {
        var configuration = Configuration.spatiaLite()
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE")
        }
        // SpatiaLite reads this setting only from the environment, when a connection opens.
        let scratch = try opening.withLock { _ in
            if readsFiles { setenv("SPATIALITE_SECURITY", "relaxed", 1) }
            defer { unsetenv("SPATIALITE_SECURITY") }
            return try DatabaseQueue(path: "", configuration: configuration)
        }
        try scratch.inDatabase { db in _ = try Int.fetchOne(db, sql: "SELECT InitSpatialMetaDataFull(1)") }
        return scratch
    }
}
