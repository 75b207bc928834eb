import Concurrency
import Dispatch
package import Domain
package import Foundation
package import Migrations
package import SQL

/// A database on a PostgreSQL server with PostGIS, which several nodes may share.
///
/// Reads and writes wait for the server on the caller's thread, so callers must not run on an event loop or on Swift's
/// cooperative threads where others could wait for them (see `DatabaseThreads` of the server).
package final class PostgresDatabase: Database {
    /// The maximum number of connections for reads.
    package static let readers = 16
    /// How long a read waits for a connection, and for its statements if nothing else limits them.
    private static let patience = Duration.seconds(5)

    /// How long an idle connection may take to begin a read, before it counts as lost.
    private static let patienceToBegin = Duration.seconds(2)

    package let folder: URL
    package let faults: StorageFaults
    private let address: PostgresAddress
    private let pool: PostgresPool
    private let standby: PostgresStandby?
    private let commits: GroupCommit
    private let maxReadDuration: Duration?
    private let leadership: PostgresLeadership

    /// Connects at the first use.
    ///
    /// - Parameters:
    ///   - standby: another server of the database, which answers reads as `ReadTarget` allows; nil for none.
    ///   - folder: the data folder of this node.
    ///   - maxReadDuration: reads that take longer are interrupted; nil for no limit.
    package init(
        _ address: PostgresAddress,
        standby: PostgresAddress? = nil,
        folder: URL,
        maxReadDuration: Duration? = nil
    ) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder
        self.address = address
        self.maxReadDuration = maxReadDuration
        faults = StorageFaults(folder: folder)
        pool = PostgresPool(address, size: Self.readers, patience: Self.patience)
        self.standby = standby.map {
            PostgresStandby(PostgresPool($0, size: Self.readers, patience: Self.patience))
        }
        leadership = PostgresLeadership(address)
        commits = GroupCommit(PostgresWriter(address), turn: DispatchSemaphore(value: 1))
    }

    package var engine: SQLEngine { .postGIS }

    // MARK: - Reads

    package func readNow<Value>(_ body: (SQLConnection) throws -> Value) throws -> Value {
        do { return try read(within: limit, body) } catch { throw explain(error) }
    }

    package func readNow<Value>(atMost limit: Double, _ body: (SQLConnection) throws -> Value) throws -> Value? {
        do { return try read(within: min(.seconds(limit), self.limit ?? .seconds(limit)), body) } catch let error
            as PostgresError
            where error.code == PostgresError.queryCanceled
        {
            return nil
        } catch { throw explain(error) }
    }

    /// The budget of a request counts processor time, which the server does not tell: a request gets ten times as long.
    static let durationPerProcessorTime = 10.0

    /// The time for the statements of a read; nil for no limit.
    private var limit: Duration? {
        let budget = RequestMeter.current?.readTimeLeft.map {
            Duration.seconds(max(0.01, $0 * Self.durationPerProcessorTime))
        }
        return [maxReadDuration, budget].compactMap(\.self).min()
    }

    func read<Value>(within limit: Duration?, _ body: (SQLConnection) throws -> Value) throws -> Value {
        let (meter, start) = (RequestMeter.current, MonotonicClock.seconds)
        defer {
            let duration = MonotonicClock.seconds - start
            meter?.addRead(duration: duration, processorTime: duration / Self.durationPerProcessorTime)
        }
        let (connection, pool) = try begin(within: limit)
        defer { pool.give(connection) }
        defer { if !connection.isBroken { try? connection.send(script: "COMMIT") } }
        do { return try body(SQLConnection(connection)) } catch let error as PostgresError
            where error.code == PostgresError.queryCanceled
        {
            meter?.noteInterruption()
            throw error
        }
    }

    /// Begins a read on the first server that the task may use.
    private func begin(within limit: Duration?) throws -> (PostgresConnection, PostgresPool) {
        let pools = pools
        for pool in pools.dropLast() {
            do { return (try begin(pool, limit), pool) } catch is PostgresError {}
        }
        return (try begin(pools[pools.count - 1], limit), pools[pools.count - 1])
    }

    /// The pools of the servers that the task may use, the preferred one first.
    private var pools: [PostgresPool] {
        guard let standby else { return [pool] }
        return switch ReadTarget.current {
        case .primary: [pool]
        case .primaryFirst: [pool, standby.pool]
        case .standbyFirst: standby.isRecent ? [standby.pool, pool] : [pool, standby.pool]
        }
    }

    private func begin(_ pool: PostgresPool, _ limit: Duration?) throws -> PostgresConnection {
        let milliseconds = limit.map { max(1, Int($0 / .milliseconds(1))) } ?? 0
        return try pool.take { connection in
            connection.deadline = .now + Self.patienceToBegin
            try connection.run(
                script: """
                    BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = \(milliseconds)
                    """
            )
            connection.deadline = .now + (limit.map { $0 + Self.patience } ?? .seconds(86_400))
        }
    }

    // MARK: - Writes

    @discardableResult
    package func write<Value: Sendable>(
        _ body: @Sendable @escaping (SQLConnection) throws -> Value
    ) async throws -> Value {
        do { return try await commits.write(body) } catch { throw explain(error, isWrite: true) }
    }

    /// The triggers do the work that `batch` does on SpatiaLite.
    package func write<Value: Sendable>(
        _ batch: WriteBatch,
        _ body: @Sendable @escaping (SQLConnection) throws -> Value
    ) async throws -> Value {
        try await write(body)
    }

    package func open(_ batch: WriteBatch) {}

    package func close(_ batch: WriteBatch) {}

    package func beginSync() {}

    package func writeFault() async -> StorageFault? {
        guard let known = faults.writing else { return nil }
        // A write would look for another server for seconds.
        do { try readNow { db in _ = try db.exists("SELECT 1") } } catch { return known }
        do { try await write { db in try db.execute("UPDATE schema_version SET number = number") } } catch {
            return faults.writing ?? known
        }
        faults.writingSucceeds()
        return nil
    }

    package var writesWaiting: Int { commits.waiting }

    // MARK: - Errors

    private func explain(_ error: any Error, isWrite: Bool = false) -> any Error {
        guard let error = error as? PostgresError else { return error }
        if error.code == PostgresError.queryCanceled || error.isTransient {
            return isWrite
                ? ServiceError(.unavailable, "the database is busy: try again in a moment", retryAfter: 5)
                : ReadConnections.tooSlow
        }
        return faults.explain(error, isWrite: isWrite)
    }

    // MARK: - Nodes

    package var isLeader: Bool { leadership.isHeld }

    /// Makes nodes refuse to start, until the result is released. Throws `conflict` if one runs.
    func lockAgainstNodes() throws -> PostgresConnection { try leadership.exclude() }

    package func renewLeadership() throws {
        do { try leadership.renew() } catch { throw explain(error) }
    }

    package func agree(on settings: [String: String]) async throws {
        try await write { db in
            let others = try PostgresLeadership.countNodes(db) - 1
            for (name, value) in settings.sorted(by: { $0.key < $1.key }) {
                let known: String? = try db.value("SELECT value FROM node_setting WHERE name = ?", [name])
                guard known == nil || known == value || others <= 0 else {
                    throw ServiceError(.conflict, "\(name): expected the same as of the other nodes of this database")
                }
                try db.execute(
                    "INSERT INTO node_setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                    [name, value]
                )
            }
        }
    }

    package var hasStandby: Bool { standby != nil }

    package func checkStandby() throws {
        do { try standby?.look(pool) } catch { throw explain(error) }
    }

    // MARK: - Schema

    /// Migrates the schema and returns the migrations that were applied. If the method throws, the database is as it
    /// was. Throws if the database has a newer schema than this program, and `PostgresError` if there is no server.
    package func migrate(progress: (Migration) throws -> Void = { _ in }) throws -> [Migration] {
        try withConnection { db in try Migrator.migratePostGIS(db, progress) }
    }

    /// Runs `body` on a connection of its own without a transaction, for work of hours.
    func withConnection<Value>(_ body: (SQLConnection) throws -> Value) throws -> Value {
        let connection = try PostgresConnection(address, within: Self.patience)
        connection.deadline = .now + .seconds(86_400)
        return try body(SQLConnection(connection))
    }

    package func sizes(_ db: SQLConnection) throws -> (database: Int, log: Int) {
        (try db.value("SELECT pg_database_size(current_database())") ?? 0, 0)
    }

    package func checkpoint() async throws -> Bool { true }

    package func close() throws {
        pool.close()
        standby?.pool.close()
        try commits.close()
        leadership.close()
    }
}
