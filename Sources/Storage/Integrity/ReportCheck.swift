import GRDB

extension DatabaseCheck {
    /// What a case says of its reports and of what was reported must be so, as long as those are there.
    static func reports(_ db: Database) throws -> [String] {
        let reasons = try differences(
            "case",
            "report_reason",
            wanted: "SELECT case_id, reason, count(*) FROM report GROUP BY 1, 2",
            found: "SELECT case_id, reason, reports FROM report_reason",
            db
        )
        // Guests become registered, never the other way round.
        let counts = try Int64.fetchAll(
            db,
            sql: """
                SELECT report_case.id
                FROM report_case LEFT JOIN report ON case_id = report_case.id
                    LEFT JOIN account ON account.id = report.account_id
                GROUP BY 1
                HAVING reports <> count(report.id) OR registered > total(report.id IS NOT NULL AND role IS NOT 'guest')
                    OR reported_at <> (SELECT created_at FROM report WHERE case_id = report_case.id ORDER BY id LIMIT 1)
                    OR last_reported_at <> (
                        SELECT created_at FROM report WHERE case_id = report_case.id ORDER BY id DESC LIMIT 1)
                LIMIT 20
                """
        )
        let subjects = try Int64.fetchAll(
            db,
            sql: """
                SELECT report_case.id FROM report_case JOIN listing ON listing.id = listing_id
                WHERE report_case.account_id <> listing.account_id OR subject = 'listing' AND subject_uuid <> listing.uuid
                UNION ALL
                SELECT report_case.id FROM report_case JOIN message ON message.uuid = subject_uuid
                WHERE subject = 'message' AND evidence IS NOT text
                LIMIT 20
                """
        )
        return reasons + counts.map { "case \($0) does not say what its reports come to" }
            + subjects.map { "case \($0) is not of what was reported" }
    }

    /// Who is banned is shut out. Others may be, too: they were before there were bans.
    static func bans(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db,
            sql: "SELECT uuid FROM account WHERE NOT disabled AND id IN (SELECT account_id FROM ban) LIMIT 20"
        ).map { "account \($0) is banned, but not shut out" }
    }
}
