import CSpatiaLite
import Foundation
import SQL
import SpatiaLite
import TestSupport
import Testing

@Suite("SQLite connection", .enabled(if: TestDatabase.isFile, "about database files"))
struct SQLiteConnectionTests {
    private let folder: TemporaryFolder
    private let connection: SQLiteConnection
    private let db: SQLConnection

    init() throws {
        folder = try TemporaryFolder()
        connection = try SQLiteConnection(folder.url.appending(path: "a.sqlite").path)
        db = SQLConnection(connection)
        try db.run(script: "CREATE TABLE dog (id INTEGER PRIMARY KEY, name TEXT UNIQUE, picture BLOB)")
    }

    private func names() throws -> [String] { try db.values("SELECT name FROM dog ORDER BY id") }

    private func statementCount() -> Int {
        var (count, statement) = (0, sqlite3_next_stmt(connection.handle, nil))
        while let one = statement {
            count += 1
            statement = sqlite3_next_stmt(connection.handle, one)
        }
        return count
    }

    // MARK: - Errors

    @Test("An error has the extended code, SQLite's message and the statement")
    func failedStatement() throws {
        try db.execute("INSERT INTO dog (name) VALUES ('Argo')")
        let error = #expect(throws: SQLiteError.self) {
            try db.run(script: "SELECT 1;\n INSERT INTO dog (name) VALUES ('Argo');\n SELECT 2")
        }
        #expect(error?.code == SQLiteError.uniqueViolation)
        #expect(error?.primaryCode == SQLITE_CONSTRAINT)
        #expect(error?.codeText == "2067 (constraint failed)")
        #expect(
            error?.description == "SQLite error 19: UNIQUE constraint failed: dog.name"
                + " - while executing `INSERT INTO dog (name) VALUES ('Argo')`"
        )
        #expect(SQLiteError(SQLiteError.noMemoryForFile).description == "SQLite error 10: disk I/O error")
    }

    @Test("A file that is no database, and a missing file or folder, are errors when the connection opens")
    func unusableFiles() throws {
        let text = folder.url.appending(path: "text")
        try Data(repeating: 65, count: 5000).write(to: text)
        #expect(throws: SQLiteError.self) { try SQLiteConnection(text.path) }
        for isReadOnly in [true, false] {
            let error = #expect(throws: SQLiteError.self) {
                try SQLiteConnection.spatiaLite(text.path, isReadOnly: isReadOnly)
            }
            #expect(error?.code == SQLITE_NOTADB)
            let missing = #expect(throws: SQLiteError.self) {
                try SQLiteConnection(folder.url.appending(path: "none/a.sqlite").path, isReadOnly: isReadOnly)
            }
            #expect(missing?.primaryCode == SQLITE_CANTOPEN)
        }
        let absent = folder.url.appending(path: "absent").path
        #expect(throws: SQLiteError.self) { try SQLiteConnection(absent, isReadOnly: true) }
        #expect(!FileManager.default.fileExists(atPath: absent))
    }

    @Test("A read-only connection refuses writes")
    func readOnly() throws {
        let reader = SQLConnection(try SQLiteConnection(folder.url.appending(path: "a.sqlite").path, isReadOnly: true))
        let error = #expect(throws: SQLiteError.self) { try reader.execute("INSERT INTO dog (name) VALUES ('Argo')") }
        #expect(error?.code == SQLITE_READONLY)
        #expect(try !reader.exists("SELECT 1 FROM dog"))
    }

    @Test(
        "SQL with no statement or with several, and a text in double quotes, are refused",
        arguments: ["", " -- nothing", "SELECT 1; SELECT 2", "SELECT 1; nonsense", "SELECT \"Argo\""]
    )
    func refusedSQL(sql: String) throws {
        #expect(throws: SQLiteError.self) { try db.execute(sql) }
        #expect(try db.value("SELECT 1; -- the end\n") == 1)
    }

    // MARK: - Values

    @Test("Blobs and texts of any size are stored as they are", arguments: [0, 1, 5_000_000])
    func sizes(count: Int) throws {
        let (blob, text) = ([UInt8](repeating: 7, count: count), String(repeating: "è", count: count))
        try db.execute("INSERT INTO dog (name, picture) VALUES (?, ?)", [text, blob])
        let row = try db.row("SELECT name, picture FROM dog") { row in
            (text: try row[0] as String, blob: try row[1] as [UInt8])
        }
        #expect(row?.text == text)
        #expect(row?.blob == blob)
    }

    @Test("A text ends at its first NUL, and a blob does not")
    func zeros() throws {
        try db.execute("INSERT INTO dog (name, picture) VALUES (?, ?)", ["Ar\0go", Data([1, 0, 2])])
        #expect(try names() == ["Ar"])
        #expect(try db.value("SELECT picture FROM dog") == Data([1, 0, 2]))
    }

    @Test("The functions for texts leave out accents and case, and return NULL for other types")
    func functions() throws {
        let db = SQLConnection(try .spatiaLite(":memory:"))
        let texts = ["Trovatò", "STRAẞE", ""]
        #expect(try texts.map { try db.value("SELECT casei(?)", [$0]) } == ["trovatò", "strasse", ""])
        #expect(try texts.map { try db.value("SELECT accenti(?)", [$0]) } == ["Trovato", "STRAẞE", ""])
        for value in [SQLValue.null, .integer(1), .real(1.5), .blob([65])] {
            #expect(try db.value("SELECT casei(?1) IS NULL AND accenti(?1) IS NULL", [value]) == true)
        }
        // An index may contain only functions whose results never change.
        try db.run(script: "CREATE TABLE dog (name); CREATE INDEX dog_name ON dog (casei(accenti(name)))")
    }

    // MARK: - Statements

    @Test("A statement is compiled once, unless it is in use or not kept")
    func keptStatements() throws {
        let before = statementCount()
        for _ in 0..<3 { _ = try db.value("SELECT ?", [1]) as Int? }
        #expect(statementCount() == before + 1)
        for _ in 0..<3 {
            let first = try PreparedStatement(db, "SELECT ?", [.integer(1)])
            let second = try PreparedStatement(db, "SELECT ?", [.integer(2)])
            #expect(try first.next() && second.next())
            #expect(first.integer(0) == 1)
            #expect(second.integer(0) == 2)
        }
        #expect(statementCount() == before + 2)
        for _ in 0..<3 { _ = try PreparedStatement(db, "SELECT 5", isKept: false).next() }
        #expect(statementCount() == before + 2)
    }

    @Test("A kept statement forgets its values, and follows changes of the schema")
    func reusedStatements() throws {
        #expect(try db.value("SELECT ?", ["Argo"]) == "Argo")
        #expect(try db.value("SELECT ?") as String? == nil)
        #expect(throws: SQLiteError.self) { try db.value("SELECT ?", [1, 2]) as Int? }
        #expect(try db.value("SELECT ?", [3]) == 3)
        let columns = { try db.row("SELECT * FROM dog") { row in row.columnCount } }
        try db.execute("INSERT INTO dog (name) VALUES ('Argo')")
        #expect(try columns() == 3)
        try db.execute("ALTER TABLE dog ADD COLUMN age INTEGER")
        #expect(try columns() == 4)
    }

    @Test("A connection with a statement in use cannot be closed, and a closed one cannot be used")
    func closing() throws {
        do {
            let scan = try PreparedStatement(db, "SELECT 1 UNION SELECT 2")
            #expect(try scan.next())
            let error = #expect(throws: SQLiteError.self) { try connection.close() }
            #expect(error?.code == SQLITE_BUSY)
            #expect(try scan.next() && scan.integer(0) == 2)
        }
        #expect(try names().isEmpty)
        try connection.close()
        try connection.close()
        let error = #expect(throws: SQLiteError.self) { try names() }
        #expect(error?.code == SQLITE_MISUSE)
        #expect(throws: SQLiteError.self) { try connection.transaction {} }
        #expect(connection.checkpoint(SQLITE_CHECKPOINT_PASSIVE) == SQLITE_MISUSE)
        connection.interrupt()
        connection.releaseCache()
    }

    // MARK: - Copies

    @Test("A copy reports its progress, and contains what the database contains")
    func backup() throws {
        try db.execute("INSERT INTO dog (picture) VALUES (zeroblob(12000000))")
        let copy = try SQLiteConnection(folder.url.appending(path: "b.sqlite").path)
        var progress: [Double] = []
        try connection.backup(to: copy) { progress.append($0) }
        #expect(progress.count == 3 && progress == progress.sorted() && progress.last == 1)
        #expect(try SQLConnection(copy).value("SELECT length(picture) FROM dog") == 12_000_000)
    }

    @Test("A copy ends with the error of its observer, or if the other database is locked")
    func failedBackup() throws {
        try db.execute("INSERT INTO dog (picture) VALUES (zeroblob(12000000))")
        let path = folder.url.appending(path: "b.sqlite").path
        let copy = try SQLiteConnection(path)
        #expect(throws: CancellationError.self) { try connection.backup(to: copy) { _ in throw CancellationError() } }
        #expect(try !SQLConnection(copy).hasTable("dog"))
        let other = SQLConnection(try SQLiteConnection(path))
        try other.execute("BEGIN EXCLUSIVE")
        copy.waitForLocks(atMost: 1)
        let error = #expect(throws: SQLiteError.self) { try connection.backup(to: copy) { _ in } }
        #expect(error?.primaryCode == SQLITE_BUSY)
        try other.execute("ROLLBACK")
        try connection.backup(to: copy) { _ in }
        #expect(try SQLConnection(copy).exists("SELECT 1 FROM dog"))
    }
}
