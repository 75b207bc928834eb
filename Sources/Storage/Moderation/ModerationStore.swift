package import Domain
package import Foundation
import SQL

/// The actions of moderators. Each action and its audit entry are one transaction. An action that another moderator has
/// already taken throws `conflict`.
package struct ModerationStore: Sendable {
    let database: any Database

    package init(_ database: any Database) { self.database = database }

    /// The reason for an action, and the moderator who takes it.
    package struct Justification: Sendable {
        package let reason: Report.Reason
        /// Stored only in the audit.
        package let note: String?
        package let actor: Audit.Actor

        package init(_ reason: Report.Reason = .other, note: String? = nil, by actor: Audit.Actor) {
            (self.reason, self.note, self.actor) = (reason, note, actor)
        }

        fileprivate var words: String { [reason.rawValue, note].compactMap(\.self).joined(separator: ": ") }

        fileprivate func record(_ action: Audit.Action, _ subject: UUID, _ db: SQLConnection) throws {
            try AuditLog.record(action, subject.lowercased, note: words, by: actor, db)
        }
    }

    /// The owner whom an action affects, for a notification.
    package struct AffectedOwner: Sendable {
        /// The `Account.id`.
        package let account: UUID?
        /// Nil if the owner has no confirmed address.
        package let email: String?
        package let language: Language?
        /// Nil if the action concerns the account itself.
        package let listing: ListingCode?
        package let animal: AnimalName?

        private static let columns =
            """
            account.uuid, coalesce(
                (SELECT link.email FROM guest_link AS link WHERE link.account_id = account.id AND confirmed_at IS NOT NULL),
                CASE WHEN email_confirmed THEN email END) AS confirmed_email, language
            """

        fileprivate init(account key: Int64, _ db: SQLConnection) throws {
            try self.init("\(Self.columns), NULL AS code FROM account WHERE id = ?", key, db)
        }

        fileprivate init(listing key: Int64, _ db: SQLConnection) throws {
            let source = "listing JOIN account ON account.id = account_id"
            try self.init("\(Self.columns), code, \(AnimalName.columns) FROM \(source) WHERE listing.id = ?", key, db)
        }

        private init(_ query: String, _ key: Int64, _ db: SQLConnection) throws {
            let owner = try PreparedStatement(db, "SELECT \(query)", [.integer(key)])
            guard try owner.next() else { throw ServiceError(.notFound, "no such account") }
            let row = owner.row
            (account, email, listing) = try (row["uuid"], row["confirmed_email"], row["code"])
            language = try (row["language"] as String?).flatMap(Language.init)
            animal = try listing == nil ? nil : AnimalName(row)
        }
    }

    // MARK: - Reports

    package func decide(_ id: UUID, _ status: Report.Status, note: String?, by actor: Audit.Actor) async throws {
        try await database.write { db in
            let found = try db.row("SELECT id, status FROM report_case WHERE uuid = ?", [id]) { row in
                (try row[0] as Int64, try row[1] as Report.Status)
            }
            guard let (key, known) = found else { throw ServiceError(.notFound, "no such report") }
            switch known {
            case .open: try Self.close("id = ?", key, status, note: note, by: actor, db)
            case .upheld: throw ServiceError(.conflict, "the report was upheld meanwhile")
            case .dismissed: throw ServiceError(.conflict, "the report was dismissed meanwhile")
            }
        }
    }

    private static let isAppeal = """
        EXISTS (SELECT 1 FROM report_reason WHERE case_id = report_case.id AND reason = 'appeal')
        """

    /// Decides the open cases that fulfil the condition.
    private static func close(
        _ condition: String,
        _ key: Int64,
        _ status: Report.Status,
        note: String? = nil,
        by actor: Audit.Actor,
        _ db: SQLConnection
    ) throws {
        let ids: [String] = try db.values(
            "UPDATE report_case SET status = ?, decided_at = ? WHERE \(condition) AND status = 'open' RETURNING uuid",
            [status.rawValue, Timestamp.now, key])
        let action = status == .upheld ? Audit.Action.reportUphold : .reportDismiss
        for id in ids { try AuditLog.record(action, id, note: note, by: actor, db) }
    }

    // MARK: - Listings, photos and sightings

    /// Hides a listing from everyone but its owner and admins, and upholds the reports about it.
    @discardableResult
    package func hide(_ listing: UUID, _ justification: Justification) async throws -> AffectedOwner {
        try await database.write { db in
            let key = try Self.listing(listing, db)
            let count = try db.execute(
                "INSERT INTO listing_hiding (listing_id, reason) VALUES (?, ?) ON CONFLICT (listing_id) DO NOTHING",
                [key, justification.reason.rawValue])
            guard count > 0 else { throw ServiceError(.conflict, "the listing is hidden already") }
            try justification.record(.listingHide, listing, db)
            try Self.close("listing_id = ?", key, .upheld, by: justification.actor, db)
            return try AffectedOwner(listing: key, db)
        }
    }

    /// Shows a listing again unless its account is banned. Upholds its owner's appeal and dismisses all other reports
    /// about it.
    package func restore(_ listing: UUID, note: String? = nil, by actor: Audit.Actor) async throws {
        try await database.write { db in
            let key = try Self.listing(listing, db)
            guard try db.execute("DELETE FROM listing_hiding WHERE listing_id = ?", [key]) > 0 else {
                throw ServiceError(
                    .conflict, "the listing is not hidden for what it is: see whether its account is banned")
            }
            try AuditLog.record(.listingRestore, listing.lowercased, note: note, by: actor, db)
            try Self.close("\(Self.isAppeal) AND listing_id = ?", key, .upheld, by: actor, db)
            try Self.close("subject = 'listing' AND listing_id = ?", key, .dismissed, by: actor, db)
        }
    }

    /// Deletes a photo and upholds the reports about it: that of a listing, or of a reported sighting or message.
    /// `PhotoStore.sweep` deletes the files later.
    ///
    /// - Returns: nil for the photo of a sighting or message, about which nobody is notified.
    @discardableResult
    package func removePhoto(_ photo: UUID, _ justification: Justification) async throws -> AffectedOwner? {
        try await database.write { db in
            let row = try db.row(
                """
                SELECT photo.id, photo.listing_id, report_case.subject, report_case.subject_uuid
                FROM photo LEFT JOIN sighting ON sighting.id = photo.sighting_id
                    LEFT JOIN message ON message.id = photo.message_id
                    LEFT JOIN report_case ON subject_uuid = coalesce(sighting.uuid, message.uuid)
                        AND subject IN ('sighting', 'message') AND report_case.status = 'open'
                WHERE photo.uuid = ? AND (photo.listing_id IS NOT NULL OR report_case.id IS NOT NULL)
                """,
                [photo]
            ) { row in
                (
                    key: try row[0] as Int64, listing: try row[1] as Int64?, subject: try row[2] as Report.Subject?,
                    id: try row[3] as UUID?
                )
            }
            guard let row else { throw ServiceError(.notFound, "no such photo") }
            try db.execute("DELETE FROM photo WHERE id = ?", [row.key])
            try justification.record(.photoRemove, photo, db)
            try Self.uphold(row.subject ?? .photo, row.id ?? photo, by: justification.actor, db)
            return try row.listing.map { try AffectedOwner(listing: $0, db) }
        }
    }

    /// Deletes a sighting and upholds the reports about it.
    package func removeSighting(_ sighting: UUID, _ justification: Justification) async throws {
        try await database.write { db in
            guard try db.execute("DELETE FROM sighting WHERE uuid = ?", [sighting]) > 0 else {
                throw ServiceError(.notFound, "no such sighting")
            }
            try justification.record(.sightingRemove, sighting, db)
            try Self.uphold(.sighting, sighting, by: justification.actor, db)
        }
    }

    /// Upholds the open reports about one subject.
    private static func uphold(
        _ subject: Report.Subject,
        _ id: UUID,
        by actor: Audit.Actor,
        _ db: SQLConnection
    ) throws {
        if let open = try ReportStore.openCase(of: subject, id, db) {
            try close("id = ?", open, .upheld, by: actor, db)
        }
    }

    private static func listing(_ id: UUID, _ db: SQLConnection) throws -> Int64 {
        let key: Int64? = try db.value("SELECT id FROM listing WHERE uuid = ?", [id])
        guard let key else { throw ServiceError(.notFound, "no such listing") }
        return key
    }

    // MARK: - Accounts

    /// Bans an account, hides all its listings, and upholds the reports about it.
    @discardableResult
    package func ban(_ account: UUID, until: Timestamp?, _ justification: Justification) async throws -> AffectedOwner {
        try await database.write { db in
            let (key, role) = try Self.account(account, db)
            guard role != .admin else {
                throw ServiceError(.conflict, "an admin cannot be banned: make it an ordinary user first")
            }
            let count = try db.execute(
                "INSERT INTO ban (account_id, reason, until) VALUES (?, ?, ?) ON CONFLICT (account_id) DO NOTHING",
                [key, justification.reason.rawValue, until])
            guard count > 0 else { throw ServiceError(.conflict, "the account is banned already") }
            let words = [until.map { "until \($0)" }, justification.words].compactMap(\.self).joined(separator: ", ")
            try AuditLog.record(.accountBan, account.lowercased, note: words, by: justification.actor, db)
            try Self.close("NOT \(Self.isAppeal) AND account_id = ?", key, .upheld, by: justification.actor, db)
            return try AffectedOwner(account: key, db)
        }
    }

    /// Ends the ban of an account and shows its listings, except those that moderators have hidden individually.
    package func unban(_ account: UUID, note: String? = nil, by actor: Audit.Actor) async throws {
        try await database.write { db in
            let (key, _) = try Self.account(account, db)
            guard try Self.unban(key, db) else { throw ServiceError(.conflict, "the account is not banned") }
            try AuditLog.record(.accountUnban, account.lowercased, note: note, by: actor, db)
        }
    }

    /// Ends the bans whose time is over.
    package func endBans(at now: Timestamp) async throws {
        guard try database.readNow({ db in try db.exists("SELECT 1 FROM ban WHERE until <= ?", [now]) }) else { return }
        try await database.write { db in
            let over = try db.rows(
                """
                SELECT account.id, uuid FROM ban JOIN account ON account.id = account_id
                WHERE until <= ? ORDER BY until, account.id
                """,
                [now]
            ) { row in (key: try row[0] as Int64, id: try row[1] as String) }
            for account in over where try Self.unban(account.key, db) {
                try AuditLog.record(.accountUnban, account.id, note: "its time was over", by: .service, db)
            }
        }
    }

    /// Returns the ban of the account to which the token belongs; nil if it is not banned.
    package func findBan(tokenHash: Data) throws -> Ban? {
        try findBan("account_id = (SELECT account_id FROM session WHERE token_hash = ?)", [tokenHash])
    }

    package func findBan(account key: Int64) throws -> Ban? { try findBan("account_id = ?", [key]) }

    private func findBan(_ condition: String, _ values: [any SQLBindable]) throws -> Ban? {
        try database.readNow { db in
            try db.row("SELECT reason, until FROM ban WHERE \(condition)", values) { row in
                try Ban(reason: row[0], until: row[1])
            }
        }
    }

    /// Returns false if the account was not banned. Also enables accounts that were disabled before bans existed.
    private static func unban(_ key: Int64, _ db: SQLConnection) throws -> Bool {
        if try db.execute("DELETE FROM ban WHERE account_id = ?", [key]) > 0 { return true }
        return try db.execute("UPDATE account SET disabled = FALSE WHERE id = ? AND disabled", [key]) > 0
    }

    private static func account(_ id: UUID, _ db: SQLConnection) throws -> (key: Int64, role: Account.Role) {
        let account = try db.row("SELECT id, role FROM account WHERE uuid = ?", [id]) { row in
            (key: try row[0] as Int64, role: try row[1] as Account.Role)
        }
        guard let account else { throw ServiceError(.notFound, "no such account") }
        return account
    }
}
