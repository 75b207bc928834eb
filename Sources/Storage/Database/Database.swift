package import Domain
package import Foundation
package import SQL

/// The database that all stores share: a file of SpatiaLite (`DatabaseFile`), or a PostgreSQL server (`PostgresDatabase`).
package protocol Database: AnyObject, Sendable {
    var engine: SQLEngine { get }

    /// The data folder: keys, models, imported files and, by default, photos.
    var folder: URL { get }

    var faults: StorageFaults { get }

    /// Runs a read on one consistent snapshot of the database, on the caller's thread. Reads never wait for writes.
    /// Throws `unavailable` if the read takes longer than the request may use.
    func readNow<Value>(_ body: (SQLConnection) throws -> Value) throws -> Value

    /// Returns nil if the read takes longer than the limit, in seconds.
    func readNow<Value>(atMost limit: Double, _ body: (SQLConnection) throws -> Value) throws -> Value?

    /// Runs a write atomically and returns when it is stored safely. Concurrent writes share a commit, and a failed
    /// group is tried again, so the body may run more than once: it must have no effects outside the database.
    @discardableResult
    func write<Value: Sendable>(_ body: @Sendable @escaping (SQLConnection) throws -> Value) async throws -> Value

    /// Runs a write like `write(_:)`, on a connection for writes of this kind.
    func write<Value: Sendable>(
        _ batch: WriteBatch,
        _ body: @Sendable @escaping (SQLConnection) throws -> Value
    ) async throws -> Value

    /// Opens the connection of a kind of writes before the first of them.
    func open(_ batch: WriteBatch) throws

    func close(_ batch: WriteBatch) throws

    /// Begins to write the log to the disk. Call it after writes on a connection that does not sync its commits.
    func beginSync()

    /// Returns the fault that makes writes fail at present. If the last failed write had a storage fault, this method
    /// writes again to find out whether the fault persists.
    func writeFault() async -> StorageFault?

    /// The number of writes that wait for the next commit.
    var writesWaiting: Int { get }

    /// The sizes of the database and of what only its log contains, in bytes.
    func sizes(_ db: SQLConnection) throws -> (database: Int, log: Int)

    /// Copies the whole log into the database, which overwrites deleted data there. Returns false if a reader prevents
    /// this. PostgreSQL does it without being asked.
    func checkpoint() async throws -> Bool

    /// Whether this process does what only one may do at a time, such as sending mails. The only process of a database
    /// file always does; the nodes of a PostgreSQL database elect one.
    var isLeader: Bool { get }

    /// Confirms that this node is the leader, or tries to become it. Call it every two seconds. Throws if the database
    /// cannot be reached.
    func renewLeadership() throws

    /// Throws `conflict` if other nodes run with other values of these settings. Call `renewLeadership` before.
    ///
    /// - Parameter settings: by the names of their options. The database stores them, so they must not be secret.
    func agree(on settings: [String: String]) async throws

    /// Whether a standby answers reads while the primary cannot be reached.
    var hasStandby: Bool { get }

    /// Finds out whether the standby that answers reads is recent. Call it every two seconds.
    func checkStandby() throws

    func close() throws
}

extension Database {
    /// Runs a read like `readNow(_:)`.
    package func read<Value: Sendable>(_ body: @Sendable (SQLConnection) throws -> Value) async throws -> Value {
        try readNow(body)
    }

    /// Throws if the database does not respond or is not migrated.
    package func ping() async throws {
        try await read { db in _ = try db.exists("SELECT 1 FROM listing LIMIT 1") }
    }
}
