import Domain
import SQL

extension ToldReaders {
    /// The listings of a message as its column has them; nil for none.
    static func column(_ listings: [Int64]) -> String? {
        listings.isEmpty ? nil : "[\(listings.map(String.init).joined(separator: ","))]"
    }

    /// Counts stored messages that were sent. Call it before they are deleted, in the same transaction.
    static func note(_ messages: [Int64], of channel: Channel, at now: Timestamp, _ db: SQLConnection) throws {
        guard let keys = column(messages) else { return }
        try db.execute(
            """
            INSERT INTO listing_told (listing_id, channel, messages, first_at, last_at)
            SELECT listing.id, ?2, count(*), ?3, ?3
            FROM json_each(?1) AS sent CROSS JOIN \(channel == .mail ? "outgoing_mail" : "outgoing_event") AS message
                CROSS JOIN json_each(message.listings) AS subject CROSS JOIN listing
            WHERE message.id = CAST(sent.value AS BIGINT) AND message.listings IS NOT NULL
                AND listing.id = CAST(subject.value AS BIGINT)
            GROUP BY listing.id
            ON CONFLICT (listing_id, channel) DO UPDATE
            SET messages = listing_told.messages + excluded.messages, last_at = excluded.last_at
            """,
            [keys, channel.rawValue, now]
        )
    }
}
