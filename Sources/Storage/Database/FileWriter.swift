import Domain
import GRDB
import SQL
import SpatiaLite

/// A connection to the database file that writes groups.
struct FileWriter: GroupWriter {
    let queue: any DatabaseWriter
    /// Is called before each group, outside of a transaction.
    let prepare: @Sendable (GRDB.Database) throws -> Void
    /// Is called at the end of each transaction.
    var finish: @Sendable (SQLConnection) throws -> Void = { _ in }

    func schedule(_ work: @escaping @Sendable (any GroupTransactions) -> Void) {
        queue.asyncWriteWithoutTransaction { db in work(Transactions(writer: self, db: db)) }
    }

    private struct Transactions: GroupTransactions {
        let writer: FileWriter
        let db: GRDB.Database

        func prepare() throws { try writer.prepare(db) }

        func run(_ body: (SQLConnection) throws -> Void) throws {
            try db.inTransaction(.immediate) {
                try body(SQLConnection(db))
                try writer.finish(SQLConnection(db))
                return .commit
            }
        }
    }

    var maxWait: Duration? { nil }

    func affectsAllWrites(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return error.resultCode == .SQLITE_BUSY || StorageFault(error.extendedResultCode)?.affectsEveryWrite == true
    }

    func releaseCache() { queue.asyncWriteWithoutTransaction { db in db.releaseCache() } }

    func close() throws { try queue.close() }
}
