import Domain
import SQL
import Synchronization
import TestSupport
import Testing

@testable import Storage

@Suite("Leadership of nodes", .disabled(if: TestDatabase.isFile, "TEST_DATABASE names no PostgreSQL server"))
struct LeadershipTests {
    @Test("One node leads, and another does as soon as the first one ends or its session is lost")
    func succession() async throws {
        let first = try await TestDatabase()
        let second = try first.otherNode()
        try first.database.renewLeadership()
        try second.database.renewLeadership()
        #expect(first.database.isLeader && !second.database.isLeader)
        try first.database.renewLeadership()
        try second.database.renewLeadership()
        #expect(first.database.isLeader && !second.database.isLeader)

        // The server ends the session of the leader, which learns of it at its next turn only.
        try await second.database.write { db in
            let ended: Int? = try db.value(
                """
                SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_locks
                WHERE locktype = 'advisory' AND classid = 0 AND objid = \(PostgresLeadership.leaderKey) AND granted
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """
            )
            #expect(ended == 1)
        }
        try second.database.renewLeadership()
        #expect(second.database.isLeader)
        try first.database.renewLeadership()
        #expect(!first.database.isLeader)

        try second.database.close()
        #expect(!second.database.isLeader)
        // The server notices soon that the session has ended.
        try await until("a new leader") {
            try first.database.renewLeadership()
            return first.database.isLeader
        }
    }

    @Test("A node must have the same keys as the others, and may change them when it is alone")
    func agreement() async throws {
        let first = try await TestDatabase()
        let second = try first.otherNode()
        for node in [first, second] { try node.database.renewLeadership() }
        try await first.database.agree(on: ["vapid-key-file": "one"])
        try await second.database.agree(on: ["vapid-key-file": "one"])
        await #expect {
            try await second.database.agree(on: ["vapid-key-file": "two"])
        } throws: { "\($0)".contains("vapid-key-file: expected the same") }
        try first.database.close()
        try await until("the second node alone") {
            (try? await second.database.agree(on: ["vapid-key-file": "two"])) != nil
        }
        try first.database.renewLeadership()
        await #expect(throws: ServiceError.self) { try await first.database.agree(on: ["vapid-key-file": "one"]) }
    }

    @Test("A leader that does not confirm it for six seconds leads no more, until it confirms it")
    func term() async throws {
        let board = try await TestDatabase()
        let server = try #require(PostgresTestServer.current)
        let time = Mutex(0.0)
        let leadership = PostgresLeadership(try server.address(of: board.database)) { time.withLock(\.self) }
        try leadership.renew()
        time.withLock { $0 = 5.9 }
        #expect(leadership.isHeld)
        time.withLock { $0 = 6 }
        #expect(!leadership.isHeld)
        try leadership.renew()
        #expect(leadership.isHeld)
    }
}
