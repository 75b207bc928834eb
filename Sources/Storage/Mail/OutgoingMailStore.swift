package import Domain
package import Foundation
package import SQL

/// A stored mail that is not sent yet.
package struct OutgoingMail: Sendable {
    package let key: Int64
    /// The same for each attempt, and in the Message-ID.
    package let id: UUID
    package let message: MailMessage
    package let createdAt: Timestamp
    /// The number of attempts that failed.
    package let attempts: Int
    package let expiresAt: Timestamp
    /// The domain of the recipient.
    package let domain: String
}

/// The mails that are not sent yet. They are deleted as soon as they are sent or given up, because they contain addresses
/// and links with tokens.
package struct OutgoingMailStore: Sendable {
    /// The maximum number of waiting mails.
    package static let maxWaiting = 10_000

    /// The error if too many mails are waiting.
    package static let full = ServiceError(
        .unavailable,
        "too many mails are waiting: try again in a moment",
        retryAfter: 60
    )

    private let database: any Database
    private let limit: Int

    package init(_ database: any Database, limit: Int = maxWaiting) {
        self.database = database
        self.limit = limit
    }

    /// Whether this node sends what is stored.
    package var isLeader: Bool { database.isLeader }

    // MARK: - Adding

    /// Stores a mail within the transaction that causes it. `Mailer.wake()` after the commit sends it at once.
    ///
    /// - Returns: false if a mail with this key is waiting already, or if the mail's account does not exist any more.
    /// - Throws: `full` if too many mails are waiting, `invalid` if the mail cannot be sent.
    @discardableResult
    package static func append(
        _ mail: MailMessage,
        at now: Timestamp = .now,
        limit: Int = maxWaiting,
        _ db: SQLConnection
    ) throws -> Bool {
        try mail.validate()
        let account: Int64? = try mail.account.flatMap { try db.value("SELECT id FROM account WHERE uuid = ?", [$0]) }
        guard mail.account == nil || account != nil else { return false }
        if let key = mail.key, try db.exists("SELECT 1 FROM outgoing_mail WHERE key = ?", [key]) { return false }
        guard try !db.exists("SELECT 1 FROM outgoing_mail LIMIT 1 OFFSET ?", [max(0, limit - 1)]) else { throw full }
        try db.execute(
            """
            INSERT INTO outgoing_mail (
                uuid, key, account_id, recipient, domain, subject, text, html, picture, picture_type, picture_id, language,
                unsubscribe, bulk, listings, created_at, next_attempt_at, expires_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?16, ?16, ?17)
            """,
            [
                UUID(), mail.key, account, mail.to.text, mail.to.host.lowercased(), mail.subject, mail.text, mail.html,
                mail.picture?.bytes, mail.picture?.type, mail.picture?.name, mail.language.rawValue, mail.unsubscribe,
                mail.isBulk, ToldReaders.column(mail.listings), now,
                mail.expiresAt ?? now.adding(seconds: MailMessage.lifetime),
            ]
        )
        return true
    }

    /// Stores a mail like `append(_:at:limit:_:)`, in a transaction of its own.
    @discardableResult
    package func append(_ mail: MailMessage, at now: Timestamp = .now) async throws -> Bool {
        try await database.write { [limit] db in try Self.append(mail, at: now, limit: limit, db) }
    }

    // MARK: - Sending

    /// Returns the mails that are to be sent next: of those that are due, the ones that are useless soonest, so that a new
    /// password does not wait for notifications; bulk mails last.
    ///
    /// - Parameters:
    ///   - keys: the mails that are being sent.
    ///   - domains: the domains of recipients that have to wait.
    package func next(
        due now: Timestamp,
        except keys: some Collection<Int64>,
        domains: some Collection<String>,
        limit: Int
    ) throws -> [Result<OutgoingMail, UnreadableMail>] {
        let values: [any SQLBindable] = try [now, Array(keys).json, Array(domains).json, limit]
        return try database.readNow { db in
            try db.rows(
                """
                SELECT outgoing_mail.*, account.uuid AS account
                FROM outgoing_mail LEFT JOIN account ON account.id = account_id
                WHERE outgoing_mail.id IN (
                    SELECT id FROM outgoing_mail
                    WHERE next_attempt_at <= ? AND id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each(?))
                        AND domain NOT IN (SELECT value FROM json_each(?))
                    ORDER BY bulk, expires_at, id LIMIT ?)
                ORDER BY bulk, outgoing_mail.expires_at, outgoing_mail.id
                """,
                values
            ) { row in
                do { return .success(try OutgoingMail(row)) } catch {
                    return .failure(UnreadableMail(key: try row["id"], cause: "\(error)"))
                }
            }
        }
    }

    /// Returns the time of the first attempt after `now`.
    package func nextAttempt(after now: Timestamp) throws -> Timestamp? {
        try database.nextAttempt(in: "outgoing_mail", after: now)
    }

    /// Deletes mails that were sent or are given up, counts the failed attempts of others and sets the times of their next
    /// ones.
    package func settle(
        sent: [Int64] = [],
        removing keys: [Int64] = [],
        postponing mails: [(key: Int64, until: Timestamp)] = [],
        at now: Timestamp = .now
    ) async throws {
        try await database.write { db in
            try ToldReaders.note(sent, of: .mail, at: now, db)
            for key in sent + keys { try db.execute("DELETE FROM outgoing_mail WHERE id = ?", [key]) }
            for (key, time) in mails {
                try db.execute(
                    "UPDATE outgoing_mail SET attempts = attempts + 1, next_attempt_at = ? WHERE id = ?",
                    [time, key]
                )
            }
        }
    }

    /// Deletes a batch of mails that are too old, and returns their number. Mails that are being sent stay.
    package func removeExpired(at now: Timestamp, except keys: some Collection<Int64>) async throws -> Int {
        try await database.removeExpired(from: "outgoing_mail", at: now, except: keys)
    }

    /// Whether so many bulk mails are waiting that their sources should make no more for now.
    package func hasBulk(_ count: Int) throws -> Bool {
        try database.readNow { db in
            try db.exists("SELECT 1 FROM outgoing_mail WHERE bulk LIMIT 1 OFFSET ?", [max(0, count - 1)])
        }
    }

    /// The number of mails that are neither sent nor given up.
    package func count() throws -> Int {
        try database.readNow { db in try db.count("outgoing_mail") }
    }
}

/// A stored mail whose columns are damaged.
package struct UnreadableMail: Error, Sendable {
    package let key: Int64
    package let cause: String
}

extension OutgoingMail {
    fileprivate init(_ row: StatementRow) throws {
        let recipient: String = try row["recipient"]
        guard let to = MailAddress(recipient) else { throw ServiceError.invalid("recipient", "expected an address") }
        let language = Language(rawValue: try row["language"]) ?? .english
        var message = MailMessage(to: to, subject: try row["subject"], text: try row["text"], language: language)
        message.html = try row["html"]
        if let bytes: Data = try row["picture"] {
            message.picture = try MailPicture([UInt8](bytes), type: row["picture_type"], name: row["picture_id"])
        }
        message.unsubscribe = try row["unsubscribe"]
        message.isBulk = try row["bulk"]
        message.account = try row["account"]
        message.key = try row["key"]
        message.expiresAt = try row["expires_at"]
        self.init(
            key: try row["id"],
            id: try row["uuid"],
            message: message,
            createdAt: try row["created_at"],
            attempts: try row["attempts"],
            expiresAt: try row["expires_at"],
            domain: try row["domain"]
        )
    }
}
