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
        let users = ["id": "listing_import", "first_import_id": "imported_listing"]
        if try reusesKeys(of: "listing_import", usedBy: users, db) {
            problems.append("the keys of imports would be used again")
        }
        return problems
    }
}
