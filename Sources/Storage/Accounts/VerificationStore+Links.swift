package import Domain
package import Foundation
import SQL

/// The private links of guests. A link is a token like that of a session: it opens the account on any device, more than once,
/// until a newer one replaces it, its owner ends it, or nobody has opened it for a year.
extension VerificationStore {
    /// The time until a link that nobody has opened expires, in seconds.
    package static let unopenedLinkTime = 7 * 86_400.0

    /// Stores a link in the place of the one that the guest had, and the language of mails if it is not known. An address that
    /// was confirmed stays so, with its time; with another address, the other sessions end, since the former one may have been a mistake.
    /// Returns false and stores nothing if the account is not a guest's.
    ///
    /// - Parameter session: the digest of the token of the session that asks for the link.
    package func keepLink(
        of guest: Account,
        to email: String,
        tokenHash: Data,
        keeping session: Data,
        _ language: Language,
        until end: Timestamp
    ) async throws -> Bool {
        try await database.write { db in
            guard try AccountStore.getAccount(key: guest.key, db).role == .guest else { return false }
            let isOther = "SELECT 1 FROM guest_link WHERE account_id = ? AND email <> ?"
            if try db.exists(isOther, [guest.key, email]) { try Self.endSessions(of: guest, keeping: session, db) }
            try db.execute(
                """
                INSERT INTO guest_link (account_id, token_hash, email, expires_at) VALUES (?, ?, ?, ?)
                ON CONFLICT (account_id) DO UPDATE
                SET token_hash = excluded.token_hash, email = excluded.email,
                    expires_at = CASE
                        WHEN guest_link.email = excluded.email AND guest_link.confirmed_at IS NOT NULL
                            AND guest_link.expires_at > excluded.expires_at THEN guest_link.expires_at
                        ELSE excluded.expires_at END,
                    confirmed_at = CASE WHEN guest_link.email = excluded.email THEN guest_link.confirmed_at END
                """,
                [guest.key, tokenHash, email, end.text]
            )
            try db.execute(
                "UPDATE account SET language = ? WHERE id = ? AND language IS NULL",
                [language.rawValue, guest.key]
            )
            return true
        }
    }

    /// Begins a session of the guest on another device, and confirms the address of the link.
    package func openLink(
        tokenHash: Data,
        session: Data,
        client: String?,
        now: Timestamp
    ) async throws -> Account {
        try await database.write { db in
            guard let key = try Self.linked(tokenHash, now, db) else { throw Self.invalidToken }
            try db.execute(
                "UPDATE guest_link SET confirmed_at = coalesce(confirmed_at, ?), expires_at = ? WHERE account_id = ?",
                [now.text, now.adding(seconds: Account.Role.guest.sessionLifetime.idle).text, key]
            )
            return try AccountStore.insertSession(session, client, accountKey: key, now, db)
        }
    }

    /// Ends the link of a guest, so that its address gets no more mails, and the sessions on other devices.
    package func endLink(of guest: Account, keeping session: Data) async throws {
        try await database.write { db in
            try db.execute("DELETE FROM guest_link WHERE account_id = ?", [guest.key])
            try Self.endSessions(of: guest, keeping: session, db)
        }
    }

    private static func endSessions(of guest: Account, keeping session: Data, _ db: SQLConnection) throws {
        try db.execute("DELETE FROM session WHERE account_id = ? AND token_hash <> ?", [guest.key, session])
    }

    /// The `Account.key` of the guest whom a valid link opens.
    static func linked(_ tokenHash: Data, _ now: Timestamp, _ db: SQLConnection) throws -> Int64? {
        try db.value(
            """
            SELECT account_id FROM guest_link JOIN account ON id = account_id
            WHERE token_hash = ? AND expires_at > ? AND role = 'guest' AND NOT disabled
            """,
            [tokenHash, now.text]
        )
    }
}
