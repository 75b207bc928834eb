import Domain
import SQL
import TestSupport
import Testing

@testable import Storage

@Suite("Reads from a standby", .disabled(if: TestDatabase.isFile, "TEST_DATABASE names no PostgreSQL server"))
struct PostgresStandbyTests {
    /// Nothing listens there.
    private static let nowhere = "postgresql://nobody@/nothing?host=/nonexistent"

    private static func count(_ database: PostgresDatabase, _ target: ReadTarget) throws -> Int? {
        try ReadTarget.$current.withValue(target) {
            try database.readNow { db in try db.value("SELECT count(*) FROM listing") }
        }
    }

    @Test("While the primary cannot be reached, a standby answers all reads but those that must see every write")
    func primaryLost() async throws {
        let board = try await TestDatabase()
        let address = try #require(PostgresTestServer.current).address(of: board.database)
        let database = try PostgresDatabase(
            PostgresAddress(Self.nowhere),
            standby: address,
            folder: board.folder.url
        )
        #expect(try Self.count(database, .standbyFirst) == 0)
        #expect(try Self.count(database, .primaryFirst) == 0)
        #expect(throws: ServiceError.self) { try Self.count(database, .primary) }
        try database.checkStandby()
        await #expect(throws: ServiceError.self) {
            try await database.write { db in try db.execute("DELETE FROM listing") }
        }
    }

    @Test("While no standby can be reached, the primary answers")
    func standbyLost() async throws {
        let board = try await TestDatabase()
        let address = try #require(PostgresTestServer.current).address(of: board.database)
        let database = try PostgresDatabase(
            address,
            standby: PostgresAddress(Self.nowhere, purpose: .reading),
            folder: board.folder.url
        )
        for target in [ReadTarget.standbyFirst, .primaryFirst, .primary] {
            #expect(try Self.count(database, target) == 0)
        }
        #expect(throws: (any Error).self) { try database.checkStandby() }
    }

    @Test("A standby that lacks what was written ten seconds ago is not recent, until it has it")
    func age() async throws {
        let standby = PostgresStandby(PostgresPool(try PostgresAddress(Self.nowhere), size: 1, patience: .seconds(1)))
        standby.note(written: 100, received: 50, at: 0)
        #expect(standby.isRecent, "nothing is known of ten seconds ago")
        standby.note(written: 200, received: 50, at: 9)
        #expect(standby.isRecent)
        standby.note(written: 300, received: 99, at: 11)
        #expect(!standby.isRecent)
        standby.note(written: 300, received: 100, at: 13)
        #expect(standby.isRecent)
        standby.note(written: 300, received: 100, at: 20)
        #expect(!standby.isRecent)
    }
}
