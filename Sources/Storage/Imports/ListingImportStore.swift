package import Domain
package import Foundation
import SQL

/// The imports of listings over HTTP, with what became of their rows.
package struct ListingImportStore: Sendable {
    let database: any Database
    let quota: Quota

    package init(_ database: any Database, quota: Quota = .none) {
        (self.database, self.quota) = (database, quota)
    }

    package func countByState() throws -> [(state: ListingImport.State, count: Int)] {
        try database.readNow { db in
            try db.rows("SELECT state, count(*) AS number FROM listing_import GROUP BY state ORDER BY state") { row in
                (state: try row["state"], count: Int(try row["number"] as Int64))
            }
        }
    }

    // MARK: - Owners

    /// Records an import whose file has arrived. Throws `quotaExceeded` if too many of the account have not ended.
    ///
    /// - Parameters:
    ///   - account: the owner of the listings, which may be an organisation.
    ///   - sender: who sent the file; nil if the service fetched it.
    package func create(
        id: UUID,
        _ order: ListingImport.Order,
        file: URL,
        by account: Account,
        sender: Account? = nil,
        at now: Timestamp = .now
    ) async throws -> ListingImport {
        try await database.write { db in
            try ListingDerivation.throwIfBanned(account.key, db)
            try Self.throwIfFull(account, db)
            try db.execute(
                """
                INSERT INTO listing_import (uuid, account_id, source, mapping, file_name, language, dry_run, close_missing,
                    created_at, plan, service)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    id.lowercased, account.key, order.source, order.mapping, order.fileName, order.language.rawValue,
                    order.isDryRun, order.closeMissing.rawValue, now.text, try order.plan.json,
                    order.service,
                ]
            )
            let created = try Self.get(id, account, db)
            try Self.insert(file, of: created.key, db)
            try OrganisationActionLog.recordImport(id, order, of: account, by: sender, db)
            return created
        }
    }

    /// Throws `quotaExceeded` if the account cannot have one more import, before its file is received.
    package func throwIfFull(_ account: Account) throws {
        try database.readNow { db in try Self.throwIfFull(account, db) }
    }

    private static func throwIfFull(_ account: Account, _ db: SQLConnection) throws {
        let unfinished: Int? = try db.value(
            "SELECT count(*) FROM listing_import WHERE account_id = ? AND state IN ('waiting', 'running')",
            [account.key]
        )
        guard unfinished ?? 0 < ListingImport.maxUnfinished else {
            throw ServiceError(
                .quotaExceeded,
                "expected at most \(ListingImport.maxUnfinished) imports that have not ended: wait for one, or cancel it"
            )
        }
    }

    /// Returns the imports of an account and of the organisations that it is a member of, newest first.
    ///
    /// - Parameter last: the `ListingImport.key` at which the previous page ended.
    package func findImports(of account: Account, before last: Int64? = nil, limit: Int) throws -> [ListingImport] {
        let owners = account.owners.map(String.init).joined(separator: ", ")
        return try database.readNow { db in
            try db.rows(
                """
                SELECT * FROM listing_import WHERE account_id IN (\(owners)) AND id < ?
                ORDER BY id DESC LIMIT ?
                """,
                [last ?? .max, limit],
                ListingImport.init
            )
        }
    }

    /// Returns how many listings an account may still open; nil without a limit.
    ///
    /// - Parameter account: its `Account.key`.
    package func room(of account: Int64) throws -> Int? {
        try database.readNow { db in try quota.room(of: account, db) }
    }

    /// Throws `notFound` if neither the account nor an organisation of it has such an import.
    package func getImport(id: UUID, of account: Account) throws -> ListingImport {
        try database.readNow { db in try Self.get(id, account, db) }
    }

    /// Returns what became of rows, in their order.
    package func findRows(
        of listingImport: ListingImport,
        after last: Int = 0,
        outcomes: [ImportedRow.Outcome] = ImportedRow.Outcome.allCases,
        limit: Int
    ) throws -> [ImportedRow] {
        let list = outcomes.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        return try database.readNow { db in
            try db.rows(
                """
                SELECT * FROM listing_import_row WHERE import_id = ? AND number > ? AND outcome IN (\(list))
                ORDER BY number LIMIT ?
                """,
                [listingImport.key, last, limit],
                ImportedRow.init
            )
        }
    }

    /// Cancels an import that has not ended: what it has written remains. Deletes the report of one that has ended.
    package func remove(id: UUID, of account: Account, at now: Timestamp = .now) async throws {
        try await database.write { db in
            let found = try Self.get(id, account, db)
            guard found.state.hasEnded else { return try Self.end(found, .cancelled, at: now, db) }
            try db.execute("DELETE FROM listing_import WHERE id = ?", [found.key])
        }
    }

    // MARK: - The service

    /// Returns imports to go on with: of each account the oldest that has not ended, those with the fewest turns first.
    package func findDue(limit: Int) throws -> [ListingImport] {
        try database.readNow { db in
            try db.rows(
                """
                SELECT * FROM listing_import WHERE id IN (
                    SELECT min(id) FROM listing_import WHERE state IN ('waiting', 'running') GROUP BY account_id)
                ORDER BY state = 'waiting', turn, id LIMIT ?
                """,
                [limit],
                ListingImport.init
            )
        }
    }

    /// Marks an import as running, with the number of its rows and the order of its dates.
    package func start(
        _ listingImport: ListingImport,
        total: Int,
        unknownColumns: [String],
        dates: ImportPlan.DateOrder?,
        at now: Timestamp = .now
    ) async throws {
        var plan = listingImport.order.plan
        if let dates { plan.dates = dates }
        let planned = try plan.json
        let encoded = String(decoding: try JSONEncoder().encode(unknownColumns), as: UTF8.self)
        try await database.write { db in
            try db.execute(
                """
                UPDATE listing_import
                SET state = 'running', row_total = ?, unknown_columns = ?, started_at = coalesce(started_at, ?), plan = ?
                WHERE id = ? AND state IN ('waiting', 'running')
                """,
                [total, encoded, now.text, planned, listingImport.key]
            )
        }
    }

    package func fail(
        _ listingImport: ListingImport,
        _ problem: ListingImport.Problem,
        at now: Timestamp = .now
    ) async throws {
        try await database.write { db in try Self.end(listingImport, .failed, problem, at: now, db) }
    }

    /// Whether the file of an import is needed after a time: it has not ended, or is a dry run that ended later.
    static let needsFile = "state IN ('waiting', 'running') OR dry_run AND state = 'done' AND ended_at > ?"

    /// Returns which of the ids are of imports whose files are still needed: those that have not ended, and new dry runs.
    package func needed(_ ids: [UUID], at now: Timestamp = .now) throws -> Set<UUID> {
        try database.readNow { db in
            Set(
                try ids.filter { id in
                    try db.exists(
                        "SELECT 1 FROM listing_import WHERE uuid = ? AND (\(Self.needsFile))",
                        [id.lowercased, now.adding(days: -1).text]
                    )
                }
            )
        }
    }

    /// Deletes old reports. Returns whether there are more.
    package func prune(at now: Timestamp) async throws -> Bool {
        try await database.write { db in
            let old = now.adding(days: -ListingImport.keptDays).text
            // A report of 100,000 rows would keep others waiting.
            let rows = try db.execute(
                """
                DELETE FROM listing_import_row WHERE (import_id, number) IN (
                    SELECT import_id, number FROM listing_import JOIN listing_import_row ON import_id = listing_import.id
                    WHERE ended_at < ? LIMIT 500)
                """,
                [old]
            )
            if rows > 0 { return true }
            try db.execute("DELETE FROM listing_import WHERE ended_at < ?", [old])
            return false
        }
    }

    // MARK: -

    static func get(_ id: UUID, _ account: Account, _ db: SQLConnection) throws -> ListingImport {
        let found = try db.row(
            "SELECT * FROM listing_import WHERE uuid = ?",
            [id.lowercased],
            ListingImport.init
        )
        guard let found, account.acts(for: found.owner) else { throw ServiceError(.notFound, "no such import") }
        return found
    }

    static func end(
        _ listingImport: ListingImport,
        _ state: ListingImport.State,
        _ problem: ListingImport.Problem? = nil,
        at now: Timestamp,
        _ db: SQLConnection
    ) throws {
        try db.execute(
            """
            UPDATE listing_import SET state = ?, problem = ?, ended_at = ?
            WHERE id = ? AND state IN ('waiting', 'running')
            """,
            [state.rawValue, problem?.rawValue, now.text, listingImport.key]
        )
        try db.execute("DELETE FROM listing_import_key WHERE import_id = ?", [listingImport.key])
    }
}

extension ListingImport {
    init(_ row: StatementRow) throws {
        let columns: String = try row["unknown_columns"]
        var counts = Counts()
        counts.created = try row["created_count"]
        counts.updated = try row["updated_count"]
        counts.unchanged = try row["unchanged_count"]
        counts.closed = try row["closed_count"]
        counts.rejected = try row["rejected_count"]
        self.init(
            key: try row["id"],
            id: try row["uuid"],
            owner: try row["account_id"],
            order: Order(
                source: try row["source"],
                mapping: try row["mapping"],
                fileName: try row["file_name"],
                language: Language(rawValue: try row["language"]) ?? .english,
                isDryRun: try row["dry_run"],
                closeMissing: try row["close_missing"],
                plan: try ImportPlan(json: row["plan"]),
                service: try row["service"]
            ),
            state: try row["state"],
            problem: (try row["problem"] as String?).flatMap(Problem.init),
            unknownColumns: (try? JSONDecoder().decode([String].self, from: Data(columns.utf8))) ?? [],
            total: try row["row_total"],
            position: try row["row_position"],
            counts: counts,
            createdAt: try row["created_at"],
            startedAt: try row["started_at"],
            endedAt: try row["ended_at"]
        )
    }
}

extension ImportedRow {
    init(_ row: StatementRow) throws {
        self.init(
            number: try row["number"],
            reference: try row["reference"],
            outcome: try row["outcome"],
            listing: (try row["listing_uuid"] as String?).flatMap(UUID.init(uuidString:)),
            field: try row["field"],
            column: try row["column_name"],
            value: try row["value"],
            message: try row["message"]
        )
    }
}
