import CSpatiaLite
import Foundation
import SQL
import Synchronization
import TestSupport
import Testing

@Suite("SQLite transactions", .enabled(if: TestDatabase.isFile, "about database files"))
struct SQLiteTransactionTests {
    private static let endless = """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n
        """

    private let folder: TemporaryFolder
    private let connection: SQLiteConnection
    private let db: SQLConnection

    init() throws {
        folder = try TemporaryFolder()
        connection = try SQLiteConnection(folder.url.appending(path: "a.sqlite").path)
        try connection.useWriteAheadLog()
        db = SQLConnection(connection)
        try db.run(script: "CREATE TABLE dog (id INTEGER PRIMARY KEY, name TEXT UNIQUE)")
    }

    private func add(_ name: String) throws { try db.execute("INSERT INTO dog (name) VALUES (?)", [name]) }

    /// The rows that another connection sees: those that are committed.
    private func committed() throws -> [String] {
        let other = SQLConnection(try SQLiteConnection(folder.url.appending(path: "a.sqlite").path, isReadOnly: true))
        return try other.values("SELECT name FROM dog ORDER BY id")
    }

    @Test("A transaction is committed at its end, and an error of its body rolls it back")
    func transaction() throws {
        let value = try connection.transaction {
            try add("Argo")
            #expect(try committed().isEmpty)
            return 5
        }
        #expect(value == 5)
        #expect(throws: CancellationError.self) {
            try connection.transaction {
                try add("Bea")
                throw CancellationError()
            }
        }
        #expect(throws: SQLiteError.self) {
            try connection.transaction {
                try add("Ciro")
                try add("Argo")
            }
        }
        #expect(!connection.isInTransaction)
        #expect(try committed() == ["Argo"])
    }

    @Test("A commit that fails rolls the transaction back")
    func failedCommit() throws {
        try db.run(script: "CREATE TABLE walk (dog_id INTEGER REFERENCES dog DEFERRABLE INITIALLY DEFERRED)")
        let error = #expect(throws: SQLiteError.self) {
            try connection.transaction { try db.execute("INSERT INTO walk VALUES (9)") }
        }
        #expect(error?.code == SQLiteError.foreignKeyViolation)
        #expect(!connection.isInTransaction)
        #expect(try !db.exists("SELECT 1 FROM walk"))
    }

    @Test("After SQLite has rolled back itself, neither later statements nor the transaction succeed")
    func rolledBackBySQLite() throws {
        try add("Argo")
        let insert = "INSERT INTO dog (name) VALUES ('Ciro')"
        for goOn in [{}, { try db.execute(insert) }, { try db.run(script: insert) }] as [() throws -> Void] {
            let error = #expect(throws: SQLiteError.self) {
                try connection.transaction {
                    try add("Bea")
                    _ = try? db.execute("INSERT OR ROLLBACK INTO dog (name) VALUES ('Argo')")
                    try goOn()
                }
            }
            #expect(error?.code == SQLITE_ABORT)
            #expect(try committed() == ["Argo"])
        }
        try connection.transaction { try add("Dora") }
        #expect(try committed() == ["Argo", "Dora"])
    }

    @Test("A full database rolls the transaction back, and the next one succeeds")
    func full() throws {
        try db.run(script: "CREATE TABLE filling (bytes BLOB); PRAGMA cache_size = 10; PRAGMA max_page_count = 60")
        let error = #expect(throws: SQLiteError.self) {
            try connection.transaction {
                try add("Argo")
                for _ in 0..<100 { try db.execute("INSERT INTO filling VALUES (zeroblob(9000))") }
            }
        }
        #expect(error?.code == SQLITE_FULL)
        #expect(!connection.isInTransaction)
        try connection.transaction { try add("Bea") }
        #expect(try committed() == ["Bea"])
        #expect(try !db.exists("SELECT 1 FROM filling"))
    }

    @Test("A transaction inside another one is refused, and does not end the outer one")
    func nested() throws {
        try connection.transaction {
            try add("Argo")
            let error = #expect(throws: SQLiteError.self) { try connection.transaction { try add("Bea") } }
            #expect(error?.code == SQLITE_ERROR)
            try add("Ciro")
        }
        #expect(try committed() == ["Argo", "Ciro"])
    }

    @Test("A deferred transaction reads one snapshot, and an immediate one excludes other writers")
    func kinds() throws {
        let other = try SQLiteConnection(folder.url.appending(path: "a.sqlite").path)
        let others = SQLConnection(other)
        try other.transaction(.deferred) {
            #expect(try !others.exists("SELECT 1 FROM dog"))
            try add("Argo")
            #expect(try !others.exists("SELECT 1 FROM dog"))
        }
        #expect(try others.exists("SELECT 1 FROM dog"))
        other.waitForLocks(atMost: 1)
        try connection.transaction {
            let error = #expect(throws: SQLiteError.self) { try other.transaction {} }
            #expect(error?.code == SQLITE_BUSY)
        }
    }

    // MARK: - Queue

    @Test("An interruption from another thread ends a statement, and its transaction is rolled back")
    func interruption() throws {
        let queue = SQLiteQueue(connection)
        let isOver = Mutex(false)
        Thread.detachNewThread {
            // An interruption without a running statement has no effect.
            while !isOver.withLock(\.self) {
                queue.interrupt()
                usleep(1000)
            }
        }
        let error = #expect(throws: SQLiteError.self) {
            try queue.run { db in
                try db.sqlite.transaction {
                    try add("Argo")
                    _ = try db.value(Self.endless) as Int?
                }
            }
        }
        isOver.withLock { $0 = true }
        #expect(error?.code == SQLITE_INTERRUPT)
        #expect(try committed().isEmpty)
        #expect(!connection.isInTransaction)
    }

    @Test("Callers take turns, in the order of their calls")
    func turns() throws {
        let queue = SQLiteQueue(connection)
        let order = Mutex([Int]())
        // Without turns, transactions would be nested, which SQLite refuses.
        DispatchQueue.concurrentPerform(iterations: 200) { number in
            let isWritten: Void? = try? queue.run { db in
                try db.sqlite.transaction { try db.execute("INSERT INTO dog (name) VALUES (?)", ["\(number)"]) }
            }
            if isWritten == nil { Issue.record("\(number) is not written") }
        }
        #expect(try committed().count == 200)
        for number in 0..<50 { queue.schedule { _ in order.withLock { $0.append(number) } } }
        queue.run { _ in }
        #expect(order.withLock(\.self) == Array(0..<50))
    }

    @Test("A transaction that a caller leaves open is rolled back")
    func leftOpen() throws {
        let queue = SQLiteQueue(connection)
        try queue.run { db in
            try db.execute("BEGIN IMMEDIATE")
            try add("Argo")
        }
        #expect(!connection.isInTransaction)
        try queue.run { db in try db.sqlite.transaction { try add("Bea") } }
        #expect(try committed() == ["Bea"])
        try queue.close()
        #expect(throws: SQLiteError.self) { try queue.run { db in try db.exists("SELECT 1") } }
    }
}
