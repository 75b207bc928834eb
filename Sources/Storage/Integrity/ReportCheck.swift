import SQL

extension DatabaseCheck {
    /// The counts and times of a case must agree with its reports and with the reported subject, as long as those
    /// exist.
    static func reports(_ db: SQLConnection) throws -> [String] {
        let reasons = try differences(
            "case",
            "report_reason",
            wanted: "SELECT case_id, reason, count(*) FROM report GROUP BY 1, 2",
            found: "SELECT case_id, reason, reports FROM report_reason",
            db
        )
        // Guests can become registered users, but not the reverse.
        let counts =
            try db.values(
                """
                SELECT report_case.id
                FROM report_case LEFT JOIN report ON case_id = report_case.id
                    LEFT JOIN account ON account.id = report.account_id
                GROUP BY 1
                HAVING reports <> count(report.id)
                    OR registered > count(CASE WHEN role IS DISTINCT FROM 'guest' THEN report.id END)
                    OR reported_at <> (SELECT created_at FROM report WHERE case_id = report_case.id ORDER BY id LIMIT 1)
                    OR last_reported_at <> (
                        SELECT created_at FROM report WHERE case_id = report_case.id ORDER BY id DESC LIMIT 1)
                LIMIT 20
                """
            ) as [Int64]
        let subjects =
            try db.values(
                """
                SELECT report_case.id FROM report_case JOIN listing ON listing.id = listing_id
                WHERE report_case.account_id <> listing.account_id OR subject = 'listing' AND subject_uuid <> listing.uuid
                UNION ALL
                SELECT report_case.id FROM report_case JOIN message ON message.uuid = subject_uuid
                WHERE subject = 'message' AND evidence IS DISTINCT FROM text
                LIMIT 20
                """
            ) as [Int64]
        return reasons + counts.map { "case \($0) does not say what its reports come to" }
            + subjects.map { "case \($0) is not of what was reported" }
    }

    /// Banned accounts must be disabled. Other accounts may be disabled, too: some were disabled before bans existed.
    static func bans(_ db: SQLConnection) throws -> [String] {
        try
            (db.values("SELECT uuid FROM account WHERE NOT disabled AND id IN (SELECT account_id FROM ban) LIMIT 20")
            as [String]).map { "account \($0) is banned, but not shut out" }
    }
}
