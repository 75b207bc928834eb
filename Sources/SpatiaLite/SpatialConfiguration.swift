import CSpatiaLite
package import SQL

/// The maximum size of the memory-mapped part of the file in bytes. It uses address space and not memory; Debian's
/// SQLite maps no more.
private let mappedBytes = 2 << 30

extension SQLiteConnection {
    /// Opens a database with SpatiaLite.
    ///
    /// - Parameters:
    ///   - path: of the file; empty for a temporary database, `:memory:` for one in memory.
    ///   - cache: The size of a writer's page cache in MiB.
    package static func spatiaLite(
        _ path: String,
        isReadOnly: Bool = false,
        cache: Int = 64
    ) throws -> SQLiteConnection {
        try SQLiteConnection(path, isReadOnly: isReadOnly) { connection in
            guard let handle = connection.handle else { return }
            let code = spatialite_install(handle)
            guard code == SQLITE_OK else { throw SQLiteError(code, "SpatiaLite") }
            try connection.addTextFunctions()
            // Readers use the memory map and thus the kernel's page cache, which they share; their own caches (in KiB)
            // only hold pages that are still in the write-ahead log. The writer modifies pages and needs them in its
            // own cache. With `temp_store`, the rollback data of a single statement and its triggers is not written to
            // a file.
            try SQLConnection(connection).run(
                script: """
                    PRAGMA mmap_size = \(mappedBytes);
                    PRAGMA cache_size = \(-1024 * (isReadOnly ? 4 : cache));
                    PRAGMA temp_store = MEMORY;
                    PRAGMA trusted_schema = ON
                    """
            )
        }
    }
}
