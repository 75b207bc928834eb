import SQL

extension AccountStore {
    /// Returns whether an account has blocked another one. Both are named by their `Account.key`.
    static func blocks(_ blocker: Int64, _ blocked: Int64, _ db: SQLConnection) throws -> Bool {
        try db.exists("SELECT 1 FROM block WHERE blocker_id = ? AND blocked_id = ?", [blocker, blocked])
    }
}
