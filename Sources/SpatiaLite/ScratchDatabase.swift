import Foundation
package import GRDB
import Synchronization

extension DatabaseQueue {
    private static let opening = Mutex(())

    /// A database that is thrown away, on disk where it grows, with all reference systems, whose SpatiaLite may read and write
    /// files where it must: for imports. No other connection may.
    package static func scratch(readsFiles: Bool = false) throws -> DatabaseQueue {
        var configuration = Configuration.spatiaLite()
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE")
        }
        // SpatiaLite looks at the environment when a connection opens, and knows no other way to be told.
        let scratch = try opening.withLock { _ in
            if readsFiles { setenv("SPATIALITE_SECURITY", "relaxed", 1) }
            defer { unsetenv("SPATIALITE_SECURITY") }
            return try DatabaseQueue(path: "", configuration: configuration)
        }
        try scratch.inDatabase { db in _ = try Int.fetchOne(db, sql: "SELECT InitSpatialMetaDataFull(1)") }
        return scratch
    }
}
