import SQL

extension DatabaseCheck {
    /// Imported listings belong to the accounts of their imports. Keys of imports are never used again.
    static func imports(_ db: SQLConnection) throws -> [String] {
        var problems =
            (try db.values(
                """
                SELECT listing_id FROM imported_listing CROSS JOIN listing
                WHERE listing.id = listing_id AND imported_listing.account_id <> listing.account_id LIMIT 20
                """
            ) as [Int64])
            .map { "listing \($0) was imported by another account than its owner" }
        if try db.exists(
            """
            SELECT 1 FROM (
                SELECT max((SELECT coalesce(max(id), 0) FROM listing_import),
                    (SELECT coalesce(max(first_import_id), 0) FROM imported_listing)) AS last) AS used
            WHERE last > coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'listing_import'), 0)
            """
        ) {
            problems.append("the keys of imports would be used again")
        }
        return problems
    }
}
