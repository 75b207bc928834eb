import Concurrency
import Domain
import SQL
import Synchronization

/// The connections to a standby, and whether its answers are recent enough.
final class PostgresStandby: Sendable {
    private struct State {
        /// The positions in the log of the primary, with their times in seconds; the oldest first.
        var positions: [(time: Double, position: Int64)] = []
        var isRecent = true
    }

    /// How old the answers of a standby may be, in seconds.
    private static let maxAge = 10.0

    let pool: PostgresPool
    private let state = Mutex(State())

    init(_ pool: PostgresPool) { self.pool = pool }

    /// Whether the standby had received, at the last look, what the primary had written `maxAge` before.
    var isRecent: Bool { state.withLock(\.isRecent) }

    /// Compares the standby with the primary. If one of them cannot be reached, the standby counts as before.
    func look(_ primary: PostgresPool) throws {
        guard let written = try? Self.position(primary) else { return }
        note(written: written, received: try Self.position(pool), at: MonotonicClock.seconds)
    }

    /// - Parameters:
    ///   - written: the position of the primary.
    ///   - received: the position of the standby.
    ///   - time: in seconds, of a monotonic clock.
    func note(written: Int64, received: Int64, at time: Double) {
        state.withLock { state in
            state.positions.append((time, written))
            while state.positions.count > 1, state.positions[1].time <= time - Self.maxAge {
                state.positions.removeFirst()
            }
            let wanted = state.positions.first { $0.time <= time - Self.maxAge }?.position ?? 0
            state.isRecent = received >= wanted
        }
    }

    /// Returns the position in the log up to which a server has changed its data.
    private static func position(_ pool: PostgresPool) throws -> Int64 {
        try pool.use { connection in
            connection.deadline = .now + .seconds(2)
            let position: Int64? = try SQLConnection(connection).value(
                """
                SELECT CAST(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END
                    - '0/0' AS bigint)
                """
            )
            return position ?? 0
        }
    }
}
