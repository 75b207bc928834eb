import Domain
import Foundation
import SQL
import SpatiaLite
import TestSupport
import Testing

@Suite("SQL connection", .enabled(if: TestDatabase.isFile, "about database files"))
struct SQLConnectionTests {
    private static func table<Value>(_ body: (SQLConnection) throws -> Value) throws -> Value {
        try StandaloneDatabase.inMemory().run { db in
            try db.execute("CREATE TABLE dog (id INTEGER PRIMARY KEY, name TEXT UNIQUE, age INTEGER)")
            try db.execute("INSERT INTO dog (name, age) VALUES (?, ?), (?, ?)", ["Argo", 3, "Bea", Int?.none])
            return try body(db)
        }
    }

    @Test(
        "A value is bound with its storage class",
        arguments: [
            (Int64.max, "integer", SQLValue.integer(.max)), (Int(-1), "integer", .integer(-1)),
            (1.5, "real", .real(1.5)), (true, "integer", .integer(1)), ("caff\u{E8}", "text", .text("caff\u{E8}")),
            (Data([0, 255]), "blob", .blob([0, 255])), ([UInt8](), "blob", .blob([])),
            (Timestamp(stored: "2026-05-01T12:30:00.000Z"), "text", .text("2026-05-01T12:30:00.000Z")),
            (Int?.none, "null", .null), (String?.some("a"), "text", .text("a")),
        ] as [(any SQLBindable & Sendable, String, SQLValue)]
    )
    func binding(value: any SQLBindable & Sendable, type: String, stored: SQLValue) throws {
        let row = try StandaloneDatabase.inMemory().run { db in
            try db.row("SELECT typeof(?1), ?1", [value]) { row in (type: try row[0] as String, value: row.value(1)) }
        }
        #expect(row?.type == type)
        #expect(row?.value == stored)
    }

    @Test("A UUID is stored in lower case")
    func uuid() throws {
        let id = UUID()
        try Self.table { (db: SQLConnection) throws in
            #expect(try db.value("SELECT ?", [id]) == id.uuidString.lowercased())
            #expect(try db.value("SELECT ?", [id]) == id)
        }
    }

    @Test("Each type that is bound can be read, by index and by name")
    func reading() throws {
        func returns<Value: SQLBindable & SQLReadable & Equatable>(_ value: Value) throws -> Bool {
            try Self.table { (db: SQLConnection) throws in
                try db.row("SELECT 0, ? AS it", [value]) { row in
                    try (row[1] as Value) == value && (row["it"] as Value) == value
                } == true
            }
        }
        #expect(try returns(Int64.min))
        #expect(try returns(7))
        #expect(try returns(0.1))
        #expect(try returns(false))
        #expect(try returns("naso nero"))
        #expect(try returns(""))
        #expect(try returns(Data([1, 2])))
        #expect(try returns(Data()))
        #expect(try returns([UInt8](repeating: 9, count: 300)))
        #expect(try returns(Timestamp.now))
        #expect(try returns(UUID()))
    }

