import Domain
import SQL

/// Tables of what waits to be sent: each row has the time of its next attempt, and the time at which it becomes useless.
extension Database {
    /// Returns the time of the first attempt after `now`.
    func nextAttempt(in table: String, where condition: String = "TRUE", after now: Timestamp) throws -> Timestamp? {
        let first = "SELECT min(next_attempt_at) FROM \(table) WHERE \(condition) AND next_attempt_at > ?"
        return try readNow { db in try db.value(first, [now]) }
    }

    /// Deletes a batch of rows that are too old, and returns their number.
    ///
    /// - Parameter keys: rows that are being sent, which stay.
    func removeExpired(from table: String, at now: Timestamp, except keys: some Collection<Int64>) async throws -> Int {
        let expired = "SELECT id FROM \(table) WHERE expires_at <= ?"
        guard try readNow({ db in try db.exists(expired, [now]) }) else { return 0 }
        let keys = try Array(keys).json
        return try await write { db in
            try db.execute(
                """
                DELETE FROM \(table)
                WHERE id IN (
                    \(expired) AND id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each(?))
                    ORDER BY expires_at LIMIT 1000)
                """, [now, keys])
        }
    }
}
