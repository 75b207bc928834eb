package import Domain
package import Foundation
import SQL

/// The addresses whose files are imported at intervals.
package struct ImportFeedStore: Sendable {
    let database: any Database

    package init(_ database: any Database) {
        self.database = database
    }

    /// Throws `quotaExceeded` if the account has too many, and `conflict` if it has one with the same source.
    ///
    /// - Parameter account: the owner of the listings, which may be an organisation.
    package func create(_ order: ImportFeed.Order, by account: Account, at now: Timestamp) async throws -> ImportFeed {
        try await database.write { db in
            try ListingDerivation.throwIfBanned(account.key, db)
            let count: Int? = try db.value("SELECT count(*) FROM import_feed WHERE account_id = ?", [account.key])
            guard count ?? 0 < ImportFeed.maxCount else {
                throw ServiceError(.quotaExceeded, "expected at most \(ImportFeed.maxCount) addresses of an account")
            }
            let id = UUID()
            let listings = order.listings
            let added = try db.execute(
                """
                INSERT INTO import_feed (uuid, account_id, url, every_hours, source, mapping, language, close_missing,
                    created_at, next_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?9, ?9) ON CONFLICT (account_id, source) DO NOTHING
                """,
                [
                    id, account.key, order.url, order.interval, listings.source, listings.mapping,
                    listings.language.rawValue, listings.closeMissing.rawValue, now,
                ]
            )
            guard added > 0 else {
                throw ServiceError(.conflict, "another address has this source: choose another name", field: "source")
            }
            return try Self.get(id, account, db)
        }
    }

    /// Returns the feeds of an account and of the organisations that it is a member of, oldest first.
    package func findFeeds(of account: Account) throws -> [ImportFeed] {
        let owners = account.owners.map(String.init).joined(separator: ", ")
        return try database.readNow { db in
            try db.rows(
                "SELECT * FROM import_feed WHERE account_id IN (\(owners)) ORDER BY id",
                [],
                ImportFeed.init
            )
        }
    }

    /// Returns the open listings that the files of feeds have made, by `ImportFeed.key`.
    package func countOpen(of feeds: [ImportFeed]) throws -> [Int64: Int] {
        try database.readNow { db in
            try feeds.reduce(into: [:]) { counts, feed in
                counts[feed.key] = try db.value(
                    """
                    SELECT count(*) FROM imported_listing CROSS JOIN listing
                    WHERE listing.id = listing_id AND imported_listing.account_id = ? AND source = ?
                        AND status IN ('lost', 'found', 'sighted')
                    """,
                    [feed.owner, feed.order.listings.source]
                )
            }
        }
    }

    package func remove(_ id: UUID, of account: Account) async throws {
        try await database.write { db in
            let feed = try Self.get(id, account, db)
            try db.execute("DELETE FROM import_feed WHERE id = ?", [feed.key])
        }
    }

    /// Makes a feed due.
    package func hasten(_ id: UUID, of account: Account, at now: Timestamp) async throws {
        try await database.write { db in
            let feed = try Self.get(id, account, db)
            try db.execute("UPDATE import_feed SET next_at = ?1 WHERE id = ?2 AND next_at > ?1", [now, feed.key])
        }
    }

    private static func get(_ id: UUID, _ account: Account, _ db: SQLConnection) throws -> ImportFeed {
        let found = try db.row(
            "SELECT * FROM import_feed WHERE uuid = ?",
            [id],
            ImportFeed.init
        )
        guard let found, account.acts(for: found.owner) else { throw ServiceError(.notFound, "no such address") }
        return found
    }

    // MARK: - Fetching

    /// Returns the feed that has been due for the longest time, and postpones it by its interval, so that one that ends
    /// the process is not fetched again at once. Its validators are stored again by `note` only: if the process ends before,
    /// nobody knows which file they are of.
    package func takeDue(at now: Timestamp) async throws -> ImportFeed? {
        let due = "SELECT * FROM import_feed WHERE next_at <= ? ORDER BY next_at LIMIT 1"
        guard try database.readNow({ db in try db.exists(due, [now]) }) else { return nil }
        return try await database.write { db in
            guard let feed = try db.row(due, [now], ImportFeed.init) else { return nil }
            let next = now.adding(seconds: Double(feed.order.interval) * 3600)
            try db.execute(
                "UPDATE import_feed SET next_at = ?, entity_tag = NULL, last_modified = NULL WHERE id = ?",
                [next, feed.key]
            )
            return feed
        }
    }

    /// Whether the last import has written what its file says, so that the same file need not be read again: it was recent,
    /// no row was left out for a reason that is not in the file, and the file would be read in the same way.
    package func isSettled(_ feed: ImportFeed, at now: Timestamp) async throws -> Bool {
        guard let last = feed.lastImport else { return false }
        return try await database.read { db in
            try db.exists(
                """
                SELECT 1 FROM listing_import WHERE uuid = ?1 AND state = 'done' AND created_at > ?2
                    AND (rejected_count = 0 OR NOT EXISTS (
                        SELECT 1 FROM listing_import_row WHERE import_id = listing_import.id AND outcome = 'rejected'
                            AND (field IS NULL OR field = 'quota')))
                    AND NOT EXISTS (
                        SELECT 1 FROM import_plan WHERE import_plan.account_id = listing_import.account_id
                            AND import_plan.source = listing_import.source AND updated_at > listing_import.created_at)
                """,
                [last.lowercased, now.adding(days: -ImportFeed.maxUnchanged).text]
            )
        }
    }

    /// Records what became of an attempt. After a failure, the next one is an hour later at most; a slow server has to
    /// wait for longer, so that many of them do not delay others.
    package func note(
        _ outcome: ImportFeed.Outcome,
        of feed: ImportFeed,
        import id: UUID?,
        validators: ImportFeed.Validators,
        at now: Timestamp
    ) async throws {
        let (hour, interval) = (3600.0, Double(feed.order.interval) * 3600)
        let pause =
            switch outcome {
            case .imported, .unchanged: interval
            case .timedOut: max(interval, 6 * hour)
            case .refused, .tooLarge, .unreachable, .untrusted, .busy, .failed: min(interval, hour)
            }
        try await database.write { db in
            try db.execute(
                """
                UPDATE import_feed SET last_at = ?, last_outcome = ?, last_import = coalesce(?, last_import),
                    next_at = ?, entity_tag = ?, last_modified = ?
                WHERE id = ?
                """,
                [
                    now, outcome.rawValue, id, now.adding(seconds: pause), validators.entityTag,
                    validators.lastModified, feed.key,
                ]
            )
        }
    }
}

extension ImportFeed {
    fileprivate init(_ row: StatementRow) throws {
        let listings = ListingImport.Order(
            source: try row["source"],
            mapping: try row["mapping"],
            language: try row["language"],
            closeMissing: try row["close_missing"]
        )
        try self.init(
            key: row["id"],
            id: row["uuid"],
            owner: row["account_id"],
            order: Order(url: row["url"], interval: Int(row["every_hours"] as Int64), listings: listings),
            createdAt: row["created_at"],
            nextAt: row["next_at"],
            lastAt: row["last_at"],
            lastOutcome: row["last_outcome"],
            lastImport: row["last_import"],
            validators: Validators(entityTag: row["entity_tag"], lastModified: row["last_modified"])
        )
    }
}
