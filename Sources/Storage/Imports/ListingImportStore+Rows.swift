package import Domain
package import Foundation
import SQL

/// A row of an import as it is to be written.
package struct ImportRow: Sendable {
    package enum Content: Sendable {
        case draft(ListingStore.Draft)
        /// The row is equal to that of the last import.
        case same
        /// The name of the column and the value that are wrong, if a single field is.
        case mistake(ServiceError, column: String?, value: String?)
    }

    /// Counted from 1.
    package let number: Int
    /// The identity among the rows of its source; nil if it cannot be read.
    package let key: String?
    package let reference: String?
    /// The id that the row says; nil if it says none.
    package let id: UUID?
    package let digest: Data?
    package let content: Content
    /// The addresses of its photos; nil if the file says nothing of photos.
    package let photos: [String]?
    /// The draft as columns, which are computed before the transaction.
    let record: ListingRecord?
    /// The fields of the animal's record that the file has; a nil value clears a field.
    package let notes: [AnimalRecord.Key: String?]

    package init(
        number: Int,
        key: String?,
        reference: String?,
        id: UUID?,
        digest: Data?,
        content: Content,
        photos: [String]? = nil,
        notes: [AnimalRecord.Key: String?] = [:]
    ) {
        (self.number, self.key, self.reference, self.id) = (number, key, reference, id)
        (self.digest, self.content) = (digest, content)
        (self.photos, self.notes) = (photos, notes)
        record =
            if case .draft(let draft) = content { ListingRecord(draft.content, draft.location, seen: nil) } else { nil }
    }
}

/// The identity of a row before it is converted.
package struct ImportRowIdentity: Sendable {
    package let key: String
    package let reference: String?
    package let id: UUID?

    package init(key: String, reference: String?, id: UUID?) {
        (self.key, self.reference, self.id) = (key, reference, id)
    }
}

/// The listing that a row is about.
package struct KnownListing: Sendable {
    package let key: Int64
    package let id: UUID
    /// That of the row that was read last; nil if the listing is to be written whatever the row says.
    package let digest: Data?
    /// Whether an import has made or taken it.
    package let isImported: Bool
    /// Whether it belongs to another account or to another source of the same account.
    package let conflict: Conflict?

    package enum Conflict: Sendable {
        case account
        case source(String)
    }
}

extension ListingImportStore {
    /// Returns the listings that rows are about, by the keys of the rows: those of earlier imports of the same source, or
    /// else those with the same id or reference.
    package func known(
        _ identities: [ImportRowIdentity],
        of listingImport: ListingImport
    ) throws -> [String: KnownListing] {
        try database.readNow { db in
            var known: [String: KnownListing] = [:]
            for identity in identities { known[identity.key] = try Self.find(identity, listingImport, db) }
            return known
        }
    }

    private static func find(
        _ identity: ImportRowIdentity,
        _ listingImport: ListingImport,
        _ db: SQLConnection
    ) throws -> KnownListing? {
        let select = """
            SELECT listing.id, uuid, listing.account_id, source, row_key,
                CASE WHEN expired_from IS NULL THEN digest END AS digest
            FROM listing LEFT JOIN imported_listing ON imported_listing.listing_id = listing.id
                LEFT JOIN listing_renewal ON listing_renewal.listing_id = listing.id
            """
        let source = listingImport.order.source
        func find(_ condition: String, _ values: [any SQLBindable]) throws -> KnownListing? {
            try db.row("\(select) WHERE \(condition)", values) { row in
                let (owner, other): (Int64, String?) = (try row["account_id"], try row["source"])
                let conflict: KnownListing.Conflict? =
                    owner != listingImport.owner
                    ? .account : other.flatMap { $0 == source ? nil : .source($0) }
                let isLinked = try row["row_key"] as String? == identity.key && conflict == nil
                return KnownListing(
                    key: try row["id"],
                    id: try row["uuid"],
                    digest: isLinked ? try row["digest"] : nil,
                    isImported: other != nil,
                    conflict: conflict
                )
            }
        }
        if let linked = try find(
            "imported_listing.account_id = ? AND source = ? AND row_key = ?",
            [listingImport.owner, source, identity.key]
        ) {
            return linked
        }
        if let id = identity.id, let own = try find("uuid = ?", [id.lowercased]) { return own }
        guard let reference = identity.reference else { return nil }
        return try find("listing.account_id = ? AND reference = ?", [listingImport.owner, reference])
    }

    /// Writes a batch of rows and what became of them. Rows that were processed before are left out, so a batch that was
    /// interrupted can be written again.
    ///
    /// Changes of listings need triggers, and new ones come without, so there are two transactions. Each writes the report
    /// of its rows, and the second one the position.
    ///
    /// - Returns: how long the transaction of new listings had the lock for writing, or nil if the import was cancelled.
    package func write(
        _ rows: [ImportRow],
        _ known: [String: KnownListing],
        of listingImport: ListingImport,
        at now: Timestamp = .now
    ) async throws -> Duration? {
        let writer = ImportBatch(listingImport: listingImport, quota: quota, now: now)
        var (changes, others): ([(ImportRow, KnownListing)], [ImportRow]) = ([], [])
        var keys: Set<String> = []
        for row in rows {
            let isFirst = row.key.map { keys.insert($0).inserted } ?? true
            if isFirst, case .draft = row.content, let listing = row.key.flatMap({ known[$0] }), listing.conflict == nil
            {
                changes.append((row, listing))
            } else {
                others.append(row)
            }
        }
        // An update costs several times as much as a new row.
        for start in stride(from: 0, to: changes.count, by: 10) {
            let some = Array(changes[start..<min(start + 10, changes.count)])
            let goesOn = try await database.write { db in
                try writer.run(some.map(\.0), db) { work in
                    for (row, listing) in some { try writer.change(row, listing, &work, db) }
                }
            }
            guard goesOn else { return nil }
            try await Task.sleep(for: .milliseconds(2))
        }
        let (rest, last) = (others, rows.last?.number ?? listingImport.position)
        let begin = try await database.write(.newListings) { db -> ContinuousClock.Instant? in
            let begin = ContinuousClock.now
            let goesOn = try writer.run(rest, db) { work in
                for row in rest { try writer.write(row, row.key.flatMap { known[$0] }, &work, db) }
                try db.execute(
                    "UPDATE listing_import SET row_position = ?, turn = turn + 1 WHERE id = ?",
                    [last, listingImport.key]
                )
            }
            return goesOn ? begin : nil
        }
        // The commit is part of it.
        return begin.map { $0.duration(to: .now) }
    }
}
