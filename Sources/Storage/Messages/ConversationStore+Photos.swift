package import Domain
package import Foundation
import SQL

extension ConversationStore {
    /// Returns whether the reader is one of the two parties and sees the message, and so its photo. Admins also see one
    /// that is reported, until they have decided.
    ///
    /// - Parameter message: the `Message.id`.
    package func isVisible(_ message: UUID, to reader: Account) throws -> Bool {
        try database.readNow { db in
            try db.exists(
                """
                SELECT 1
                FROM message CROSS JOIN conversation_party AS own
                WHERE own.conversation_id = message.conversation_id AND own.account_id = ?1
                    AND message.uuid = ?2 AND own.last_id > 0 AND message.id > own.cleared_id
                    AND (message.is_owners = own.is_owner OR message.is_delivered)
                UNION ALL
                SELECT 1 FROM report_case WHERE ?3 AND subject_uuid = ?2 AND subject = 'message' AND status = 'open'
                """,
                [reader.key, message.lowercased, reader.role == .admin]
            )
        }
    }
}
