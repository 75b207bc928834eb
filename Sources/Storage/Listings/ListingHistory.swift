import SQL

/// Writes to the history of listings what triggers cannot know.
enum ListingHistory {
    /// Records that the owner has renewed an open listing.
    static func recordRenewal(of listing: Int64, _ db: SQLConnection) throws {
        try db.execute("INSERT INTO listing_history (listing_id, type) VALUES (?, 'renewed')", [listing])
    }
}
