package import Domain
package import Foundation
import SQL

/// Notifications that readers have not got yet, of listings that their alerts have found, with the ways to send them.
package struct NotificationStore: Sendable {
    let database: any Database

    package init(_ database: any Database) { self.database = database }

    // MARK: - Adding

    /// Notes that a reader is to be told of a listing, unless another alert of the reader has found it before.
    static func add(
        _ finding: AlertStore.Finding,
        to account: Int64,
        _ schedule: NotificationSchedule,
        at now: Timestamp,
        _ db: SQLConnection
    ) throws {
        let isKnown = try db.exists(
            """
            SELECT 1 FROM alert CROSS JOIN alert_listing
            WHERE alert_id = alert.id AND account_id = ? AND alert.id <> ? AND alert_listing.listing_id = ?
                AND alert_listing.status = ?
            """,
            [account, finding.alert, finding.listing, finding.status]
        )
        guard !isKnown else { return }
        // Programs decide themselves when they show it.
        try ChannelStore.append(finding, to: account, at: now, db)
        let reader = try Self.reader(account, on: schedule.day, db)
        // Followers of an organisation get one summary a day.
        let isDaily = try db.exists("SELECT 1 FROM alert WHERE id = ? AND organisation_id IS NOT NULL", [finding.alert])
        let time = schedule.time(
            probability: finding.probability, told: reader.told, reader.settings, isDaily: isDaily)
        try db.execute(
            """
            INSERT INTO notification (account_id, listing_id, alert_id, probability, in_summary, turn, noted_at)
            VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (account_id, listing_id) DO NOTHING
            """,
            [
                account, finding.listing, finding.alert, finding.probability, time != .now, finding.turn,
                finding.notedAt.text,
            ]
        )
        switch time {
        case .now:
            try db.execute(
                "UPDATE notification_settings SET told = ?, told_on = ? WHERE account_id = ?",
                [reader.told + 1, schedule.day, account]
            )
        case .summary(let due):
            try db.execute(
                """
                INSERT INTO notification_summary (account_id, due_at) VALUES (?, ?)
                ON CONFLICT (account_id) DO UPDATE SET due_at = excluded.due_at
                WHERE excluded.due_at < notification_summary.due_at
                """,
                [account, due.text]
            )
        }
    }

    /// Returns how the reader wants to be told and how often that happened on a day. Creates the row of the settings.
    private static func reader(
        _ account: Int64,
        on day: String,
        _ db: SQLConnection
    ) throws -> (settings: NotificationSettings, told: Int) {
        let select =
            """
            SELECT *, CASE WHEN told_on = ?2 THEN told ELSE 0 END AS told_today FROM notification_settings
            WHERE account_id = ?1
            """
        func read() throws -> (NotificationSettings, Int)? {
            try db.row(select, [account, day]) { row in (try NotificationSettings(row), try row["told_today"]) }
        }
        if let known = try read() { return known }
        try db.execute("INSERT INTO notification_settings (account_id) VALUES (?)", [account])
        return try read() ?? (NotificationSettings(), 0)
    }

    // MARK: - Settings

    package func settings(of account: Account) throws -> NotificationSettings {
        try database.readNow { db in
            let select = "SELECT * FROM notification_settings WHERE account_id = ?"
            return try db.row(select, [account.key], NotificationSettings.init) ?? NotificationSettings()
        }
    }

    package func write(_ settings: NotificationSettings, of account: Account) async throws {
        try await database.write { db in
            try db.execute(
                """
                INSERT INTO notification_settings (account_id, email, frequency, summary_hour, likely_at_once)
                VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (account_id) DO UPDATE SET email = excluded.email, frequency = excluded.frequency,
                    summary_hour = excluded.summary_hour, likely_at_once = excluded.likely_at_once
                """,
                [
                    account.key, settings.email, settings.frequency.rawValue, settings.summaryHour,
                    settings.likelyAtOnce,
                ]
            )
        }
    }

    /// Ends the mails of one alert, or those of all alerts, of the account to which the token was sent. Returns false if
    /// there is no such token or alert.
    package func unsubscribe(token: String, alert: UUID?) async throws -> Bool {
        try await database.write { db in
            guard let alert else {
                let update = "UPDATE notification_settings SET email = FALSE WHERE unsubscribe_token = ?"
                return try db.execute(update, [token]) > 0
            }
            return try db.execute(
                """
                UPDATE alert SET paused = TRUE, version = version + 1, updated_at = ?
                WHERE uuid = ? AND account_id = (SELECT account_id FROM notification_settings WHERE unsubscribe_token = ?)
                """,
                [Timestamp.now, alert, token]
            ) > 0
        }
    }

    /// Returns the account to which a token was sent.
    package func findReader(token: String) throws -> Account? {
        try database.readNow { db in
            let account = "id = (SELECT account_id FROM notification_settings WHERE unsubscribe_token = ?)"
            return try Account.fetch(db, account, [token]).first
        }
    }
}

extension NotificationSettings {
    init(_ row: StatementRow) throws {
        self.init()
        email = try row["email"]
        frequency = try row["frequency"]
        summaryHour = Int(try row["summary_hour"] as Int64)
        likelyAtOnce = try row["likely_at_once"]
    }
}
