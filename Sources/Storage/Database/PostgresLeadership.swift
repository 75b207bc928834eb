import Concurrency
import Domain
import SQL
import Synchronization

/// Elects the one node that does what only one may do at a time: the node whose session holds an advisory lock.
///
/// The lock is free at once when the process ends, and after `serverPatience` if the server hears nothing from the node.
/// By then the node has stopped to count as leader, because it counts as one for `term` after each confirmation only.
final class PostgresLeadership: Sendable {
    private struct State {
        var connection: PostgresConnection?
        var hasLock = false
        var confirmedAt = -Double.infinity
    }

    /// The key of the lock that each server shares: the letters of "serve".
    private static let presenceKey = 0x73_6572_7665
    /// The key of the lock of the leader: the letters of "lead".
    static let leaderKey = 0x6C65_6164

    /// How long a confirmation may take.
    private static let patience = Duration.seconds(2)
    /// In seconds: two confirmations may fail.
    private static let term = 6.0
    /// The seconds after which the server ends a session without a sign of life.
    private static let serverPatience = 15

    private let address: PostgresAddress
    private let clock: @Sendable () -> Double
    private let state = Mutex(State())

    /// - Parameter clock: a monotonic clock in seconds.
    init(_ address: PostgresAddress, clock: @escaping @Sendable () -> Double = { MonotonicClock.seconds }) {
        (self.address, self.clock) = (address, clock)
    }

    /// Whether this node is the leader.
    var isHeld: Bool {
        state.withLock { $0.hasLock && clock() - $0.confirmedAt < Self.term }
    }

    /// Confirms that this node is the leader, or tries to become it. Call it every two seconds.
    ///
    /// - Throws: `PostgresError` if the server cannot be reached; `conflict` while a command needs the database for
    ///   itself.
    func renew() throws {
        let session = state.withLock(\.connection)
        do {
            // A server that was idle for long, for example while it started, has lost its session.
            if let session, (try? renew(session)) != nil { return }
            try renew(connect())
        } catch {
            state.withLock { $0 = State() }
            throw error
        }
    }

    private func renew(_ session: PostgresConnection) throws {
        let time = clock()
        session.deadline = .now + Self.patience
        let hadLock = state.withLock(\.hasLock)
        let hasLock: Bool? = try SQLConnection(session).value(
            hadLock ? "SELECT true" : "SELECT pg_try_advisory_lock(\(Self.leaderKey))"
        )
        state.withLock { $0 = State(connection: session, hasLock: hasLock == true, confirmedAt: time) }
    }

    private func connect() throws -> PostgresConnection {
        // The lock belongs to the session.
        state.withLock { $0 = State() }
        let connection = try PostgresConnection(address, within: Self.patience)
        try connection.run(
            script: """
                SET idle_session_timeout = '\(Self.serverPatience)s'; SET tcp_keepalives_idle = 5;
                SET tcp_keepalives_interval = 3; SET tcp_keepalives_count = 3
                """
        )
        let isOpen: Bool? = try SQLConnection(connection).value(
            "SELECT pg_try_advisory_lock_shared(\(Self.presenceKey))"
        )
        guard isOpen == true else {
            throw ServiceError(.conflict, "a command needs the database \(address.description) for itself: wait for it")
        }
        return connection
    }

    /// The number of servers that run on the database, including this one.
    static func countNodes(_ db: SQLConnection) throws -> Int {
        try db.value(
            """
            SELECT count(DISTINCT pid) FROM pg_locks JOIN pg_database ON pg_database.oid = database
            WHERE datname = current_database() AND locktype = 'advisory' AND mode = 'ShareLock' AND granted
                AND classid = ? AND objid = ?
            """,
            [presenceKey >> 32, presenceKey & 0xFFFF_FFFF]
        ) ?? 0
    }

    /// Returns a session that holds the lock which each server shares. Throws `conflict` if a server runs.
    func exclude() throws -> PostgresConnection {
        let connection = try PostgresConnection(address, within: Self.patience)
        let isFree: Bool? = try SQLConnection(connection).value("SELECT pg_try_advisory_lock(\(Self.presenceKey))")
        guard isFree == true else {
            throw ServiceError(.conflict, "a server runs on the database \(address.description): stop it first")
        }
        return connection
    }

    /// Resigns, so that another node becomes the leader at once.
    func close() { state.withLock { $0 = State() } }
}
