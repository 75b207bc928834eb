package import Domain
import SQL
import SpatiaLite

/// The news for a reader: a notification or a summary of several.
package struct ReaderNews: Sendable {
    package let reader: Account
    /// The reader, or the managers of the organisation that it is.
    package let recipients: [Account]
    package let settings: NotificationSettings
    package let unsubscribeToken: String
    package let isSummary: Bool
    /// Whether the push services of the reader are to take other messages before.
    package let mustWait: Bool
    /// The likeliest matches first, then the newest.
    package let items: [Item]
    /// How many batches of readers come before.
    package let turn: Int
    /// When the listing of the only notification was posted, or its status changed; nil for a summary.
    package let notedAt: Timestamp?
    /// The number of notifications; in a summary it can be greater than that of the items.
    package let count: Int
    /// The keys of the notifications.
    let keys: [Int64]

    package struct Item: Sendable {
        package let listing: Listing
        package let alert: Alert
        package let probability: Double?

        /// The distance in metres from the centre of the search to the public point; nil without a centre.
        package var distance: Double? {
            guard let search = alert.subject.search, let lon = search["lon"].flatMap(Double.init),
                let lat = search["lat"].flatMap(Double.init), let centre = Coordinate(lon: lon, lat: lat)
            else { return nil }
            return centre.distance(to: listing.location.coordinate)
        }
    }
}

extension NotificationStore {
    /// The most listings in a summary.
    package static let maxItems = 20

    /// Returns what is to be told at once, by turns among the listings that they are about: the likeliest matches of a
    /// listing first, and then the nearest readers of a batch, which were stored in this order.
    package func findPending(limit: Int) throws -> [ReaderNews] {
        try database.readNow { db in
            let rows = try db.rows(
                """
                SELECT \(Self.columns) FROM notification WHERE in_summary = 0
                ORDER BY turn, listing_id DESC, probability DESC NULLS LAST, id LIMIT ?
                """,
                [limit],
                Row.init
            )
            var listings: [Int64: Listing?] = [:]
            return try rows.compactMap { row in
                let listing = try listings[row.listing] ?? Self.listing(row.listing, db)
                listings[row.listing] = .some(listing)
                return try Self.news(of: row.account, [row], [listing], isSummary: false, db)
            }
        }
    }

    /// Returns the summaries that are due.
    package func findSummaries(due now: Timestamp, limit: Int) throws -> [ReaderNews] {
        try database.readNow { db in
            let accounts: [Int64] = try db.values(
                "SELECT account_id FROM notification_summary WHERE due_at <= ? ORDER BY due_at LIMIT ?",
                [now, limit]
            )
            return try accounts.compactMap { account in
                let rows = try db.rows(
                    """
                    SELECT \(Self.columns) FROM notification WHERE account_id = ? AND in_summary = 1
                    ORDER BY probability DESC NULLS LAST, listing_id DESC
                    """,
                    [account],
                    Row.init
                )
                return try Self.news(
                    of: account,
                    rows,
                    rows.map { try Self.listing($0.listing, db) },
                    isSummary: true,
                    db
                )
            }
        }
    }

    private static let columns = "id, account_id, listing_id, alert_id, probability, noted_at, turn"

    private struct Row {
        let key: Int64
        let account: Int64
        let listing: Int64
        let alert: Int64
        let probability: Double?
        let notedAt: Timestamp
        let turn: Int

        init(_ row: StatementRow) throws {
            (key, account, listing, alert) = (row.integer(0), row.integer(1), row.integer(2), row.integer(3))
            probability = row.isNull(4) ? nil : row.real(4)
            notedAt = Timestamp(stored: try row["noted_at"])
            turn = Int(row.integer(6))
        }
    }

    /// Returns nil if the listing cannot be shown any more.
    private static func listing(_ key: Int64, _ db: SQLConnection) throws -> Listing? {
        try Listing.fetch(db, key: key).flatMap { $0.hidden || !$0.content.isOpen ? nil : $0 }
    }

    private static func news(
        of account: Int64,
        _ rows: [Row],
        _ listings: [Listing?],
        isSummary: Bool,
        _ db: SQLConnection
    ) throws -> ReaderNews? {
        let reader = try Account.fetch(db, "id = ?", [account]).first
        let settings = try db.row("SELECT * FROM notification_settings WHERE account_id = ?", [account]) { row in
            (values: try NotificationSettings(row), token: try row["unsubscribe_token"] as String)
        }
        guard let reader, let settings else { return nil }
        var items: [ReaderNews.Item] = []
        var count = 0
        for (row, listing) in zip(rows, listings) {
            guard let listing else { continue }
            count += 1
            guard items.count < maxItems else { continue }
            let alert = try db.row("\(AlertStore.select) WHERE alert.id = ? AND NOT paused", [row.alert], Alert.init)
            if let alert { items.append(.init(listing: listing, alert: alert, probability: row.probability)) }
        }
        return ReaderNews(
            reader: reader,
            recipients: try AccountStore.readers(of: reader, db),
            settings: settings.values,
            unsubscribeToken: settings.token,
            isSummary: isSummary,
            mustWait: try !isSummary && ChannelStore.isCongested(for: account, db),
            items: reader.disabled ? [] : items,
            turn: rows.map(\.turn).min() ?? 0,
            notedAt: isSummary ? nil : rows.first?.notedAt,
            count: count,
            keys: rows.map(\.key)
        )
    }

    /// Puts news behind those that had waited for one more turn.
    package func postpone(_ news: [ReaderNews]) async throws {
        guard !news.isEmpty else { return }
        try await database.write { db in
            for key in news.flatMap(\.keys) {
                try db.execute("UPDATE notification SET turn = turn + 1 WHERE id = ?", [key])
            }
        }
    }

    /// Stores the mails and push messages of news and forgets the news, in one transaction: nothing is told twice, and
    /// nothing is lost.
    package func settle(
        _ told: [(news: ReaderNews, mails: [MailMessage], push: OutgoingEvent?)],
        at now: Timestamp = .now
    ) async throws {
        try await database.write { db in
            for (news, mails, push) in told {
                var isPending = false
                for key in news.keys where try db.execute("DELETE FROM notification WHERE id = ?", [key]) > 0 {
                    isPending = true
                }
                if news.isSummary {
                    let left = "SELECT 1 FROM notification WHERE account_id = ?1 AND in_summary = 1"
                    try db.execute(
                        "DELETE FROM notification_summary WHERE account_id = ?1 AND NOT EXISTS (\(left))",
                        [news.reader.key]
                    )
                }
                // Another process may have told it meanwhile.
                guard isPending else { continue }
                for mail in mails { try OutgoingMailStore.append(mail, at: now, db) }
                if let push { try ChannelStore.appendPush(push, to: news.reader.key, at: now, db) }
            }
        }
    }
}
