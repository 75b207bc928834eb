package import Domain
package import Foundation
package import GRDB
package import Migrations
import SpatiaLite

/// The one SpatiaLite file all stores share: a writer, and readers that never wait for it (WAL).
package final class DatabaseFile: Sendable {
    package static let fileName = "doggofinder.sqlite"
    static let backupRecordName = "last-backup"

    package let url: URL
    package let faults: StorageFaults
    private let writer: DatabaseQueue
    let readers: ReadConnections
    private let commits: GroupCommit
    private let log: WriteAheadLog
    private let maxReadDuration: Duration?

    /// Opens the database in a folder, making both where they are missing. Does not migrate.
    ///
    /// - Parameter bulk: for one large write: takes a quarter of the memory, a gigabyte at most, instead of writing the
    ///   same pages to the log again and again.
    /// - Parameter longestRead: reads that take longer are given up, so that none holds up all that is written.
    package convenience init(directory: URL, bulk: Bool = false, maxReadDuration: Duration? = nil) throws {
        try self.init(directory: directory, bulk: bulk, maxReadDuration: maxReadDuration, log: WriteAheadLog.Limits())
    }

    init(directory: URL, bulk: Bool, maxReadDuration: Duration?, log limits: WriteAheadLog.Limits) throws {
        try Self.refuseLoss(directory)
        let isNew = !FileManager.default.fileExists(atPath: directory.appending(path: Self.fileName).path)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        url = directory.appending(path: Self.fileName)
        faults = StorageFaults(folder: directory)
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
        if isNew { Self.synchronize([directory, directory.deletingLastPathComponent()]) }
        configuration = .spatiaLite()
        configuration.readonly = true
        readers = ReadConnections(path: url.path, configuration)
        self.maxReadDuration = maxReadDuration
        log = WriteAheadLog(of: url, limits)
        commits = GroupCommit(writer, prepare: log.makeRoom)
    }

    /// SQLite takes an empty file for a new database, and would throw away the log beside it; and a new one would hide that the
    /// former one is gone.
    private static func refuseLoss(_ directory: URL) throws {
        let file = directory.appending(path: fileName)
        // In this order: a database that another process makes meanwhile is there before its log.
        guard hasRemains(directory), size(file) == 0 else { return }
        let isThere = FileManager.default.fileExists(atPath: file.path)
        throw ServiceError(
            .diskFailing,
            "\(file.path) is \(isThere ? "empty" : "gone"), but what belongs to it is there: "
                + "restore a backup; or empty the folder to begin anew"
        )
    }

    /// What there is only where there was a database.
    private static func hasRemains(_ directory: URL) -> Bool {
        let log = directory.appending(path: fileName + "-wal")
        let photos = FileManager.default.enumerator(
            at: directory.appending(path: "photos"),
            includingPropertiesForKeys: [.isRegularFileKey]
        )
        return size(log) > 0 || FileManager.default.fileExists(atPath: directory.appending(path: backupRecordName).path)
            || photos?.contains { ($0 as? URL)?.hasDirectoryPath == false } ?? false
    }

    private static func size(_ file: URL) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }

    /// Names reach the disk with the folders that hold them. Where that cannot be asked for, nothing more can be done.
    private static func synchronize(_ folders: [URL]) {
        for folder in folders { try? FileHandle(forReadingFrom: folder).synchronize() }
    }

    /// Brings the schema up to date and tells which steps it took. Throws where the file is newer than this program.
    package func migrate(_ migrations: [Migration] = Migration.all) throws -> [Migration] {
        try faults.explaining { try writer.writeWithoutTransaction { db in try Migrator(migrations).migrate(db) } }
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
        do { return try readers.read(within: maxReadDuration, body) } catch { throw faults.explain(error) }
    }

    /// Nil where it takes longer than it is worth.
    func readNow<Value>(atMost limit: Duration, _ body: (Database) throws -> Value) throws -> Value? {
        do { return try readers.read(atMost: limit, body) } catch { throw faults.explain(error) }
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
        } catch {
            throw faults.explain(error, isWrite: true)
        }
    }

    /// What keeps writes from succeeding, where the last one that the disk refused was no passing matter: this tries again.
    package func writeFault() async -> StorageFault? {
        guard let known = faults.writing else { return nil }
        guard !faults.isFull else { return .full }
        do {
            // The smallest write there is: what it says stays as it was.
            try await write { db in
                let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
                try db.execute(sql: "PRAGMA user_version = \(version)")
            }
        } catch {
            return faults.writing ?? known
        }
        faults.writingSucceeds()
        return nil
    }

    /// How many writes wait for the next commit.
    package var writesWaiting: Int { commits.waiting }

    /// Brings all that is in the log into the file, where it overwrites what was deleted. False where somebody reads.
    package func checkpoint() async throws -> Bool {
        try await writer.writeWithoutTransaction { [log] db in log.empty(db) == .SQLITE_OK }
    }

    /// Copies a consistent state into another database file while this one is in use.
    package func backup(to destination: URL, progress: @escaping (Double) -> Void) throws {
        try Self.copy(url, to: destination, progress: progress)
    }

    /// The same of any file, which is only read, with what stands in the log beside it.
    package static func copy(_ file: URL, to destination: URL, progress: @escaping (Double) -> Void) throws {
        // SQLite takes an empty file for a new database, and would throw away the log beside it.
        guard size(file) > 0 else { throw ServiceError(.diskFailing, "\(file.path) is empty or cannot be read") }
        let target = try DatabaseQueue(path: destination.path)
        let source = try readOnly(file)
        defer { try? source.close() }
        // One state from first to last: without a transaction of its own the copy would begin anew at each write of another process.
        try source.read { db in
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master")
            try target.writeWithoutTransaction { copy in
                try db.backup(to: copy, pagesPerStep: 1000) { step in
                    progress(
                        step.totalPageCount == 0 ? 1 : Double(step.completedPageCount) / Double(step.totalPageCount)
                    )
                }
            }
        }
        // A copy of a WAL database would want its own -wal file; a backup is one file.
        try target.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA journal_mode = DELETE") }
        try target.close()
    }

    static func readOnly(_ file: URL) throws -> DatabaseQueue {
        var configuration = Configuration.spatiaLite()
        configuration.readonly = true
        return try DatabaseQueue(path: file.path, configuration: configuration)
    }

    /// How the schema of a copy stands to this program's.
    package static func schemaAge(ofCopy copy: URL) throws -> SchemaAge {
        let queue = try readOnly(copy)
        defer { try? queue.close() }
        return SchemaAge(version: try queue.read { db in try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0 })
    }

    /// Copies of earlier schemas do not have all of them.
    package static func hasTable(_ table: String, inCopy copy: URL) throws -> Bool {
        let queue = try readOnly(copy)
        defer { try? queue.close() }
        return try queue.read { db in try db.tableExists(table) }
    }

    /// Brings a copy, which nobody uses yet, to this program's schema.
    package static func migrate(copy: URL) throws {
        let queue = try DatabaseQueue(path: copy.path, configuration: .spatiaLite())
        _ = try queue.writeWithoutTransaction { db in try Migrator(Migration.all).migrate(db) }
        try queue.close()
    }

    package func close() throws {
        try readers.close()
        try writer.close()
    }
}
