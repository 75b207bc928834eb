import CSpatiaLite
package import GRDB

extension Configuration {
    /// Connections with SpatiaLite on board, foreign keys checked, and every commit on disk before it is acknowledged.
    package static var spatiaLite: Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        // Another process, such as the command line beside the server, may be writing.
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { db in
            let code = spatialite_install(db.sqliteConnection)
            guard code == 0 else { throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "SpatiaLite") }
            try db.execute(sql: "PRAGMA synchronous = FULL")
            // KiB, taken only as far as pages are read; the 2 MiB of old make a board of 100,000 read from the kernel.
            try db.execute(sql: "PRAGMA cache_size = -65536")
            try db.execute(sql: "PRAGMA trusted_schema = ON")
        }
        return configuration
    }
}
