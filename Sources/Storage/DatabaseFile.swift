import Domain
package import Foundation
package import GRDB
package import Migrations
import SpatiaLite

/// The one SpatiaLite file all stores share: a writer, and readers that never wait for it (WAL).
package final class DatabaseFile: Sendable {
    package static let fileName = "doggofinder.sqlite"

    package let url: URL
    private let writer: DatabaseQueue
    private let readers: Readers
    private let commits: GroupCommit
    private let longestRead: Duration?

    /// Opens the database in a folder, making both where they are missing. Does not migrate.
    ///
    /// - Parameter bulk: for one large write: takes a quarter of the memory, a gigabyte at most, instead of writing the
    ///   same pages to the log again and again.
    /// - Parameter longestRead: reads that take longer are given up, so that none holds up all that is written.
    package convenience init(directory: URL, bulk: Bool = false, longestRead: Duration? = nil) throws {
        try self.init(directory: directory, bulk: bulk, longestRead: longestRead, log: WriteAheadLog.Limits())
    }

    init(directory: URL, bulk: Bool, longestRead: Duration?, log limits: WriteAheadLog.Limits) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        url = directory.appending(path: Self.fileName)
        let memory = Int(ProcessInfo.processInfo.physicalMemory >> 20)
        var configuration = Configuration.spatiaLite(writerCache: bulk ? min(1024, memory / 4) : 64)
        configuration.journalMode = .wal
        writer = try DatabaseQueue(path: url.path, configuration: configuration)
        // On disk before it is acknowledged: GRDB's way of opening a log leaves that to the next checkpoint.
        try writer.inDatabase { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            // Pages. What is changed again and again is copied from the log to its place once in 32 MiB, not in 4.
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 8000")
        }
        configuration = .spatiaLite()
        configuration.readonly = true
        readers = Readers(path: url.path, configuration)
        self.longestRead = longestRead
        let log = WriteAheadLog(of: url, limits)
        commits = GroupCommit(writer, prepare: log.makeRoom)
    }

    /// Brings the schema up to date and tells which steps it took. Throws where the file is newer than this program.
    package func migrate(_ migrations: [Migration] = Migration.all) throws -> [Migration] {
        try writer.writeWithoutTransaction { db in try Migrator(migrations).migrate(db) }
    }

    /// Sees one state of the database from first to last.
    ///
    /// It runs on the caller's thread: reads take a fraction of a millisecond and never wait for the writer, while
    /// handing them to another thread and back costs as much again.
    package func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
        try readNow(body)
    }

    /// The same for callers that cannot wait.
    package func readNow<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try readers.read(within: longestRead, body)
    }

    /// Nil where it takes longer than it is worth.
    func readNow<Value>(atMost limit: Duration, _ body: (Database) throws -> Value) throws -> Value? {
        try readers.read(atMost: limit, body)
    }

    /// Throws where the database does not answer, or is not migrated.
    package func ping() async throws {
        try await read { db in _ = try Int.fetchOne(db, sql: "SELECT id FROM listing LIMIT 1") }
    }

    /// All of it happens, or none; done when it is on disk. Writes that come together share a commit, so the body may
    /// run more than once, the first times in vain: it changes nothing but the database.
    package func write<Value: Sendable>(_ body: @Sendable @escaping (Database) throws -> Value) async throws -> Value {
        do {
            return try await commits.write(body)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            throw ServiceError(.unavailable, "another program is writing to the database: try again in a moment")
        }
    }

    /// How many writes wait for the next commit.
    package var writesWaiting: Int { commits.waiting }

    /// Copies a consistent state into another database file while this one is in use.
    package func backup(to destination: URL, progress: @escaping (Double) -> Void) throws {
        let target = try DatabaseQueue(path: destination.path)
        let source = try DatabaseQueue(path: url.path, configuration: .spatiaLite())
        try source.backup(to: target, pagesPerStep: 1000) { step in
            progress(step.totalPageCount == 0 ? 1 : Double(step.completedPageCount) / Double(step.totalPageCount))
        }
        // A copy of a WAL database would want its own -wal file; a backup is one file.
        try target.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA journal_mode = DELETE") }
        try target.close()
    }

    package func close() throws {
        try readers.close()
        try writer.close()
    }
}
