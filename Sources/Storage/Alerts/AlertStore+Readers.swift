package import Domain
import SQL

extension AlertStore {
    /// Returns the number of accounts whose saved searches have found a listing, at most `Alert.maxCountedReaders`.
    package func countReaders(of listing: Listing) throws -> Int {
        try database.readNow { db in
            try db.value(
                """
                SELECT count(*) FROM (
                    SELECT DISTINCT account_id FROM alert_listing JOIN alert ON alert.id = alert_id
                    WHERE alert_listing.listing_id = ? AND search IS NOT NULL
                    LIMIT ?) AS reader
                """,
                [listing.key, Alert.maxCountedReaders]
            ) ?? 0
        }
    }
}
