import CSpatiaLite
import Domain
import SQL

/// A connection to the database file that writes groups.
struct FileWriter: GroupWriter {
    let queue: SQLiteQueue
    /// Is called before each group, outside of a transaction.
    let prepare: @Sendable (SQLConnection) throws -> Void
    /// Is called at the end of each transaction.
    var finish: @Sendable (SQLConnection) throws -> Void = { _ in }

    func schedule(_ work: @escaping @Sendable (any GroupTransactions) -> Void) {
        queue.schedule { db in work(Transactions(writer: self, db: db)) }
    }

    private struct Transactions: GroupTransactions {
        let writer: FileWriter
        let db: SQLConnection

        func prepare() throws { try writer.prepare(db) }

        func run(_ body: (SQLConnection) throws -> Void) throws {
            try db.sqlite.transaction {
                try body(db)
                try writer.finish(db)
            }
        }
    }

    var maxWait: Duration? { nil }

    func affectsAllWrites(_ error: any Error) -> Bool {
        guard let error = error as? SQLiteError else { return false }
        return error.primaryCode == SQLITE_BUSY || StorageFault(error)?.affectsEveryWrite == true
    }

    func releaseCache() { queue.schedule { db in db.sqlite.releaseCache() } }

    func close() throws { try queue.close() }
}
