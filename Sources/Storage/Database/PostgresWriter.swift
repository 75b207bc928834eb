import Dispatch
import Domain
import Foundation
import Migrations
import SQL
import Synchronization

/// The connection of a node on which it writes groups.
///
/// All nodes take turns: each transaction holds one advisory lock. Without it, a third of concurrent transactions would
/// fail because of deadlocks on the rows that count listings, and events would not become visible in the order of their
/// numbers.
final class PostgresWriter: GroupWriter, @unchecked Sendable {
    /// The key of the advisory lock: the letters of "doggo".
    static let lock = 0x64_6F67_676F

    /// How long a group waits for the lock, for its statements and for another server after a failure.
    private static let patience = Duration.seconds(10)

    /// How much longer a group may take if the server does not answer, for example to a commit.
    private static let patienceAfterwards = Duration.seconds(5)
    /// After this time in milliseconds, the server ends the transaction of a node that is silent, because all nodes wait
    /// for its lock.
    private static let maxSilence = 5_000

    /// How often a group that could not be written looks for a server.
    private static let pause = 0.2

    private let address: PostgresAddress
    private let queue = DispatchQueue(label: "doggofinder.writer")
    /// Belongs to `queue`.
    private var connection: PostgresConnection?

    init(_ address: PostgresAddress) { self.address = address }

    func schedule(_ work: @escaping @Sendable (any GroupTransactions) -> Void) {
        queue.async { work(Transactions(writer: self)) }
    }

    private struct Transactions: GroupTransactions {
        let writer: PostgresWriter

        func prepare() {}

        func run(_ body: (SQLConnection) throws -> Void) throws { try writer.run(body) }
    }

    /// Runs a transaction, again on another connection if the first one is lost before the commit, or if the server
    /// ended the transaction because of others.
    private func run(_ body: (SQLConnection) throws -> Void) throws {
        let end = ContinuousClock.now + Self.patience
        while true {
            do { return try runOnce(body, until: end) } catch let error as PostgresError {
                guard error.isConnectionLoss || error.isTransient, .now + .seconds(Self.pause) < end else {
                    throw error
                }
                if error.isConnectionLoss { connection = nil }
                Thread.sleep(forTimeInterval: Self.pause)
            }
        }
    }

    private func runOnce(_ body: (SQLConnection) throws -> Void, until end: ContinuousClock.Instant) throws {
        let connection = try connection ?? PostgresConnection(address, within: max(.seconds(1), end - .now))
        self.connection = connection
        connection.deadline = end + Self.patienceAfterwards
        let db = SQLConnection(connection)
        do {
            try begin(db)
            try body(db)
        } catch {
            // A lost connection cannot be rolled back, and the server does it.
            if !connection.isBroken { try? connection.run(script: "ROLLBACK") }
            throw error
        }
        do { try connection.run(script: "COMMIT") } catch let error as PostgresError where error.isConnectionLoss {
            self.connection = nil
            throw ServiceError(
                .unavailable,
                "the database was lost while it saved this: look whether it is saved before you try again"
            )
        }
    }

    private func begin(_ db: SQLConnection) throws {
        let milliseconds = Int(Self.patience / .milliseconds(1))
        // The schema is read by a statement that begins after the lock, so that it is not the one before a migration.
        try db.run(
            script: """
                BEGIN; SET LOCAL lock_timeout = \(milliseconds); SET LOCAL statement_timeout = \(milliseconds);
                SET LOCAL idle_in_transaction_session_timeout = \(Self.maxSilence); SELECT pg_advisory_xact_lock(\(Self.lock))
                """
        )
        let schema: Int? = try db.value("SELECT number FROM schema_version")
        guard schema ?? 0 <= Migration.postGIS.last?.number ?? 0 else {
            throw ServiceError(.unavailable, "a newer program has changed the database: start that program instead")
        }
    }

    /// Clients should be answered before they give up, usually after 30 to 60 seconds.
    var maxWait: Duration? { Self.patience }

    func affectsAllWrites(_ error: any Error) -> Bool {
        guard let error = error as? PostgresError else { return error is ServiceError && connection == nil }
        // Others held a lock for as long as a group waits.
        return error.isTransient || StorageFault(error)?.affectsEveryWrite == true
    }

    func releaseCache() {}

    func close() { queue.sync { connection = nil } }
}
