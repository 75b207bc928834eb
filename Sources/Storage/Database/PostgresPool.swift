import Concurrency
import Dispatch
import Domain
import SQL
import Synchronization

/// Connections to PostgreSQL for reads. Each serves one caller at a time.
///
/// A caller without a connection waits on its thread, at most `patience`. The number of threads limits how many wait.
final class PostgresPool: Sendable {
    private struct State {
        var idle: [PostgresConnection] = []
        /// When the last attempt to connect has failed after a long time.
        var failedAt: ContinuousClock.Instant?
        var failure: (any Error)?
    }

    private let address: PostgresAddress
    private let permits: DispatchSemaphore
    private let patience: Duration
    private let state = Mutex(State())

    /// An attempt to connect that took this long is not repeated for as long, so that not every caller waits for it.
    private static let longAttempt = Duration.seconds(1)

    /// For the statements of searches, compilation, parallel workers and a new plan for each value take longer than they
    /// save; and reading an index in its order is better than reading and sorting all rows of a cell, which the planner's
    /// prices for rotating disks prevent (decision 0129).
    private static let settings = """
        SET jit = off; SET max_parallel_workers_per_gather = 0; SET plan_cache_mode = force_generic_plan;
        SET random_page_cost = 1.1
        """

    /// - Parameter patience: how long a caller waits for a connection.
    init(_ address: PostgresAddress, size: Int, patience: Duration) {
        self.address = address
        self.patience = patience
        permits = DispatchSemaphore(value: size)
    }

    /// Runs `body` on a connection.
    func use<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
        let connection = try take { _ in }
        defer { give(connection) }
        return try body(connection)
    }

    /// Returns a connection that has begun with the statements of `begin`. The caller must give it back.
    ///
    /// - Parameter begin: may run again on another connection, if the first one is lost.
    func take(_ begin: (PostgresConnection) throws -> Void) throws -> PostgresConnection {
        guard permits.wait(timeout: .now() + patience / .seconds(1)) == .success else {
            throw ServiceError(.unavailable, "too many requests wait for the database: try again in a moment")
        }
        do { return try begun(begin) } catch {
            permits.signal()
            throw error
        }
    }

    func give(_ connection: PostgresConnection) {
        keep(connection)
        permits.signal()
    }

    /// Returns a connection on which `begin` has succeeded. Idle connections may have been lost since they were used.
    private func begun(_ begin: (PostgresConnection) throws -> Void) throws -> PostgresConnection {
        while let connection = state.withLock({ $0.idle.popLast() }) {
            do {
                try begin(connection)
                return connection
            } catch let error as PostgresError where error.isConnectionLoss {
                // The others are probably lost as well.
                state.withLock { $0.idle = [] }
            }
        }
        let connection = try connect()
        try begin(connection)
        return connection
    }

    private func connect() throws -> PostgresConnection {
        let start = ContinuousClock.now
        if let failure = state.withLock({ state in
            state.failedAt.flatMap { start - $0 < Self.longAttempt ? state.failure : nil }
        }) {
            throw failure
        }
        do {
            let connection = try PostgresConnection(address, within: patience)
            try connection.run(script: Self.settings)
            state.withLock { $0.failedAt = nil }
            return connection
        } catch {
            let end = ContinuousClock.now
            if end - start >= Self.longAttempt {
                state.withLock { ($0.failedAt, $0.failure) = (end, error) }
            }
            throw error
        }
    }

    private func keep(_ connection: PostgresConnection) {
        guard !connection.isBroken, !connection.isInTransaction else { return }
        state.withLock { $0.idle.append(connection) }
    }

    func close() { state.withLock { $0.idle = [] } }
}
