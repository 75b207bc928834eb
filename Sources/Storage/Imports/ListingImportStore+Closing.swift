package import Domain
import Foundation
import SQL

extension ListingImportStore {
    /// The number of listings that one transaction closes.
    private static let closingSize = 10

    /// Ends an import whose rows are all processed, or closes some listings that are missing from its file. Returns whether
    /// there are more to close.
    package func finish(_ listingImport: ListingImport, at now: Timestamp = .now) async throws -> Bool {
        let batch = ImportBatch(listingImport: listingImport, quota: quota, now: now)
        return try await database.write { db in
            var goesOn = false
            _ = try batch.run(db) { _ in
                let current = try db.row(
                    "SELECT * FROM listing_import WHERE id = ?",
                    [listingImport.key],
                    ListingImport.init
                )
                guard let current else { return }
                if current.order.closeMissing == .no {
                    try Self.complete(current, at: now, db)
                } else if let problem = try Self.problem(current, db) {
                    try Self.end(current, .failed, problem, at: now, db)
                } else {
                    let count = try Self.close(current, batch, at: now, db)
                    goesOn = count == Self.closingSize
                    if !goesOn { try Self.complete(current, at: now, db) }
                }
            }
            return goesOn
        }
    }

    private static func complete(_ listingImport: ListingImport, at now: Timestamp, _ db: SQLConnection) throws {
        try end(listingImport, .done, at: now, db)
        guard !listingImport.order.isDryRun,
            let account: String = try db.value("SELECT uuid FROM account WHERE id = ?", [listingImport.owner]),
            let id = UUID(uuidString: account)
        else { return }
        let counts = try db.row("SELECT * FROM listing_import WHERE id = ?", [listingImport.key]) { row in
            try ListingImport(row).counts
        }
        guard let counts else { return }
        try OrganisationActionLog.finishImport(listingImport, counts, db)
        let note = "\(counts.created) created, \(counts.updated) updated, \(counts.closed) closed"
        try AuditLog.record(.listingsImport, account, note: note, by: .account(id), db)
    }

    /// The open listings of the source that earlier imports made.
    private static let open = """
        FROM imported_listing CROSS JOIN listing
        WHERE listing.id = listing_id AND imported_listing.account_id = ?1 AND source = ?2 AND first_import_id < ?3
            AND status IN ('lost', 'found', 'sighted')
        """

    /// Those of them whose rows are not in the file.
    private static let missing = """
        \(open) AND NOT EXISTS (SELECT 1 FROM listing_import_key WHERE import_id = ?3 AND listing_import_key.row_key = imported_listing.row_key)
        """

    private static func values(_ listingImport: ListingImport) -> [any SQLBindable] {
        [listingImport.owner, listingImport.order.source, listingImport.key]
    }

    /// Returns why nothing may be closed.
    private static func problem(_ listingImport: ListingImport, _ db: SQLConnection) throws -> ListingImport.Problem? {
        guard listingImport.total ?? 0 > 0 else { return .empty }
        guard listingImport.order.closeMissing != .all else { return nil }
        let isUnclear = try db.exists(
            """
            SELECT 1 FROM listing_import_row
            WHERE import_id = ? AND outcome = 'rejected' AND reference IS NULL
                AND field IS DISTINCT FROM 'reference' LIMIT 1
            """,
            [listingImport.key]
        )
        let values = values(listingImport)
        let missing = try db.value("SELECT count(*) \(missing)", values) as Int? ?? 0
        if isUnclear, missing > 0 { return .unknownMissing }
        let open = try db.value("SELECT count(*) \(open)", values) as Int? ?? 0
        // Listings that were closed before an interruption count too. A dry run leaves its listings open.
        let closed = listingImport.order.isDryRun ? 0 : listingImport.counts.closed
        return (missing + closed) * 2 > open + closed ? .tooManyMissing : nil
    }

    private static func close(
        _ listingImport: ListingImport,
        _ batch: ImportBatch,
        at now: Timestamp,
        _ db: SQLConnection
    ) throws -> Int {
        let isDryRun = listingImport.order.isDryRun
        let found = try db.rows(
            """
            SELECT listing.id, uuid, reference \(missing)
            ORDER BY listing.id LIMIT ?4 OFFSET ?5
            """,
            values(listingImport) + [closingSize, isDryRun ? listingImport.counts.closed : 0]
        ) { row in
            (key: try row["id"] as Int64, id: try row["uuid"] as UUID, reference: try row["reference"] as String?)
        }
        let rows = (listingImport.total ?? 0) + listingImport.counts.closed
        for (index, listing) in found.enumerated() {
            if !isDryRun {
                try db.execute(
                    "UPDATE listing SET status = 'closed', version = version + 1, updated_at = ? WHERE id = ?",
                    [now.text, listing.key]
                )
                // If the row comes back, the listing is opened again.
                try db.execute("UPDATE imported_listing SET digest = NULL WHERE listing_id = ?", [listing.key])
            }
            try batch.report(
                ImportedRow(
                    number: rows + index + 1,
                    reference: listing.reference,
                    outcome: .closed,
                    listing: listing.id
                ),
                db
            )
        }
        return found.count
    }
}
