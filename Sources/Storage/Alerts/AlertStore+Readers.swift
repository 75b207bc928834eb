package import Domain
import SQL

extension AlertStore {
    /// Returns the number of accounts whose saved searches have found a listing, at most `Alert.maxCountedReaders`.
    package func countReaders(of listing: Listing) throws -> Int {
        try database.readNow { db in
            try db.count(
                """
                (SELECT DISTINCT account_id FROM alert_listing JOIN alert ON alert.id = alert_id
                WHERE alert_listing.listing_id = ? AND search IS NOT NULL LIMIT ?) AS reader
                """, [listing.key, Alert.maxCountedReaders])
        }
    }

    /// Returns how many messages about a listing its readers have got, by channel.
    package func findTold(of listing: Listing) throws -> [ToldReaders] {
        try database.readNow { db in
            try db.rows("SELECT * FROM listing_told WHERE listing_id = ? ORDER BY channel", [listing.key]) { row in
                let channel: String = try row["channel"]
                return ToldReaders(
                    ToldReaders.Channel(rawValue: channel) ?? .mail,
                    messages: try row["messages"],
                    firstAt: try row["first_at"],
                    lastAt: try row["last_at"]
                )
            }
        }
    }
}
