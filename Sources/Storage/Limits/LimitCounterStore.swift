package import Concurrency
import Cryptography
import Foundation
import SQL
import Synchronization

extension Database {
    /// Returns counters in this database if several nodes can share it. Otherwise they are in the memory of the process,
    /// so that counting costs nothing.
    ///
    /// - Parameter clock: a clock in seconds; nil for the one of the machine or of the database server.
    package func limitCounters(clock: (@Sendable () -> Double)? = nil) -> any LimitCounters {
        switch engine {
        case .spatiaLite: LocalLimitCounters(clock: clock ?? { MonotonicClock.seconds })
        case .postGIS: LimitCounterStore(self, clock: clock)
        }
    }
}

/// Counters in a PostgreSQL database, which all nodes share. Subjects are stored as digests with a secret of the
/// database, so that nobody reads addresses there. The clock is that of the database server.
package final class LimitCounterStore: LimitCounters {
    /// The number of counters that `prune` leaves, about 150 MB. The ones that pass first are deleted first.
    private static let maxCounters = 1_000_000
    /// The maximum number of counters per write, so that other writes do not wait long.
    private static let batchSize = 1_000

    private let database: any Database
    private let clock: (@Sendable () -> Double)?
    private let maxCounters: Int
    /// Nil before it was read.
    private let secret = Mutex<Data?>(nil)

    /// - Parameters:
    ///   - clock: a clock in seconds in place of the database server's.
    ///   - maxCounters: the number of counters that `prune` leaves.
    package init(
        _ database: any Database,
        clock: (@Sendable () -> Double)? = nil,
        maxCounters: Int = LimitCounterStore.maxCounters
    ) {
        self.database = database
        self.clock = clock
        self.maxCounters = maxCounters
    }

    package func update<Value: Sendable>(
        _ keys: [LimitKey],
        _ change: @Sendable @escaping (_ counters: inout [Double], _ now: Double) -> Value
    ) async throws -> Value {
        try await database.write { [self] db in
            let secret = try readSecret(db)
            let keys = keys.map { Self.digest($0, secret) }
            let (old, now) = try read(keys, db)
            var counters = old
            let value = change(&counters, now)
            try Self.write(zip(keys, zip(old, counters)).filter { $1.0 != $1.1 }.map { ($0, $1.1) }, db)
            return value
        }
    }

    package func prune() async throws -> Bool {
        let passed = try await database.write { [self] db in
            try Self.delete(Self.batchSize, passedAt: try now(db), db)
        }
        guard passed < Self.batchSize else { return true }
        let count = try await database.read { db in try db.count("limit_counter") }
        let excess = min(count - maxCounters, Self.batchSize)
        guard excess > 0 else { return false }
        try await database.write { db in try Self.delete(excess, passedAt: .greatestFiniteMagnitude, db) }
        return excess == Self.batchSize
    }

    /// Deletes the first counters to pass, if they have passed at a time. Returns their number.
    @discardableResult
    private static func delete(_ count: Int, passedAt time: Double, _ db: SQLConnection) throws -> Int {
        try db.execute(
            """
            DELETE FROM limit_counter
            WHERE key IN (SELECT key FROM limit_counter WHERE passes_at <= ? ORDER BY passes_at LIMIT ?)
            """,
            [time, count]
        )
    }

    private static let time = "extract(epoch FROM clock_timestamp())::double precision"

    private func now(_ db: SQLConnection) throws -> Double {
        try clock?() ?? db.value("SELECT \(Self.time)") ?? 0
    }

    private func readSecret(_ db: SQLConnection) throws -> Data {
        if let known = secret.withLock(\.self) { return known }
        guard let key: Data = try db.value("SELECT secret FROM limit_secret") else {
            throw UnreadableRow("the table limit_secret is empty")
        }
        secret.withLock { $0 = key }
        return key
    }

    private static func digest(_ key: LimitKey, _ secret: Data) -> Data {
        let text = Array("\(key.limit)\0\(key.subject)".utf8)
        return HashFunction.sha256.authenticationCode(of: text, key: secret).prefix(16)
    }

    private func read(_ keys: [Data], _ db: SQLConnection) throws -> (counters: [Double], now: Double) {
        var (found, now) = ([Data: Double](), 0.0)
        try db.forEachRow(
            """
            SELECT now, key, passes_at FROM (SELECT \(Self.time) AS now) AS clock
            LEFT JOIN limit_counter ON key IN (\(Self.list("?", keys.count)))
            """,
            keys
        ) { row in
            now = try row[0]
            if let key: Data = try row[1] { found[key] = try row[2] }
        }
        return (keys.map { found[$0] ?? 0 }, clock?() ?? now)
    }

    private static func write(_ changes: [(key: Data, counter: Double)], _ db: SQLConnection) throws {
        guard !changes.isEmpty else { return }
        try db.execute(
            """
            INSERT INTO limit_counter (key, passes_at) VALUES \(list("(?, ?)", changes.count))
            ON CONFLICT (key) DO UPDATE SET passes_at = excluded.passes_at
            """,
            changes.flatMap { [$0.key as any SQLBindable, $0.counter] }
        )
    }

    private static func list(_ item: String, _ count: Int) -> String {
        Array(repeating: item, count: count).joined(separator: ", ")
    }
}
