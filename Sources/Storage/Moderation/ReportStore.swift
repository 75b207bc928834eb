package import Domain
package import Foundation
import GRDB

/// Reports, grouped into cases by their subject.
package struct ReportStore: Sendable {
    private let database: DatabaseFile
    /// The number of registered accounts that must report a listing before it is hidden until a moderator decides; nil
    /// disables this.
    private let hideAfter: Int?

    package init(_ database: DatabaseFile, hideAfter: Int? = nil) {
        self.database = database
        self.hideAfter = hideAfter
    }

    // MARK: - Reporting

    /// Throws `notFound` if the reporter may not see the subject, and other errors if the report is not permitted.
    ///
    /// - Parameter reporter: nil for a client without an account.
    package func check(_ draft: Report.Draft, by reporter: Account?) throws {
        try database.readNow { db in _ = try Self.subject(of: draft, reporter, db) }
    }

    /// Returns whether the subject is a hidden listing of the reporter, so that a report about it is an appeal. Throws
    /// `notFound` if the reporter may not see it.
    package func isAppeal(_ subject: Report.Subject, _ id: UUID, by reporter: Account?) throws -> Bool {
        try database.readNow { db in
            guard let found = try ReportedSubject.find(subject, id, seenBy: reporter, db) else { throw Self.missing }
            return found.owner == reporter?.key && found.isAppealable && subject == .listing
        }
    }

    /// Stores a report. Further reports by the same reporter about the same subject change nothing, and the reporter is
    /// not told. An appeal can be repeated after moderators have decided on the previous one.
    package func file(_ draft: Report.Draft, by reporter: Account) async throws {
        try await database.write { [hideAfter] db in
            let subject = try Self.subject(of: draft, reporter, db)
            guard try !Self.isKnown(draft, reporter.key, db) else { return }
            let now = Timestamp.now.text
            let key = try Self.openCase(draft, subject, at: now, db)
            try db.execute(
                sql: "INSERT INTO report (case_id, account_id, reason, text, created_at) VALUES (?, ?, ?, ?, ?)",
                arguments: [key, reporter.key, draft.reason.rawValue, draft.text, now]
            )
            if let hideAfter, draft.subject == .listing, draft.reason != .appeal {
                try Self.hide(draft, case: key, after: hideAfter, db)
            }
        }
    }

    /// Hides a listing until a moderator decides; the case stays open. Reports by accounts that registered within the
    /// last day or were deleted do not count, and a listing whose reports moderators have dismissed is not hidden again
    /// automatically.
    private static func hide(_ draft: Report.Draft, case key: Int64, after: Int, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO listing_hiding (listing_id, reason)
                SELECT listing_id, ? FROM report_case
                WHERE id = ? AND registered >= ?
                    AND ? <= (
                        SELECT count(*) FROM report JOIN account ON account.id = report.account_id
                        WHERE case_id = report_case.id AND role <> 'guest' AND account.created_at < ?)
                    AND NOT EXISTS (
                        SELECT 1 FROM report_case AS earlier
                        WHERE earlier.subject_uuid = report_case.subject_uuid AND earlier.subject = 'listing'
                            AND earlier.status = 'dismissed')
                ON CONFLICT (listing_id) DO NOTHING
                """,
            arguments: [draft.reason.rawValue, key, after, after, Timestamp.now.adding(days: -1).text]
        )
        guard db.changesCount > 0 else { return }
        let note = "reported by \(after) registered accounts, the last for: \(draft.reason.rawValue)"
        try AuditLog.record(.listingHide, draft.id.lowercased, note: note, by: .service, db)
    }

    private static let missing = ServiceError(.notFound, "no such thing to report")

    private static func subject(
        of draft: Report.Draft,
        _ reporter: Account?,
        _ db: Database
    ) throws -> ReportedSubject {
        guard let subject = try ReportedSubject.find(draft.subject, draft.id, seenBy: reporter, db) else {
            throw missing
        }
        let isOwn = subject.owner == reporter?.key
        if draft.reason == .appeal {
            guard isOwn, subject.isAppealable, draft.subject == .listing else {
                throw ServiceError.invalid(
                    "reason",
                    "appeal is for a hidden listing of one's own: expected another one"
                )
            }
        } else if isOwn {
            throw ServiceError(.conflict, "id: is your own: change it or delete it", field: "id")
        }
        return subject
    }

    private static func isKnown(_ draft: Report.Draft, _ reporter: Int64, _ db: Database) throws -> Bool {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT 1 FROM report_case JOIN report ON case_id = report_case.id AND report.account_id = ?
                WHERE subject_uuid = ? AND subject = ? AND (reason <> 'appeal' OR status = 'open')
                """,
            arguments: [reporter, draft.id.lowercased, draft.subject.rawValue]
        )
        return row != nil
    }

    private static func openCase(
        _ draft: Report.Draft,
        _ subject: ReportedSubject,
        at now: String,
        _ db: Database
    ) throws -> Int64 {
        let known = try Int64.fetchOne(
            db,
            sql: "SELECT id FROM report_case WHERE subject_uuid = ? AND subject = ? AND status = 'open'",
            arguments: [draft.id.lowercased, draft.subject.rawValue]
        )
        if let known { return known }
        try db.execute(
            sql: """
                INSERT INTO report_case (
                    uuid, subject, subject_uuid, account_id, listing_id, evidence, reported_at, last_reported_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                UUID().lowercased, draft.subject.rawValue, draft.id.lowercased, subject.owner, subject.listing,
                subject.evidence, now, now,
            ]
        )
        return db.lastInsertedRowID
    }

    /// Deletes cases some time after the decision, with the texts of their reports. The audit keeps the moderators'
    /// actions.
    package func prune(at now: Timestamp) async throws {
        let end = now.adding(days: -Expiry.report).text
        try await database.write { db in
            try db.execute(sql: "DELETE FROM report_case WHERE decided_at < ?", arguments: [end])
        }
    }

    // MARK: - Deciding

    /// Selects and orders cases.
    package struct Query: Sendable {
        package enum Order: String, CaseIterable, Sendable {
            case oldest = "reported_at"
            case mostReported = "-reports"
        }

        package var status = Report.Status.open
        package var order = Order.oldest
        package var limit = 20
        package var cursor: Cursor?

        package init() {}
    }

    /// The last case of a page.
    package struct Cursor: Equatable, Sendable {
        package let reports: Int
        package let key: Int64

        package init(reports: Int, key: Int64) {
            self.reports = reports
            self.key = key
        }
    }

    /// A reported subject with a summary of its reports. It does not identify the reporters.
    package struct Case: Sendable {
        package let key: Int64
        package let id: UUID
        package let subject: Report.Subject
        package let subjectID: UUID
        package let status: Report.Status
        package let reports: Int
        /// The number of these reports from accounts that were registered.
        package let registered: Int
        /// The most frequent first.
        package let reasons: [(reason: Report.Reason, reports: Int)]
        package let reportedAt: Timestamp
        package let lastReportedAt: Timestamp
        package let decidedAt: Timestamp?
        /// The `Account.id` of the subject's owner.
        package let account: UUID
        package let role: Account.Role
        package let ban: Ban?
        /// The reported listing, or the listing of the photo; nil if it no longer exists.
        package let listing: UUID?
        package let isListingHidden: Bool
        /// Whether the subject still exists.
        package let isThere: Bool
        /// The text of a message.
        package let message: String?
        /// The latest texts of the reports, newest first.
        package let texts: [(text: String, reason: Report.Reason, at: Timestamp)]
    }

    /// Returns a page of cases and the cursor of the next page.
    package func cases(_ query: Query, texts: Int = 3) throws -> (cases: [Case], next: Cursor?) {
        let start =
            query.cursor ?? (query.order == .oldest ? Cursor(reports: 0, key: 0) : Cursor(reports: .max, key: 0))
        // One query per range: SQLite would read a combined condition from the beginning of the index.
        let (ranges, order) =
            switch query.order {
            case .oldest: (["?2 IS NOT NULL AND report_case.id > ?3"], "report_case.id")
            case .mostReported:
                (
                    ["reports = ?2 AND report_case.id > ?3", "reports < ?2 AND ?3 IS NOT NULL"],
                    "reports DESC, report_case.id"
                )
            }
        return try database.readNow { db in
            var found: [Row] = []
            for range in ranges where found.count <= query.limit {
                found += try Row.fetchAll(
                    db,
                    sql: """
                        \(Self.columns) WHERE report_case.status = ?1 AND \(range)
                        ORDER BY \(order) LIMIT \(query.limit + 1 - found.count)
                        """,
                    arguments: [query.status.rawValue, start.reports, start.key]
                )
            }
            let hasMore = found.count > query.limit
            if hasMore { found.removeLast() }
            let cases = try found.map { try Self.read($0, texts: texts, db) }
            return (cases, hasMore ? cases.last.map { Cursor(reports: $0.reports, key: $0.key) } : nil)
        }
    }

    /// - Parameter texts: the maximum number of texts of reports to return.
    package func findCase(id: UUID, texts: Int = 100) throws -> Case? {
        try database.readNow { db in
            try Row.fetchOne(db, sql: "\(Self.columns) WHERE report_case.uuid = ?", arguments: [id.lowercased])
                .map { try Self.read($0, texts: texts, db) }
        }
    }

    private static let columns = """
        SELECT report_case.id, report_case.uuid, subject, subject_uuid, report_case.status, reports, registered,
            reported_at, last_reported_at, decided_at, account.uuid AS account, role, ban.reason AS ban, ban.until,
            listing.uuid AS listing, coalesce(hidden, 0) AS hidden,
            evidence,
            CASE subject WHEN 'photo' THEN EXISTS (SELECT 1 FROM photo WHERE photo.uuid = subject_uuid)
                WHEN 'message' THEN EXISTS (SELECT 1 FROM message WHERE message.uuid = subject_uuid)
                ELSE listing.id IS NOT NULL END AS is_there
        FROM report_case CROSS JOIN account ON account.id = report_case.account_id
            LEFT JOIN listing ON listing.id = report_case.listing_id
            LEFT JOIN ban ON ban.account_id = report_case.account_id
        """

    private static func read(_ row: Row, texts: Int, _ db: Database) throws -> Case {
        let key = row["id"] as Int64
        guard let id = UUID(uuidString: row["uuid"]), let subject = Report.Subject(rawValue: row["subject"]),
            let subjectID = UUID(uuidString: row["subject_uuid"]), let status = Report.Status(rawValue: row["status"]),
            let account = UUID(uuidString: row["account"]), let role = Account.Role(rawValue: row["role"])
        else { throw DatabaseError(message: "report \(key): not readable") }
        let ban = (row["ban"] as String?).flatMap(Report.Reason.init).map {
            Ban(reason: $0, until: (row["until"] as String?).map(Timestamp.init(stored:)))
        }
        return Case(
            key: key,
            id: id,
            subject: subject,
            subjectID: subjectID,
            status: status,
            reports: row["reports"],
            registered: row["registered"],
            reasons: try reasons(of: key, db),
            reportedAt: Timestamp(stored: row["reported_at"]),
            lastReportedAt: Timestamp(stored: row["last_reported_at"]),
            decidedAt: (row["decided_at"] as String?).map(Timestamp.init(stored:)),
            account: account,
            role: role,
            ban: ban,
            listing: (row["listing"] as String?).flatMap(UUID.init(uuidString:)),
            isListingHidden: row["hidden"],
            isThere: row["is_there"],
            message: row["evidence"],
            texts: try self.texts(of: key, limit: texts, db)
        )
    }

    private static func reasons(of key: Int64, _ db: Database) throws -> [(reason: Report.Reason, reports: Int)] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: "SELECT reason, reports FROM report_reason WHERE case_id = ? ORDER BY reports DESC, reason"
            ),
            arguments: [key]
        ).compactMap { row in Report.Reason(rawValue: row[0]).map { (reason: $0, reports: row[1]) } }
    }

    /// Reads only the latest reports, so that many reports without a text cost nothing.
    private static func texts(
        of key: Int64,
        limit: Int,
        _ db: Database
    ) throws -> [(text: String, reason: Report.Reason, at: Timestamp)] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT text, reason, created_at
                    FROM (SELECT * FROM report WHERE case_id = ?1 ORDER BY id DESC LIMIT 10 * ?2)
                    WHERE text IS NOT NULL LIMIT ?2
                    """
            ),
            arguments: [key, limit]
        ).compactMap { row in
            Report.Reason(rawValue: row[1]).map { (text: row[0], reason: $0, at: Timestamp(stored: row[2])) }
        }
    }
}
