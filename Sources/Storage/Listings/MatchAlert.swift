import Domain
import Foundation
import SQL

/// The alert for possible matches that each posted listing has.
enum MatchAlert {
    /// Creates the alert of a new listing.
    static func create(for listing: Int64, of account: Int64, _ db: SQLConnection) throws {
        try db.execute(
            """
            INSERT INTO alert (uuid, account_id, listing_id, min_probability, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?5, ?5)
            """,
            [UUID(), account, listing, Alert.probabilities.lowerBound, Timestamp.now.text]
        )
    }
}