    @Test("NULL is nil for an optional, and an error for anything else")
    func null() throws {
        try Self.table { (db: SQLConnection) throws in
            let age = try db.row("SELECT age FROM dog WHERE id = 2") { row in try row["age"] as Int? }
            #expect(age == .some(nil))
            #expect(try db.value("SELECT age FROM dog WHERE id = 2") as Int? == nil)
            #expect(try db.value("SELECT age FROM dog WHERE id = 9") as Int? == nil)
            let error = #expect(throws: UnreadableRow.self) {
                try db.row("SELECT age FROM dog WHERE id = 2") { row in try row[0] as Int }
            }
            #expect(error?.description == "column 'age' is NULL in: SELECT age FROM dog WHERE id = 2")
        }
    }

    @Test("A value of another type and an unknown column are errors that contain the SQL")
    func unreadable() throws {
        try Self.table { (db: SQLConnection) throws in
            let sql = "SELECT name FROM dog"
            var error = #expect(throws: UnreadableRow.self) { try db.rows(sql) { row in try row["name"] as Int } }
            #expect(error?.description == "column 'name' is no Int in: SELECT name FROM dog")
            error = #expect(throws: UnreadableRow.self) { try db.rows(sql) { row in try row["age"] as Int? } }
            #expect(error?.description == "no column 'age' in: SELECT name FROM dog")
            error = #expect(throws: UnreadableRow.self) { try db.rows(sql) { row in try row[1] as Int } }
            #expect(error?.description == "no column 1 in: SELECT name FROM dog")
        }
    }

    @Test("The number of changed rows is returned, and the key of an inserted one")
    func changes() throws {
        try Self.table { (db: SQLConnection) throws in
            #expect(try db.execute("UPDATE dog SET age = 4") == 2)
            #expect(try db.execute("DELETE FROM dog WHERE name = ?", ["Zoe"]) == 0)
            #expect(try db.insert("INSERT INTO dog (name) VALUES (?) RETURNING id", ["Ciro"]) == 3)
            #expect(try db.values("SELECT name FROM dog ORDER BY id") == ["Argo", "Bea", "Ciro"])
            #expect(try db.exists("SELECT 1 FROM dog WHERE name = ?", ["Ciro"]))
            #expect(try !db.exists("SELECT 1 FROM dog WHERE name = ?", ["Zoe"]))
            #expect(try db.hasTable("dog"))
            #expect(try !db.hasTable("cat"))
        }
    }

    @Test("A failed statement tells its SQL and the constraint that it violated")
    func failures() throws {
        try Self.table { (db: SQLConnection) throws in
            try db.run(
                script: """
                    CREATE TABLE walk (dog_id INTEGER REFERENCES dog);
                    CREATE TRIGGER dog_is_old BEFORE INSERT ON dog WHEN NEW.age > 30 BEGIN SELECT raise(ABORT, 'too old'); END;
                    """
            )
            func failure(_ sql: String, _ values: [any SQLBindable] = []) -> (constraint: SQLConstraint?, text: String)?
            {
                do {
                    try db.execute(sql, values)
                    return nil
                } catch {
                    return (SQLFailure(error)?.constraint, "\(error)")
                }
            }
            #expect(failure("INSERT INTO dog (name) VALUES (?)", ["Argo"])?.constraint == .unique)
            #expect(failure("INSERT INTO walk VALUES (?) RETURNING dog_id", [9])?.constraint == .foreignKey)
            #expect(failure("INSERT INTO dog (age) VALUES (?)", [31])?.constraint == .trigger(message: "too old"))
            #expect(failure("SELECT 1 FROM cat")?.text.contains("SELECT 1 FROM cat") == true)
            #expect(failure("SELECT abs(?)", [Int64.min])?.text.contains("SELECT abs(?)") == true)
            #expect(failure("SELECT ?", [1, 2]) != nil)
            #expect(throws: (any Error).self) { try db.insert("INSERT INTO walk VALUES (?) RETURNING dog_id", [9]) }
            #expect(try !db.exists("SELECT 1 FROM walk"))
        }
    }

    @Test("A statement can be run while the same SQL is being read")
    func nested() throws {
        try Self.table { (db: SQLConnection) throws in
            let sql = "SELECT name FROM dog ORDER BY id"
            let pairs = try db.rows(sql) { row in
                let inner: [String] = try db.values(sql)
                return "\(try row[0] as String) \(inner.joined())"
            }
            #expect(pairs == ["Argo ArgoBea", "Bea ArgoBea"])
        }
    }

    @Test("A prepared statement is run repeatedly with other values")
    func repeated() throws {
        try Self.table { (db: SQLConnection) throws in
            let insert = try PreparedStatement(db, "INSERT INTO dog (name) VALUES (?)")
            for name in ["Ciro", "Dora"] { try insert.run([name]) }
            let find = try PreparedStatement(db, "SELECT name FROM dog WHERE id = ?1")
            let names = try (Int64(1)...4).map { key in
                try find.restart(key)
                return try find.next() ? find.row.string(0) : nil
            }
            #expect(names == ["Argo", "Bea", "Ciro", "Dora"])
        }
    }
}
