import SQL

extension DatabaseCheck {
    /// The rows of `conversation_party` must agree with the messages of the conversation.
    static func conversations(_ db: SQLConnection) throws -> [String] {
        let wrong =
            try db.values(
                """
                SELECT own.conversation_id
                FROM conversation_party AS own JOIN conversation ON conversation.id = own.conversation_id
                JOIN listing ON listing.id = conversation.listing_id
                WHERE own.listing_id <> listing.id
                    OR own.account_id <> CASE WHEN own.is_owner THEN listing.account_id ELSE writer_id END
                    OR own.last_id <> (
                        SELECT coalesce(max(id), 0) FROM message
                        WHERE message.conversation_id = own.conversation_id AND message.id > own.cleared_id
                            AND (is_owners = own.is_owner OR is_delivered))
                    OR own.unread > (
                        SELECT count(*) FROM message
                        WHERE message.conversation_id = own.conversation_id AND is_owners <> own.is_owner AND is_delivered)
                    OR own.name IS DISTINCT FROM (
                        SELECT contact_name FROM message
                        WHERE message.conversation_id = own.conversation_id AND is_owners = own.is_owner AND is_delivered
                            AND contact_name IS NOT NULL
                        ORDER BY id DESC LIMIT 1)
                LIMIT 20
                """
            ) as [Int64]
        let lone =
            try db.values(
                """
                SELECT id FROM conversation
                WHERE (SELECT count(*) FROM conversation_party WHERE conversation_id = conversation.id) <> 2 LIMIT 20
                """
            ) as [Int64]
        return (try reusesKeys(of: "message", db) ? ["a message may get a number that was used"] : [])
            + wrong.map { "conversation \($0) is told of otherwise than it is" }
            + lone.map { "conversation \($0) is not of two" }
    }
}
