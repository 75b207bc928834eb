package import Foundation
package import SQL
import Synchronization

/// A database file on a single connection, for copies, checks, imports and temporary databases. The database of the
/// service is a `DatabaseFile` of `Storage`.
package struct StandaloneDatabase: Sendable {
    private static let opening = Mutex(())

    private let queue: SQLiteQueue

    private init(_ connection: SQLiteConnection) {
        queue = SQLiteQueue(connection)
    }

    package init(_ file: URL, isReadOnly: Bool = false) throws {
        self.init(try .spatiaLite(file.path, isReadOnly: isReadOnly))
    }

    package static func inMemory() throws -> StandaloneDatabase {
        StandaloneDatabase(try .spatiaLite(":memory:"))
    }

    /// Opens a temporary database, which SQLite moves to disk when it grows and deletes when it is closed. Failed
    /// transactions are not rolled back.
    ///
    /// - Parameter readsFiles: SpatiaLite may read and write files on this connection, but on no other one.
    package static func temporary(readsFiles: Bool = false) throws -> StandaloneDatabase {
        // SpatiaLite reads this setting only from the environment, when a connection opens.
        let database = try opening.withLock { _ in
            if readsFiles { setenv("SPATIALITE_SECURITY", "relaxed", 1) }
            defer { unsetenv("SPATIALITE_SECURITY") }
            return StandaloneDatabase(try .spatiaLite(""))
        }
        try database.run { db in
            try db.run(script: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE")
        }
        return database
    }

    /// Opens a temporary database that contains all reference systems.
    package static func scratch(readsFiles: Bool = false) throws -> StandaloneDatabase {
        let scratch = try temporary(readsFiles: readsFiles)
        try scratch.run { db in try db.execute("SELECT InitSpatialMetaDataFull(1)") }
        return scratch
    }

    /// Runs `body` without a transaction.
    @discardableResult
    package func run<Value>(_ body: (SQLConnection) throws -> Value) throws -> Value {
        try queue.run(body)
    }

    /// Runs `body` on one consistent snapshot.
    package func read<Value>(_ body: (SQLConnection) throws -> Value) throws -> Value {
        try queue.run { db in try db.sqlite.transaction(.deferred) { try body(db) } }
    }

    /// Runs `body` in one transaction.
    @discardableResult
    package func write<Value>(_ body: (SQLConnection) throws -> Value) throws -> Value {
        try queue.run { db in try db.sqlite.transaction { try body(db) } }
    }

    package func close() throws {
        try queue.close()
    }
}
