import CSpatiaLite
package import GRDB

/// How much of the file is mapped: address space, not memory. Debian's SQLite maps no more.
private let mappedBytes = 2 << 30

/// Once, before the first connection; where another part of the process was quicker, nothing is lost but speed.
private let sqliteIsConfigured = sqlite_configure() == 0

extension Configuration {
    /// How long a writer waits for another one, seconds.
    package static let patience = 10.0

    /// Connections with SpatiaLite on board and foreign keys checked.
    ///
    /// - Parameter writerCache: how much of what it changes the writer keeps in memory, MiB.
    package static func spatiaLite(writerCache: Int = 64) -> Configuration {
        _ = sqliteIsConfigured
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        // Another process, such as the command line beside the server, may be writing.
        configuration.busyMode = .timeout(patience)
        configuration.prepareDatabase { db in
            let code = spatialite_install(db.sqliteConnection)
            guard code == 0 else { throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "SpatiaLite") }
            db.add(function: .caseFolding)
            db.add(function: .accentRemoval)
            // Readers see the file through the kernel's page cache, which all of them share; their own caches (KiB)
            // hold what is still in the log. The writer changes pages and needs them in its own.
            try db.execute(sql: "PRAGMA mmap_size = \(mappedBytes)")
            try db.execute(sql: "PRAGMA cache_size = \(-1024 * (db.configuration.readonly ? 4 : writerCache))")
            // What undoes a single statement, with all that its triggers did, would else be written to a file.
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
            try db.execute(sql: "PRAGMA trusted_schema = ON")
        }
        return configuration
    }
}
