import Foundation
import SQL

extension AccountStore {
    /// Transfers what a guest is told to an account: the alerts, what they have found and is not told yet, and the push
    /// subscription of the browser, which goes on in the new session.
    ///
    /// The account may then have more alerts than can be created. Its own settings say how it is told.
    static func bringAlerts(of guest: Int64, to account: Int64, session: Data, _ db: SQLConnection) throws {
        try db.execute("UPDATE alert SET account_id = ? WHERE account_id = ?", [account, guest])
        try db.execute(
            """
            UPDATE notification SET account_id = ?1
            WHERE account_id = ?2 AND listing_id NOT IN (SELECT listing_id FROM notification WHERE account_id = ?1)
            """,
            [account, guest]
        )
        try db.execute(
            """
            INSERT INTO notification_summary (account_id, due_at)
            SELECT ?1, due_at FROM notification_summary WHERE account_id = ?2
            ON CONFLICT (account_id) DO UPDATE SET due_at = excluded.due_at
            WHERE excluded.due_at < notification_summary.due_at
            """,
            [account, guest]
        )
        try db.execute(
            "UPDATE push_subscription SET account_id = ?, session_hash = ? WHERE account_id = ?",
            [account, session, guest]
        )
    }
}
