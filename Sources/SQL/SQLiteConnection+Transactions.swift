import CSpatiaLite

extension SQLiteConnection {
    /// When a transaction takes its lock.
    package enum TransactionKind: String {
        /// At the first read, for a snapshot.
        case deferred = "DEFERRED"
        /// At the beginning, for writes.
        case immediate = "IMMEDIATE"
    }

    /// Whether a transaction is open.
    package var isInTransaction: Bool { handle.map { sqlite3_get_autocommit($0) == 0 } ?? false }

    /// Throws if SQLite has rolled back the transaction to which the next statement belongs.
    func checkTransaction() throws {
        if isTransactional, !isInTransaction { throw SQLiteError(SQLITE_ABORT, "Transaction was aborted") }
    }

    /// Runs `body` in a transaction, which is committed when this method returns. An error rolls it back.
    ///
    /// SQLite itself rolls back after some errors, such as a full disk. If `body` catches such an error, its next
    /// statement or the commit fails.
    @discardableResult
    package func transaction<Value>(_ kind: TransactionKind = .immediate, _ body: () throws -> Value) throws -> Value {
        let db = SQLConnection(self)
        try db.execute("BEGIN \(kind.rawValue)")
        do {
            isTransactional = true
            defer { isTransactional = false }
            let value = try body()
            try db.execute("COMMIT")
            return value
        } catch {
            rollback()
            throw error
        }
    }

    /// Ends a transaction if one is open.
    func rollback() {
        guard isInTransaction, (try? SQLConnection(self).execute("ROLLBACK")) == nil else { return }
        // An interruption lasts until no statement is running; extensions such as FTS5 may have left some.
        var statement = sqlite3_next_stmt(handle, nil)
        while let unfinished = statement {
            sqlite3_reset(unfinished)
            statement = sqlite3_next_stmt(handle, unfinished)
        }
        _ = try? SQLConnection(self).execute("ROLLBACK")
    }
}
