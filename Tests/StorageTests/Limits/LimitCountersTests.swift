import Concurrency
import Domain
import Foundation
import SQL
import Synchronization
import TestSupport
import Testing

@testable import Storage

/// Run with database files and on PostgreSQL, they test both implementations.
@Suite("Counters of limits")
struct LimitCountersTests {
    private static func add(
        _ amounts: [Double],
        _ keys: [LimitKey],
        _ counters: any LimitCounters
    ) async throws -> [Double] {
        try await counters.update(keys) { values, _ in
            values = zip(values, amounts).map(+)
            return values
        }
    }

    @Test("Counters are kept by limit and by subject")
    func keys() async throws {
        let counters = try await TestDatabase().database.limitCounters()
        let keys = [LimitKey("a", "x"), LimitKey("b", "x"), LimitKey("a", "y")]
        #expect(try await Self.add([1, 2, 0], keys, counters) == [1, 2, 0])
        #expect(try await Self.add([0, 0, 0], keys.reversed(), counters) == [0, 2, 1])
        #expect(try await Self.add([3, -1], [keys[0], keys[2]], counters) == [4, -1])
        #expect(try await Self.add([0], [keys[0]], counters) == [4])
    }

    @Test("Simultaneous changes are all counted")
    func simultaneous() async throws {
        let counters = try await TestDatabase().database.limitCounters()
        let keys = [LimitKey("a", "x"), LimitKey("a", "y")]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask { _ = try await Self.add([1, 2], number % 2 == 0 ? keys : keys.reversed(), counters) }
            }
            try await group.waitForAll()
        }
        #expect(try await Self.add([0, 0], keys, counters) == [150, 150])
    }

    @Test("The clock is that of the machine or of the database server, and advances")
    func clock() async throws {
        let database = try await TestDatabase().database
        let counters = database.limitCounters()
        func now() async throws -> Double { try await counters.update([LimitKey("a", "x")]) { _, now in now } }
        let (first, second) = (try await now(), try await now())
        #expect(first > 0 && second >= first)
        let given = try await database.limitCounters(clock: { 7 }).update([LimitKey("a", "x")]) { _, now in now }
        #expect(given == 7)
    }

    @Test(
        "Nodes have the same counters, and keep them when they restart",
        .enabled(if: !TestDatabase.isFile, "needs PostgreSQL")
    )
    func nodes() async throws {
        let board = try await TestDatabase()
        let keys = [LimitKey("a", "anna@example.org"), LimitKey("b", "2001:db8::1")]
        #expect(try await Self.add([1, 2], keys, board.database.limitCounters()) == [1, 2])
        let other = try board.otherNode()
        #expect(try await Self.add([1, 2], keys, other.database.limitCounters()) == [2, 4])
        try board.database.close()
        try other.database.close()
        let again = try board.otherNode()
        #expect(try await Self.add([1, 2], keys, again.database.limitCounters()) == [3, 6])
    }

    @Test(
        "Counters that have passed are deleted, and the first to pass if there are too many",
        .enabled(if: !TestDatabase.isFile, "needs PostgreSQL")
    )
    func prune() async throws {
        let database = try await TestDatabase().database
        let counters = LimitCounterStore(database, clock: { 1000 }, maxCounters: 500)
        for start in stride(from: 0, to: 2_000, by: 500) {
            let times = start..<start + 500
            _ = try await Self.add(times.map { Double($0) + 1 }, times.map { LimitKey("a", "\($0)") }, counters)
        }
        func stored() async throws -> (count: Int?, first: Double?) {
            try await database.read { db in
                (
                    try db.value("SELECT count(*) FROM limit_counter"),
                    try db.value("SELECT min(passes_at) FROM limit_counter")
                )
            }
        }
        // 1,000 counters have passed, and 500 are too many.
        #expect(try await counters.prune() == true)
        #expect(try await stored().first == 1001)
        for _ in 0..<2 {
            #expect(try await counters.prune() == false)
            let (count, first) = try await stored()
            #expect(count == 500 && first == 1501)
        }
    }

    @Test("Without a server, counting fails", .enabled(if: !TestDatabase.isFile, "needs PostgreSQL"))
    func outage() async throws {
        let folder = try TemporaryFolder()
        let nowhere = try PostgresAddress("postgresql://user@/none?host=\(folder.url.path)")
        let counters = try PostgresDatabase(nowhere, folder: folder.url).limitCounters()
        await #expect {
            _ = try await Self.add([1], [LimitKey("a", "x")], counters)
        } throws: { error in
            (error as? ServiceError)?.code == .unavailable
        }
    }
}
