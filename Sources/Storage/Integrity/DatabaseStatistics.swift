package import Domain
import Foundation
import SQL

/// Statistics that can be read without counting large tables.
package struct DatabaseStatistics: Sendable {
    /// The number of open listings that are not hidden, by status and species.
    package let listings: [(status: String, species: String, count: Int)]
    package let accounts: Int
    /// The number of reported listings, photos and messages on which no moderator has decided.
    package let openReports: Int
    /// The number of events since the database was created.
    package let events: Int
    package let schema: Int
    /// In bytes.
    package let databaseSize: Int
    /// In bytes.
    package let logSize: Int
}

/// A check of the database that was run to its end.
package struct CheckRecord: Codable, Sendable {
    /// When it ended.
    package let time: String
    package let problems: Int
    package let seconds: Double

    package init(time: Timestamp, problems: Int, seconds: Double) {
        (self.time, self.problems, self.seconds) = (time.text, problems, seconds)
    }
}

extension Database {
    package func statistics() throws -> DatabaseStatistics {
        try readNow { db in
            let sizes = try sizes(db)
            return try DatabaseStatistics(
                listings: ListingSearch.openListings(db),
                accounts: db.count("account"),
                openReports: db.count("report_case WHERE status = 'open'"),
                events: db.value("SELECT max(id) FROM event") ?? 0,
                schema: db.schemaVersion,
                databaseSize: sizes.database,
                logSize: sizes.log
            )
        }
    }

    private var backupRecord: URL { folder.appending(path: DatabaseFile.backupRecordName) }

    /// The time at which the last backup that passed its check was started; nil if unknown.
    package var lastBackup: Timestamp? {
        guard let text = try? String(contentsOf: backupRecord, encoding: .utf8), Timestamp(parsing: text) != nil else {
            return nil
        }
        return Timestamp(stored: text)
    }

    /// The last check of the database; nil if unknown.
    package var lastCheck: CheckRecord? {
        guard let data = try? Data(contentsOf: checkRecord) else { return nil }
        return try? JSONDecoder().decode(CheckRecord.self, from: data)
    }

    package func recordCheck(_ record: CheckRecord) throws {
        try JSONEncoder().encode(record).write(to: checkRecord, options: .atomic)
    }

    private var checkRecord: URL { folder.appending(path: "last-check") }

    /// The numbers of messages that wait to be sent, by the kind of receiver.
    package func waitingMessages(at now: Timestamp = .now) throws -> [WaitingMessages] {
        try readNow { db in
            try [
                ("mail", "outgoing_mail", "true"), ("push", "outgoing_event", "push_subscription_id IS NOT NULL"),
                ("webhooks", "outgoing_event", "webhook_id IS NOT NULL"),
                (
                    "social", "social_post JOIN social_account ON social_account.id = social_account_id",
                    "pending > 0 AND NOT paused"
                ),
            ].map { channel, table, condition in
                let due: Timestamp? = try db.value(
                    """
                    SELECT next_attempt_at FROM \(table) WHERE \(condition) AND next_attempt_at <= ?
                    ORDER BY next_attempt_at LIMIT 1
                    """,
                    [now]
                )
                return WaitingMessages(
                    channel: channel,
                    count: try db.count("\(table) WHERE \(condition)"),
                    late: due.map { Double(now.milliseconds - $0.milliseconds) / 1_000 } ?? 0
                )
            }
        }
    }

    /// Stores the time in a file beside the database, so that the age of the last backup can be monitored.
    package func recordBackup(begunAt time: Timestamp) throws {
        try Data(time.text.utf8).write(to: backupRecord, options: .atomic)
    }
}

/// The messages of a kind that wait to be sent.
package struct WaitingMessages: Sendable {
    package let channel: String
    package let count: Int
    /// The seconds for which the one that has been due for the longest time has been; 0 if none is due. Those that wait for
    /// another attempt are not due.
    package let late: Double
}
