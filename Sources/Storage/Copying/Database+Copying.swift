package import Domain
package import Foundation
import SQL
import SpatiaLite

/// How a copy uses each kind of database.
extension Database {
    /// Makes servers refuse to start on the database, until the result is released. Throws `conflict` if one runs.
    package func lockAgainstServers() throws -> AnyObject {
        if let server = self as? PostgresDatabase { return try server.lockAgainstNodes() }
        return try FolderLock.server(folder)
    }

    /// Runs a read on one snapshot without a time limit.
    func readSnapshot<Value>(_ body: (SQLConnection) throws -> Value) throws -> Value {
        switch self {
        case let file as DatabaseFile: try file.readers.read(within: .init(), body)
        case let server as PostgresDatabase: try server.read(within: nil, body)
        default: throw ServiceError(.unavailable, "this kind of database cannot be copied")
        }
    }

    /// Runs `body` on a connection of its own, whose commits survive the end of the process, but reach the disk later.
    func writeCopy<Value>(_ body: (SQLConnection) throws -> Value) throws -> Value {
        switch self {
        case let file as DatabaseFile:
            let database = try StandaloneDatabase(file.url)
            defer { try? database.close() }
            return try database.run { db in
                // The cache, in KiB, holds the pages of all indexes of searches. The log grows to 64 MiB.
                try db.run(
                    script: """
                        PRAGMA synchronous = NORMAL; PRAGMA cache_size = -262144; PRAGMA wal_autocheckpoint = 16384
                        """
                )
                try ListingDerivation.prepare(db)
                return try body(db)
            }
        case let server as PostgresDatabase:
            return try server.withConnection { db in
                // For the statements of this program, parallel workers and compilation take longer than they save.
                try db.run(
                    script: """
                        SET synchronous_commit = off; SET jit = off; SET max_parallel_workers_per_gather = 0
                        """
                )
                return try body(db)
            }
        default: throw ServiceError(.unavailable, "this kind of database cannot be copied to")
        }
    }
}

extension PostgresDatabase {
    /// Copies a consistent state without the waiting mails into a new database file while servers run.
    ///
    /// - Parameter destination: the file, with the name that database files have.
    package func backup(
        to destination: URL,
        progress: @escaping (DatabaseCopy.Step, TaskProgress) -> Void
    ) throws {
        let file = try DatabaseFile(directory: destination.deletingLastPathComponent())
        _ = try file.migrate()
        _ = try DatabaseCopy.run(from: self, to: file, progress: progress)
        try file.close()
        try DatabaseFile.makeSingleFile(destination)
        try DatabaseFile.removeMails(inCopy: destination)
    }

    /// Copies a migrated copy of a backup into this database, which must be empty, and prepares it for use.
    ///
    /// - Parameter copy: the file, with the name that database files have.
    package func restore(
        _ copy: URL,
        by actor: Audit.Actor,
        progress: @escaping (DatabaseCopy.Step, TaskProgress) -> Void
    ) throws {
        let file = try DatabaseFile(directory: copy.deletingLastPathComponent())
        _ = try DatabaseCopy.run(from: file, to: self, progress: progress) { db in
            try DatabaseFile.restore(db, by: actor)
        }
        try file.close()
    }
}
