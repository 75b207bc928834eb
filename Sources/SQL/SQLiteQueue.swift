import Dispatch

/// A connection on which callers take turns, in the order of their calls. A transaction that a caller leaves open is
/// rolled back.
package final class SQLiteQueue: Sendable {
    private let connection: SQLiteConnection
    private let queue = DispatchQueue(label: "doggofinder.sqlite", qos: .userInitiated)

    package init(_ connection: SQLiteConnection) { self.connection = connection }

    /// Runs `body` and returns when it has run. Must not be called within `body`.
    package func run<Value>(_ body: (SQLConnection) throws -> Value) rethrows -> Value {
        dispatchPrecondition(condition: .notOnQueue(queue))
        return try queue.sync { try turn(body) }
    }

    /// Runs `body` later, on a thread of the queue.
    package func schedule(_ body: @escaping @Sendable (SQLConnection) -> Void) {
        queue.async { self.turn(body) }
    }

    private func turn<Value>(_ body: (SQLConnection) throws -> Value) rethrows -> Value {
        defer { connection.rollback() }
        return try body(SQLConnection(connection))
    }

    /// Interrupts the statement that is running, from any thread.
    package func interrupt() { connection.interrupt() }

    /// Closes the connection after the calls that wait.
    package func close() throws { try run { _ in try connection.close() } }
}
