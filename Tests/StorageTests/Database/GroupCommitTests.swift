import CSpatiaLite
import Domain
import Foundation
import SQL
import SpatiaLite
import Synchronization
import TestSupport
import Testing

@testable import Storage

@Suite("Group commit", .enabled(if: TestDatabase.isFile, "about database files"))
struct GroupCommitTests {
    @Test("Nothing is written after a newer program has changed the schema")
    func newerSchema() async throws {
        let board = try await TestDatabase()
        let owner = try await board.guest()
        let newer = try StandaloneDatabase(board.file.url)
        try newer.write { db in try db.run(script: "PRAGMA user_version = 9999") }
        await #expect(throws: ServiceError.self) { _ = try await board.listings.create(.at(14, 40), owner: owner) }
        let count = try newer.read { db in try db.value("SELECT count(*) FROM listing") as Int? }
        #expect(count == 0)
    }

    @Test("Concurrent writes succeed or fail independently, and successful ones are on disk")
    func crowd() async throws {
        let board = try await TestDatabase()
        let owner = try await board.guest()
        let outcomes = await withTaskGroup(of: (Int, Bool).self) { group in
            for number in 0..<300 {
                group.addTask {
                    do {
                        // Every third write uses a reference that only one listing may have.
                        _ = try await board.listings.create(
                            .at(14, 40) { $0[.reference] = number % 3 == 0 ? "same" : "number \(number)" },
                            owner: owner
                        )
                        return (number, true)
                    } catch {
                        return (number, false)
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        let written = outcomes.filter(\.value).keys
        #expect(written.count == 201)
        #expect(written.count { $0 % 3 == 0 } == 1)
        // A second connection sees only committed rows.
        let references = try StandaloneDatabase(board.file.url).read { db in
            try db.values("SELECT reference FROM listing ORDER BY reference") as [String]
        }
        #expect(references.count == 201)
        #expect(Set(references).count == 201)
        #expect(try await board.database.check().isSound)
    }

    @Test("If another process locks the database, a write fails with the advice to try again")
    func busy() async throws {
        let board = try await TestDatabase()
        let other = SQLConnection(try SQLiteConnection(board.file.url.path))
        try other.execute("BEGIN IMMEDIATE")
        await #expect { try await board.guest() } throws: { error in
            (error as? ServiceError)?.code == .unavailable
        }
        try other.execute("ROLLBACK")
        _ = try await board.guest()
    }

    @Test("The page cache is freed when nothing has been written for some time")
    func cache() async throws {
        let folder = try TemporaryFolder()
        let writer = SQLiteQueue(try .spatiaLite(folder.url.appending(path: "a.sqlite").path, cache: 8))
        let commits = GroupCommit(
            FileWriter(queue: writer, prepare: { _ in }),
            turn: DispatchSemaphore(value: 1),
            cacheTime: .milliseconds(100)
        )
        for _ in 0..<2 {
            try await commits.write { db in
                try db.run(
                    script: "DROP TABLE IF EXISTS a; CREATE TABLE a (b); INSERT INTO a VALUES (randomblob(4000000))"
                )
            }
            try await until("a small cache") { writer.run(Self.cacheBytes) <= 1_000_000 }
        }
        try commits.close()
    }

    private static func cacheBytes(_ db: SQLConnection) -> CInt {
        var (used, highest): (CInt, CInt) = (0, 0)
        let code = sqlite3_db_status(db.sqlite.handle, SQLITE_DBSTATUS_CACHE_USED, &used, &highest, 0)
        #expect(code == SQLITE_OK)
        return used
    }

    @Test("A commit is synced to disk")
    func synchronous() async throws {
        let board = try await TestDatabase()
        let level = try await board.database.write { db in try db.value("PRAGMA synchronous") as Int? }
        #expect(level == 2)  // FULL
    }

    @Test("A write that rolls back the whole transaction does not affect other writes")
    func rolledBack() async throws {
        let board = try await TestDatabase()
        let owner = try await board.guest()
        let succeeded = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<60 {
                group.addTask {
                    if number % 10 == 5 {
                        // As with a full disk, the whole transaction is rolled back, not only this statement.
                        let write: Void? = try? await board.database.write { db in
                            try db.execute("INSERT OR ROLLBACK INTO account (uuid, role) VALUES ('short', 'guest')")
                        }
                        return write != nil
                    }
                    return (try? await board.listings.create(.at(14, 40), owner: owner)) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(succeeded == 54)
        #expect(try board.search.count(ListingQuery()) == ListingCount(count: 54, isExact: true))
        #expect(try await board.database.check().isSound)
    }

    @Test("An endless read limits the size of the log, and writing continues when the read ends")
    func boundedLog() async throws {
        let folder = try TemporaryFolder()
        let limits = WriteAheadLog.Limits(usual: 1 << 20, maxSize: 4 << 20)
        let database = try DatabaseFile(directory: folder.url, bulk: false, maxReadDuration: nil, log: limits)
        _ = try database.migrate()
        let write = { @Sendable () async throws in
            try await database.write { db in
                try db.execute("CREATE TABLE IF NOT EXISTS filling (bytes BLOB)")
                try db.execute("INSERT INTO filling VALUES (randomblob(100000))")
            }
        }
        let log = database.url.path + "-wal"
        let size = { try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int ?? 0 }

        let reader = SQLConnection(try SQLiteConnection(database.url.path))
        try reader.run(script: "BEGIN; SELECT count(*) FROM sqlite_schema")
        var refusal: ServiceError?
        for _ in 0..<200 where refusal == nil {
            do { try await write() } catch let error as ServiceError { refusal = error }
        }
        #expect(refusal?.code == .unavailable)
        #expect(try size() < 6 << 20)
        try reader.execute("COMMIT")
        for _ in 0..<100 { try await write() }
        #expect(try size() < 2 << 20)
        let rows = try await database.read { db in try db.value("SELECT count(*) FROM filling") ?? 0 }
        #expect(rows > 100)
    }

    @Test("The log is copied into the database beside the writes, and then starts anew")
    func checkpoint() async throws {
        let folder = try TemporaryFolder()
        let limits = WriteAheadLog.Limits(checkpoint: 1 << 20, usual: 1 << 30)
        let database = try DatabaseFile(directory: folder.url, bulk: false, maxReadDuration: nil, log: limits)
        _ = try database.migrate()
        try await database.write { db in try db.execute("CREATE TABLE filling (bytes BLOB)") }
        let log = database.url.path + "-wal"
        var sizes: [Int] = []
        for _ in 0..<300 {
            try await database.write { db in try db.execute("INSERT INTO filling VALUES (randomblob(100000))") }
            sizes.append(try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int ?? 0)
        }
        // 30 MB were written. The file of the log does not shrink.
        #expect(try #require(sizes.max()) < 15 << 20)
        try database.close()
        let copy = try StandaloneDatabase(database.url, isReadOnly: true)
        #expect(try copy.run { db in try db.value("SELECT count(*) FROM filling") as Int? } == 300)
    }

    @Test("A read that exceeds the time limit fails with an error")
    func longRead() async throws {
        let folder = try TemporaryFolder()
        let database = try DatabaseFile(directory: folder.url, maxReadDuration: .milliseconds(50))
        _ = try database.migrate()
        let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        let error = await #expect(throws: ServiceError.self) {
            try await database.read { db in try db.value(endless) as Int? }
        }
        #expect(error?.code == .unavailable)
        // The connection is still usable.
        #expect(try await database.read { db in try db.value("SELECT count(*) FROM listing") as Int? } == 0)
    }

    @Test("Reads continue during a write and see the state before it")
    func readsBesideWrites() async throws {
        let board = try await TestDatabase()
        let owner = try await board.guest()
        _ = try await board.listings.create(.at(14, 40), owner: owner)
        let seen = Mutex<[Int]>([])
        try await board.database.write { db in
            try db.execute("DELETE FROM listing")
            seen.withLock { $0.append((try? board.search.count(ListingQuery()).count) ?? -1) }
        }
        #expect(seen.withLock(\.self) == [1])
        #expect(try board.search.count(ListingQuery()).count == 0)
    }
}
