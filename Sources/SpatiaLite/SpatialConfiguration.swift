import CSpatiaLite
package import GRDB

/// The maximum size of the memory-mapped part of the file in bytes. It uses address space and not memory; Debian's
/// SQLite maps no more.
private let mappedBytes = 2 << 30

/// Configures SQLite once, before the first connection. If another part of the process has opened a connection before,
/// the setting has no effect and SQLite is only slower.
private let sqliteIsConfigured = sqlite_configure() == 0

extension Configuration {
    /// The time in seconds that a writer waits for another writer.
    package static let patience = 10.0

    /// Returns a configuration with SpatiaLite and foreign key checks.
    ///
    /// - Parameter writerCache: The size of the writer's page cache in MiB.
    package static func spatiaLite(writerCache: Int = 64) -> Configuration {
        _ = sqliteIsConfigured
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.prepareDatabase { db in
            // Another process may be writing, such as the command-line tool beside the server.
            db.waitForLocks()
            let code = spatialite_install(db.sqliteConnection)
            guard code == 0 else { throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "SpatiaLite") }
            db.add(function: .caseFolding)
            db.add(function: .accentRemoval)
            // Readers use the memory map and thus the kernel's page cache, which they share; their own caches (in KiB)
            // only hold pages that are still in the write-ahead log. The writer modifies pages and needs them in its
            // own cache.
            try db.execute(sql: "PRAGMA mmap_size = \(mappedBytes)")
            try db.execute(sql: "PRAGMA cache_size = \(-1024 * (db.configuration.readonly ? 4 : writerCache))")
            // With this setting, the rollback data of a single statement and its triggers is not written to a file.
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
            try db.execute(sql: "PRAGMA trusted_schema = ON")
        }
        return configuration
    }
}

extension Database {
    /// Makes the connection wait for locks, as all connections of this program do.
    package func waitForLocks() {
        guard let connection = sqliteConnection else { return }
        sqlite_wait_for_locks(connection, CInt(Configuration.patience * 1000))
    }
    /// Frees the page cache and returns free memory of the process to the system.
    package func releaseCache() {
        guard let connection = sqliteConnection else { return }
        sqlite_release_cache(connection)
    }
}
