import CSpatiaLite

extension SQLiteConnection {
    private static let pagesPerStep: CInt = 1000

    /// Copies the database into another one, over its contents.
    ///
    /// - Parameter progress: is called with the part that is copied. An error that it throws ends the copy, which must not
    ///   be used then.
    package func backup(to copy: SQLiteConnection, progress: (Double) throws -> Void) throws {
        guard let source = handle, let target = copy.handle else { throw Self.closed }
        guard let backup = sqlite3_backup_init(target, "main", source, "main") else {
            throw SQLiteError(sqlite3_extended_errcode(target), connection: target)
        }
        var code = SQLITE_OK
        do {
            while code == SQLITE_OK {
                code = sqlite3_backup_step(backup, Self.pagesPerStep)
                guard code == SQLITE_OK || code == SQLITE_DONE else { break }
                let (left, total) = (sqlite3_backup_remaining(backup), sqlite3_backup_pagecount(backup))
                try progress(total == 0 ? 1 : 1 - Double(left) / Double(total))
            }
        } catch {
            sqlite3_backup_finish(backup)
            throw error
        }
        let end = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, end == SQLITE_OK else {
            throw SQLiteError(code == SQLITE_DONE ? end : code, connection: target)
        }
    }
}
