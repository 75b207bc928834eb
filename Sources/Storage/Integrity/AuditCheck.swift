import SQL

extension DatabaseCheck {
    static func audit(_ db: SQLConnection) throws -> [String] { try AuditChain.problems(db) }

    /// A listing must be hidden exactly if a moderator has hidden it or its account is banned.
    static func hiding(_ db: SQLConnection) throws -> [String] {
        let wrong =
            try db.values(
                """
                SELECT uuid FROM listing
                WHERE hidden <> (id IN (SELECT listing_id FROM listing_hiding)
                    OR account_id IN (SELECT account_id FROM ban))
                LIMIT 20
                """
            ) as [String]
        return wrong.map { "listing \($0) is hidden without a reason, or shown in spite of one" }
    }
}
