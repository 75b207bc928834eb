import CSpatiaLite
package import Domain
package import Foundation
package import Migrations
package import SQL
import SpatiaLite
import Synchronization

/// The SpatiaLite database file that all stores share: writers that take turns, and readers that never wait for them (WAL
/// mode).
package final class DatabaseFile: Database {
    package static let fileName = "doggofinder.sqlite"
    static let backupRecordName = "last-backup"

    package let url: URL
    package let faults: StorageFaults
    private let writer: SQLiteQueue
    let readers: ReadConnections
    private let commits: GroupCommit
    /// The commits of each kind of batches, which have a connection of their own.
    private let batches = Mutex<[String: GroupCommit]>([:])
    /// Belongs to the connection that is writing a group.
    private let turn = DispatchSemaphore(value: 1)
    private let log: WriteAheadLog
    private let maxReadDuration: Duration?

    /// Opens the database in a folder and creates both if they do not exist. Does not migrate the schema.
    ///
    /// - Parameter bulk: use `true` for one large write. The writer's page cache is then a quarter of the memory, at
    ///   most 1 GiB, so that SQLite does not write the same pages to the log repeatedly.
    /// - Parameter maxReadDuration: reads that take longer are interrupted, because a long read prevents the log from
    ///   being emptied.
    package convenience init(directory: URL, bulk: Bool = false, maxReadDuration: Duration? = nil) throws {
        try self.init(directory: directory, bulk: bulk, maxReadDuration: maxReadDuration, log: WriteAheadLog.Limits())
    }

    init(directory: URL, bulk: Bool, maxReadDuration: Duration?, log limits: WriteAheadLog.Limits) throws {
        try Self.throwIfDatabaseLost(directory)
        let isNew = !FileManager.default.fileExists(atPath: directory.appending(path: Self.fileName).path)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        url = directory.appending(path: Self.fileName)
        faults = StorageFaults(folder: directory)
        let memory = Int(ProcessInfo.processInfo.physicalMemory >> 20)
        log = WriteAheadLog(of: url, limits)
        writer = try Self.openWriter(url, log, cache: bulk ? min(1024, memory / 4) : 64)
        if isNew { Self.synchronize([directory, directory.deletingLastPathComponent()]) }
        readers = ReadConnections(path: url.path)
        self.maxReadDuration = maxReadDuration
        commits = GroupCommit(
            FileWriter(queue: writer) { [log, faults] db in try Self.prepare(db, log, faults) },
            turn: turn
        )
    }

    /// - Parameter cache: The size of the page cache in MiB.
    private static func openWriter(_ url: URL, _ log: WriteAheadLog, cache: Int) throws -> SQLiteQueue {
        let connection = try SQLiteConnection.spatiaLite(url.path, cache: cache)
        try connection.useWriteAheadLog()
        log.follow(connection)
        return SQLiteQueue(connection)
    }

    private static func prepare(_ db: SQLConnection, _ log: WriteAheadLog, _ faults: StorageFaults) throws {
        try log.makeRoom(db.sqlite, isDiskFull: faults.writing == .full)
        guard try db.schemaVersion <= Migration.all.count else {
            throw ServiceError(.unavailable, "a newer program has changed the database: start that program instead")
        }
    }

    /// Throws if the database file is missing or empty although other files show that there was one. SQLite treats an
    /// empty file as a new database and would discard the log beside it, and a new database would hide that the former
    /// one is lost.
    private static func throwIfDatabaseLost(_ directory: URL) throws {
        let file = directory.appending(path: fileName)
        // The order matters: if another process creates the database at the same time, the database file exists before
        // its log.
        guard hasFilesOfDatabase(directory), size(file) == 0 else { return }
        let isThere = FileManager.default.fileExists(atPath: file.path)
        throw ServiceError(
            .diskFailing,
            """
            \(file.path) is \(isThere ? "empty" : "gone"), but what belongs to it is there: restore a backup; or empty the \
            folder to begin anew
            """
        )
    }

    /// Returns whether the folder contains files that exist only if it contained a database before.
    private static func hasFilesOfDatabase(_ directory: URL) -> Bool {
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

    /// Writes the directory entries of the folders to the disk (`fsync`). Errors are ignored, because nothing more can
    /// be done on file systems that do not support this.
    static func synchronize(_ folders: [URL]) {
        for folder in folders { try? FileHandle(forReadingFrom: folder).synchronize() }
    }

    /// Migrates the schema and returns the migrations that were applied. Throws if the file has a newer schema than
    /// this program.
    ///
    /// All migrations are one transaction: if the method throws, the database is as it was.
    ///
    /// - Parameters:
    ///   - keepingCopy: whether an upgrade leaves a copy of the former database beside it, in place of the copies of
    ///     earlier upgrades. Throws `diskFull` without room for it.
    ///   - progress: is called during the upgrade of a database that has a schema already. An error that it throws ends
    ///     the upgrade.
    package func migrate(
        _ migrations: [Migration] = Migration.all,
        keepingCopy: Bool = false,
        progress: (UpgradeProgress) throws -> Void = { _ in }
    ) throws -> [Migration] {
        try faults.mappingFaults {
            try writer.run { db in
                try Upgrade.run(db, url, migrations, keepingCopy: keepingCopy, progress)
            }
        }
    }

    package var isLeader: Bool { true }

    package func renewLeadership() {}

    package func agree(on settings: [String: String]) {}

    package var hasStandby: Bool { false }

    package func checkStandby() {}

    /// Interrupts the statement that the writer runs, from any thread.
    package func interruptMigration() { writer.interrupt() }

    /// Removes the copy of the bundled places, `gazetteer-*.sqlite`, that versions before 2026-11-22 created beside the
    /// database.
    package func removePlaceCopies() throws {
        let folder = url.deletingLastPathComponent()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasPrefix("gazetteer-") && name.hasSuffix(".sqlite") {
            try FileManager.default.removeItem(at: folder.appending(path: name))
        }
    }

    package var engine: SQLEngine { .spatiaLite }

    package var folder: URL { url.deletingLastPathComponent() }

    package func readNow<Value>(_ body: (SQLConnection) throws -> Value) throws -> Value {
        do { return try readers.read(within: .init(duration: maxReadDuration), body) } catch {
            throw faults.explain(error)
        }
    }

    /// The limit counts the processor time.
    package func readNow<Value>(atMost limit: Double, _ body: (SQLConnection) throws -> Value) throws -> Value? {
        do {
            return try readers.readIfQuick(within: .init(processorTime: limit, duration: maxReadDuration), body)
        } catch {
            throw faults.explain(error)
        }
    }

    @discardableResult
    package func write<Value: Sendable>(
        _ body: @Sendable @escaping (SQLConnection) throws -> Value
    ) async throws -> Value {
        try await write(commits, body)
    }

    package func write<Value: Sendable>(
        _ batch: WriteBatch,
        _ body: @Sendable @escaping (SQLConnection) throws -> Value
    ) async throws -> Value {
        try await write(try faults.mappingFaults { try commits(of: batch) }, body)
    }

    package func beginSync() { log.beginSync() }

    package func open(_ batch: WriteBatch) throws {
        _ = try faults.mappingFaults { try commits(of: batch) }
    }

    package func close(_ batch: WriteBatch) throws {
        try batches.withLock { try $0.removeValue(forKey: batch.name)?.close() }
    }

    private func commits(of batch: WriteBatch) throws -> GroupCommit {
        try batches.withLock { [log, faults] batches in
            if let known = batches[batch.name] { return known }
            let writer = try Self.openWriter(url, log, cache: batch.cache)
            try writer.run { db in try batch.prepare(db) }
            let commits = GroupCommit(
                FileWriter(
                    queue: writer,
                    prepare: { db in try Self.prepare(db, log, faults) },
                    finish: batch.finish
                ),
                turn: turn
            )
            batches[batch.name] = commits
            return commits
        }
    }

    private func write<Value: Sendable>(
        _ commits: GroupCommit,
        _ body: @Sendable @escaping (SQLConnection) throws -> Value
    ) async throws -> Value {
        do {
            return try await commits.write(body)
        } catch let error as SQLiteError where error.primaryCode == SQLITE_BUSY {
            throw ServiceError(.unavailable, "another program is writing to the database: try again in a moment")
        } catch {
            throw faults.explain(error, isWrite: true)
        }
    }

    package func writeFault() async -> StorageFault? {
        guard let known = faults.writing else { return nil }
        guard !faults.isFull else { return .full }
        do {
            // The smallest possible write: the value does not change.
            try await write { db in
                try db.run(script: "PRAGMA user_version = \(try db.schemaVersion)")
            }
        } catch {
            return faults.writing ?? known
        }
        faults.writingSucceeds()
        return nil
    }

    package var writesWaiting: Int {
        commits.waiting + batches.withLock { $0.values.reduce(0) { $0 + $1.waiting } }
    }

    package func sizes(_ db: SQLConnection) -> (database: Int, log: Int) {
        (Self.size(url), Self.size(url.deletingLastPathComponent().appending(path: Self.fileName + "-wal")))
    }

    package func checkpoint() async throws -> Bool {
        await withCheckedContinuation { waiter in
            writer.schedule { [log] db in waiter.resume(returning: log.empty(db.sqlite) == SQLITE_OK) }
        }
    }

    /// Copies a consistent state without the waiting mails into another database file while this database is in use.
    package func backup(to destination: URL, progress: @escaping (Double) -> Void) throws {
        try Self.copy(url, to: destination, progress: progress)
        try Self.removeMails(inCopy: destination)
    }

    /// Copies any database file, including the contents of the log beside it. The source is opened read-only.
    package static func copy(_ file: URL, to destination: URL, progress: @escaping (Double) throws -> Void) throws {
        // SQLite treats an empty file as a new database and would discard the log beside it.
        guard size(file) > 0 else { throw ServiceError(.diskFailing, "\(file.path) is empty or cannot be read") }
        let target = try SQLiteConnection(destination.path)
        let source = try SQLiteConnection.spatiaLite(file.path, isReadOnly: true)
        defer { try? source.close() }
        // The read transaction holds one snapshot for the whole copy. Without it, the copy would start again at each
        // write of another process.
        try source.transaction(.deferred) {
            _ = try SQLConnection(source).exists("SELECT 1 FROM sqlite_schema")
            try source.backup(to: target, progress: progress)
        }
        try target.close()
        try makeSingleFile(destination)
    }

    /// In WAL mode the copy would need a `-wal` file; a backup is a single file.
    static func makeSingleFile(_ copy: URL) throws {
        let database = try SQLiteConnection(copy.path)
        try SQLConnection(database).run(script: "PRAGMA journal_mode = DELETE")
        try database.close()
    }

    /// Compares the schema of a copy with this program's schema.
    package static func schemaAge(ofCopy copy: URL) throws -> SchemaAge {
        let database = try StandaloneDatabase(copy, isReadOnly: true)
        defer { try? database.close() }
        return SchemaAge(version: try database.run { db in try db.schemaVersion })
    }

    /// Returns whether a copy has a table. Copies with earlier schemas do not have all tables.
    package static func hasTable(_ table: String, inCopy copy: URL) throws -> Bool {
        let database = try StandaloneDatabase(copy, isReadOnly: true)
        defer { try? database.close() }
        return try database.run { db in try db.hasTable(table) }
    }

    /// Migrates the schema of a copy that no process uses yet.
    package static func migrate(copy: URL, progress: (UpgradeProgress) throws -> Void = { _ in }) throws {
        let database = try StandaloneDatabase(copy)
        _ = try database.run { db in try Upgrade.run(db, copy, Migration.all, keepingCopy: false, progress) }
        try database.close()
    }

    package func close() throws {
        try readers.close()
        log.close()
        try batches.withLock { batches in
            for commits in batches.values { try commits.close() }
            batches = [:]
        }
        try writer.close()
    }
}
