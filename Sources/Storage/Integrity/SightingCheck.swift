import SQL

extension DatabaseCheck {
    /// The owner of a sighting must be that of its listing, and the last change in the history of a listing must lead to
    /// the present status.
    static func sightings(_ db: SQLConnection) throws -> [String] {
        let owners =
            try db.values(
                """
                SELECT sighting.id FROM sighting JOIN listing ON listing.id = listing_id
                WHERE owner_id <> listing.account_id LIMIT 20
                """
            ) as [Int64]
        let statuses =
            try db.values(
                """
                SELECT listing.id FROM listing JOIN listing_history AS change ON change.id = (
                    SELECT max(id) FROM listing_history
                    WHERE listing_id = listing.id AND listing_history.status IS NOT NULL)
                WHERE change.status <> listing.status LIMIT 20
                """
            ) as [Int64]
        return owners.map { "sighting \($0) is not of the owner of its listing" }
            + statuses.map { "the history of listing \($0) does not end as it is" }
    }
}
