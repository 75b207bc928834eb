import Domain
import Testing

@testable import SQL

@Suite("Parameters of PostgreSQL")
struct PlaceholdersTests {
    @Test(
        "Parameters are numbered as in SQLite, but not in texts, names and comments",
        arguments: [
            ("SELECT ?, ?", "SELECT $1, $2", 2), ("SELECT ?2, ?, ?1", "SELECT $2, $3, $1", 3),
            ("SELECT ?10 + ?", "SELECT $10 + $11", 11), ("SELECT 'a?''?' || ?", "SELECT 'a?''?' || $1", 1),
            ("SELECT \"?\" -- ?\n, ?", "SELECT \"?\" -- ?\n, $1", 1), ("SELECT 'è' = ?", "SELECT 'è' = $1", 1),
            ("SELECT a - b, 1--1", "SELECT a - b, 1--1", 0), ("SELECT '?", "SELECT '?", 0),
        ]
    )
    func numbers(sql: String, written: String, count: Int) {
        let placeholders = Placeholders(sql)
        #expect(placeholders.sql == written && placeholders.count == count)
    }

    @Test("Addresses are read by libpq, and passwords in them are noticed and not shown")
    func addresses() throws {
        let address = try PostgresAddress("postgresql://dogs:secret@a.example,b.example/board")
        #expect(address.hasPassword && address.database == "board" && !address.description.contains("secret"))
        #expect(try !PostgresAddress("postgresql://dogs@a.example/board").hasPassword)
        let error = #expect(throws: ServiceError.self) {
            try PostgresAddress("postgresql://a:secret@b/board?unknown=1")
        }
        #expect(error?.field == "database" && error?.message.text.contains("secret") == false)
    }

    @Test("A server that is not there is an error that tells so, and the connection is freed once")
    func absent() throws {
        let address = try PostgresAddress("postgresql://dogs@/board?host=/nowhere/at-all")
        let error = #expect(throws: PostgresError.self) { _ = try PostgresConnection(address, within: .seconds(5)) }
        #expect(error?.code == PostgresError.unableToConnect && error?.isConnectionLoss == true)
        #expect(error?.message.contains("/nowhere/at-all") == true)
    }
}
