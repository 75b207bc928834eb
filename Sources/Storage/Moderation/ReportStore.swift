package import Domain
package import Foundation
import SQL

/// Reports, grouped into cases by their subject.
package struct ReportStore: Sendable {
    let database: any Database
    /// The number of registered accounts that must report a listing before it is hidden until a moderator decides; nil
    /// disables this.
    private let hideAfter: Int?

    package init(_ database: any Database, hideAfter: Int? = nil) {
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
                "INSERT INTO report (case_id, account_id, reason, text, created_at) VALUES (?, ?, ?, ?, ?)",
                [key, reporter.key, draft.reason.rawValue, draft.text, now]
            )
            if let hideAfter, draft.subject == .listing, draft.reason != .appeal {
                try Self.hide(draft, case: key, after: hideAfter, db)
            }
        }
    }

    /// Hides a listing until a moderator decides; the case stays open. Reports by accounts that registered within the
    /// last day or were deleted do not count, and a listing whose reports moderators have dismissed is not hidden again
    /// automatically.
    private static func hide(_ draft: Report.Draft, case key: Int64, after: Int, _ db: SQLConnection) throws {
        let count = try db.execute(
            """
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
            [draft.reason.rawValue, key, after, after, Timestamp.now.adding(days: -1).text]
        )
        guard count > 0 else { return }
        let note = "reported by \(after) registered accounts, the last for: \(draft.reason.rawValue)"
        try AuditLog.record(.listingHide, draft.id.lowercased, note: note, by: .service, db)
    }

    private static let missing = ServiceError(.notFound, "no such thing to report")

    private static func subject(
        of draft: Report.Draft,
        _ reporter: Account?,
        _ db: SQLConnection
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

    private static func isKnown(_ draft: Report.Draft, _ reporter: Int64, _ db: SQLConnection) throws -> Bool {
        try db.exists(
            """
            SELECT 1 FROM report_case JOIN report ON case_id = report_case.id AND report.account_id = ?
            WHERE subject_uuid = ? AND subject = ? AND (reason <> 'appeal' OR status = 'open')
            """,
            [reporter, draft.id.lowercased, draft.subject.rawValue]
        )
    }

    static func openCase(of subject: Report.Subject, _ id: UUID, _ db: SQLConnection) throws -> Int64? {
        try db.value(
            "SELECT id FROM report_case WHERE subject_uuid = ? AND subject = ? AND status = 'open'",
            [id, subject.rawValue])
    }

    /// Returns the open case of a subject, and creates it if there is none.
    static func openCase(
        _ draft: Report.Draft,
        _ subject: ReportedSubject,
        at now: String,
        _ db: SQLConnection
    ) throws -> Int64 {
        if let known = try openCase(of: draft.subject, draft.id, db) { return known }
        return try db.insert(
            """
            INSERT INTO report_case (
                uuid, subject, subject_uuid, account_id, listing_id, evidence, reported_at, last_reported_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
            """,
            [
                UUID().lowercased, draft.subject.rawValue, draft.id.lowercased, subject.owner, subject.listing,
                subject.evidence, now, now,
            ]
        )
    }

    /// Deletes cases some time after the decision, with the texts of their reports. The audit keeps the moderators'
    /// actions.
    package func prune(at now: Timestamp) async throws {
        let end = now.adding(days: -Expiry.report).text
        try await database.write { db in
            try db.execute("DELETE FROM report_case WHERE decided_at < ?", [end])
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
        /// The condition on the listing or the reported text; nil for all.
        package var search: ListSearch?
        package var limit = 20
        package var cursor: Cursor?

        package init() {}
    }

    /// The last case of a page.
    package struct Cursor: Equatable, Sendable {
        package let reports: Int
        package let key: Int64

        package init(reports: Int, key: Int64) { (self.reports, self.key) = (reports, key) }

        fileprivate init(_ last: Case) {
            self.init(reports: last.reports, key: last.key)
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
        /// The text of a message or sighting.
        package let message: String?
        /// The photo of a message or sighting, until a moderator has decided.
        package let photo: StoredPhoto?
        /// The latest texts of the reports, newest first.
        package let texts: [(text: String, reason: Report.Reason, at: Timestamp)]
        /// The number of other people who got the words of a reported message among the newest `maxCompared` messages; nil for
        /// other subjects.
        package internal(set) var copies: Int?
        /// The listings of other accounts that have a copy of a reported photo, the oldest first; at most `maxPhotoCopies`.
        package internal(set) var photoCopies: [UUID] = []
    }

    /// Returns a page of cases and the cursor of the next page. The page of a search ends early when `ListSearch.maxRead`
    /// cases have been read.
    package func cases(_ query: Query, texts: Int = 3) throws -> (cases: [Case], next: Cursor?) {
        try database.readNow { db in
            let (cases, next) = try Self.find(query, texts: texts, db)
            return (try Self.findingPhotoCopies(try Self.countingCopies(cases, db), db), next)
        }
    }

    private static func find(
        _ query: Query,
        texts: Int,
        _ db: SQLConnection
    ) throws -> (cases: [Case], next: Cursor?) {
        guard let search = query.search else { return try page(query, texts: texts, db) }
        var (found, rest, read) = ([Case](), query, 0)
        rest.limit = Self.searchedAtOnce
        repeat {
            let page = try Self.page(rest, texts: texts, db)
            found += try page.cases.filter { try $0.isFound(by: search, db) }
            rest.cursor = page.next
            read += page.cases.count
        } while found.count <= query.limit && rest.cursor != nil && read < ListSearch.maxRead
        guard found.count > query.limit else { return (found, rest.cursor) }
        found.removeLast(found.count - query.limit)
        return (found, found.last.map(Cursor.init))
    }

    private static let searchedAtOnce = 100

    private static func page(
        _ query: Query,
        texts: Int,
        _ db: SQLConnection
    ) throws -> (cases: [Case], next: Cursor?) {
        let start =
            query.cursor ?? (query.order == .oldest ? Cursor(reports: 0, key: 0) : Cursor(reports: .max, key: 0))
        // One query per range: SQLite would read a combined condition from the beginning of the index.
        let (ranges, order) =
            switch query.order {
            case .oldest: (["CAST(?2 AS BIGINT) IS NOT NULL AND report_case.id > ?3"], "report_case.id")
            case .mostReported:
                (
                    ["reports = ?2 AND report_case.id > ?3", "reports < ?2 AND CAST(?3 AS BIGINT) IS NOT NULL"],
                    "reports DESC, report_case.id"
                )
            }
        var cases: [Case] = []
        for range in ranges where cases.count <= query.limit {
            cases += try db.rows(
                """
                \(Self.columns) AND report_case.status = ?1 AND \(range)
                ORDER BY \(order) LIMIT ?4
                """,
                [query.status.rawValue, start.reports, start.key, query.limit + 1 - cases.count]
            ) { row in
                try Self.read(row, texts: texts, db)
            }
        }
        let hasMore = cases.count > query.limit
        if hasMore { cases.removeLast() }
        return (cases, hasMore ? cases.last.map(Cursor.init) : nil)
    }

    /// - Parameter texts: the maximum number of texts of reports to return.
    package func findCase(id: UUID, texts: Int = 100) throws -> Case? {
        try database.readNow { db in
            let found = try db.rows("\(Self.columns) AND report_case.uuid = ?", [id]) { row in
                try Self.read(row, texts: texts, db)
            }
            return try Self.findingPhotoCopies(Self.countingCopies(found, db), db).first
        }
    }

    private static let columns = """
        SELECT report_case.id, report_case.uuid, subject, subject_uuid, report_case.status, reports, registered,
            reported_at, last_reported_at, decided_at, account.uuid AS account, role, ban.reason AS ban, ban.until,
            listing.uuid AS listing, coalesce(hidden, FALSE) AS hidden,
            evidence, \(StoredPhoto.columns),
            CASE subject WHEN 'photo' THEN EXISTS (SELECT 1 FROM photo AS reported WHERE reported.uuid = subject_uuid)
                WHEN 'message' THEN EXISTS (SELECT 1 FROM message WHERE message.uuid = subject_uuid)
                WHEN 'sighting' THEN EXISTS (SELECT 1 FROM sighting WHERE sighting.uuid = subject_uuid)
                ELSE listing.id IS NOT NULL END AS is_there
        FROM report_case CROSS JOIN account
            LEFT JOIN listing ON listing.id = report_case.listing_id
            LEFT JOIN ban ON ban.account_id = report_case.account_id
            LEFT JOIN photo ON report_case.status = 'open' AND photo.id = CASE subject
                WHEN 'message' THEN (
                    SELECT own.id FROM message CROSS JOIN photo AS own
                    WHERE own.message_id = message.id AND message.uuid = subject_uuid)
                WHEN 'sighting' THEN (
                    SELECT own.id FROM sighting CROSS JOIN photo AS own
                    WHERE own.sighting_id = sighting.id AND sighting.uuid = subject_uuid) END
        WHERE account.id = report_case.account_id
        """

    private static func read(_ row: StatementRow, texts: Int, _ db: SQLConnection) throws -> Case {
        let key: Int64 = try row["id"]
        return try Case(
            key: key,
            id: row["uuid"],
            subject: row["subject"],
            subjectID: row["subject_uuid"],
            status: row["status"],
            reports: row["reports"],
            registered: row["registered"],
            reasons: reasons(of: key, db),
            reportedAt: row["reported_at"],
            lastReportedAt: row["last_reported_at"],
            decidedAt: row["decided_at"],
            account: row["account"],
            role: row["role"],
            ban: (row["ban"] as Report.Reason?).map { Ban(reason: $0, until: try row["until"]) },
            listing: row["listing"],
            isListingHidden: row["hidden"],
            isThere: row["is_there"],
            message: row["evidence"],
            photo: StoredPhoto(joined: row),
            texts: self.texts(of: key, limit: texts, db)
        )
    }

    private static func reasons(of key: Int64, _ db: SQLConnection) throws -> [(reason: Report.Reason, reports: Int)] {
        try db.rows(
            "SELECT reason, reports FROM report_reason WHERE case_id = ? ORDER BY reports DESC, reason",
            [key]
        ) { row in (reason: try row[0], reports: try row[1]) }
    }

    /// Reads only the latest reports, so that many reports without a text cost nothing.
    private static func texts(
        of key: Int64,
        limit: Int,
        _ db: SQLConnection
    ) throws -> [(text: String, reason: Report.Reason, at: Timestamp)] {
        try db.rows(
            """
            SELECT text, reason, created_at
            FROM (SELECT * FROM report WHERE case_id = ?1 ORDER BY id DESC LIMIT 10 * ?2) AS latest
            WHERE text IS NOT NULL LIMIT ?2
            """,
            [key, limit]
        ) { row in (text: try row[0], reason: try row[1], at: try row[2]) }
    }
}

extension ReportStore.Case {
    fileprivate func isFound(by search: ListSearch, _ db: SQLConnection) throws -> Bool {
        if search.finds([message, account.lowercased] + self.texts.map(\.text)) { return true }
        guard let listing else { return false }
        return try db.row("\(ListingRow.select) WHERE listing.uuid = ?", [listing]) { row in
            try search.finds(ListingRow(row))
        } ?? false
    }
}
