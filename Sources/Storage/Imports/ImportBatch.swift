import Domain
import Foundation
import SQL

/// Writes rows of an import within a transaction.
struct ImportBatch: Sendable {
    let listingImport: ListingImport
    let quota: Quota
    let now: Timestamp

    /// The values that the rows of one transaction share.
    struct Work {
        /// The number of listings that the account may still open.
        var room: Int
        /// The rows that an earlier transaction of the same batch has processed.
        var reported: Set<Int> = []
        var counts: [ImportedRow.Outcome: Int] = [:]
        private var codes: [ListingCode] = []

        init(room: Int) {
            self.room = room
        }

        /// Returns the code of the next listing.
        mutating func code(_ db: SQLConnection) throws -> ListingCode {
            if codes.isEmpty { codes = try ListingCodes.draw(100, db) }
            return codes.removeLast()
        }
    }

    /// Writes some rows unless the import was cancelled.
    func run(_ rows: [ImportRow], _ db: SQLConnection, _ body: (inout Work) throws -> Void) throws -> Bool {
        try run(db) { room in
            var work = Work(room: room)
            if let first = rows.first?.number, let last = rows.last?.number {
                work.reported = Set(
                    try db.values(
                        "SELECT number FROM listing_import_row WHERE import_id = ? AND number BETWEEN ? AND ?",
                        [listingImport.key, first, last]
                    ) as [Int]
                )
            }
            try body(&work)
            for (outcome, count) in work.counts { try add(count, outcome, db) }
        }
    }

    /// Runs the body unless the import was cancelled. The body receives the number of listings that the account may still
    /// open.
    func run(_ db: SQLConnection, _ body: (_ room: Int) throws -> Void) throws -> Bool {
        let opened: Int? = try db.value(
            "SELECT opened_count FROM listing_import WHERE id = ? AND state = 'running'",
            [listingImport.key]
        )
        guard let opened else { return false }
        try ListingDerivation.throwIfBanned(listingImport.owner, db)
        let room = try quota.room(of: listingImport.owner, db) ?? .max
        try body(listingImport.order.isDryRun && room != .max ? max(0, room - opened) : room)
        return true
    }

    /// Writes a row whose listing exists with other contents.
    func change(_ row: ImportRow, _ listing: KnownListing, _ work: inout Work, _ db: SQLConnection) throws {
        guard case .draft(let draft) = row.content, let record = row.record, try isNew(row, &work, db) else { return }
        guard draft.origin == nil || listing.isImported else {
            return try report(db, row, .rejected, &work, Self.original)
        }
        let stored = try db.row("\(ListingRow.select) WHERE listing.id = ?", [listing.key]) { row in
            try Listing(ListingRow(row))
        }
        // It was deleted a moment ago; the next import posts it again.
        guard let stored else {
            let gone = ServiceError(.conflict, "the listing was deleted meanwhile")
            return try report(db, row, .rejected, &work, gone)
        }
        let new = record.seen(stored.createdAt)
        if draft.content.isOpen, !stored.content.isOpen {
            guard try open(&work, db) else { return try report(db, row, .rejected, &work, Self.full) }
        }
        let isSame =
            new.values == ListingRecord(stored.content, stored.location, seen: stored.createdAt).values
            && draft.origin == stored.origin
        let isNoted = try AnimalRecordStore.has(row.notes, of: listing.key, db)
        if !listingImport.order.isDryRun {
            if isSame {
                try ListingRecord.renew(id: listing.key, at: now, db)
            } else {
                try new.update(id: listing.key, at: now, db)
                if draft.origin != stored.origin { try ListingRecord.setOrigin(draft.origin, of: listing.key, db) }
            }
            try link(row, to: listing.key, db)
            try setPhotos(row, draft, of: listing.key, db)
            if !isNoted { try AnimalRecordStore.set(row.notes, of: listing.key, db) }
        }
        try report(db, row, isSame && isNoted ? .unchanged : .updated, &work, listing: listing.id)
    }

    /// Writes a row of a new listing, or one that changes nothing.
    func write(_ row: ImportRow, _ listing: KnownListing?, _ work: inout Work, _ db: SQLConnection) throws {
        guard try isNew(row, &work, db) else { return }
        if let conflict = listing?.conflict { return try report(db, row, .rejected, &work, Self.refusal(conflict)) }
        switch row.content {
        case .mistake(let error, let column, let value):
            try report(db, row, .rejected, &work, error, column: column, value: value)
        case .same:
            guard let listing else { return }
            if !listingImport.order.isDryRun { try ListingRecord.renew(id: listing.key, at: now, db) }
            try report(db, row, .unchanged, &work, listing: listing.id)
        case .draft(let draft): try create(row, draft, &work, db)
        }
    }

    /// Counts a listing that is opened. Returns false if the account has no room for it.
    private func open(_ work: inout Work, _ db: SQLConnection) throws -> Bool {
        guard work.room > 0 else { return false }
        work.room -= 1
        // A trial opens nothing, so the next batch has to know.
        if listingImport.order.isDryRun {
            try db.execute(
                "UPDATE listing_import SET opened_count = opened_count + 1 WHERE id = ?", [listingImport.key])
        }
        return true
    }

    /// A service that does not say where its listings began may pass on those of this one.
    private static let original = ServiceError(
        .conflict, "id: the listing began here, so it is no copy", field: "id")

    private static let full = ServiceError(
        .quotaExceeded, "the account has as many open listings as it may have", field: "quota")

    private func create(
        _ row: ImportRow,
        _ draft: ListingStore.Draft,
        _ work: inout Work,
        _ db: SQLConnection
    ) throws {
        if draft.content.isOpen {
            guard try open(&work, db) else { return try report(db, row, .rejected, &work, Self.full) }
        }
        guard !listingImport.order.isDryRun, let record = row.record else {
            return try report(db, row, .created, &work)
        }
        let created = draft.createdAt ?? now
        let key = try ListingStore.nextKey(created.milliseconds, db)
        try record.seen(created).insert(
            id: key,
            uuid: draft.id.lowercased,
            code: try work.code(db),
            owner: listingImport.owner,
            createdAt: created,
            origin: draft.origin,
            db
        )
        try ListingDerivation.add(key, db)
        try link(row, to: key, db)
        try setPhotos(row, draft, of: key, db)
        try AnimalRecordStore.set(row.notes, of: key, db)
        try report(db, row, .created, &work, listing: draft.id)
    }

    /// The photos of animals that nobody looks for are not fetched.
    private func setPhotos(_ row: ImportRow, _ draft: ListingStore.Draft, of listing: Int64, _ db: SQLConnection) throws
    {
        guard let urls = row.photos, draft.content.isOpen else { return }
        try RemotePhotoStore.set(
            urls, ofListing: listing, account: listingImport.owner, import: listingImport.key, at: now, db)
    }

    /// Notes the key and the id of a row. Returns false if the row was processed before, and reports it if another row has
    /// one of them.
    private func isNew(_ row: ImportRow, _ work: inout Work, _ db: SQLConnection) throws -> Bool {
        guard !work.reported.contains(row.number) else { return false }
        let id = row.id.map { "id:\($0.lowercased)" }
        if let key = row.key, key != id, let first = try note(key, row, db) {
            let what: ErrorMessage =
                row.reference == nil ? "is equal to row \(first)" : "row \(first) has the same reference"
            try report(db, row, .rejected, &work, .invalid("reference", what))
            return false
        }
        if let id, let first = try note(id, row, db) {
            try report(db, row, .rejected, &work, .invalid("id", "row \(first) has the same id"))
            return false
        }
        return true
    }

    /// Notes what identifies a row. Returns the number of the row that has it already.
    private func note(_ key: String, _ row: ImportRow, _ db: SQLConnection) throws -> Int? {
        let isFirst =
            try db.execute(
                """
                INSERT INTO listing_import_key (import_id, row_key, number) VALUES (?, ?, ?)
                ON CONFLICT (import_id, row_key) DO NOTHING
                """,
                [listingImport.key, key, row.number]
            ) > 0
        guard !isFirst else { return nil }
        return try db.value(
            "SELECT number FROM listing_import_key WHERE import_id = ? AND row_key = ?",
            [listingImport.key, key]
        ) ?? row.number
    }

    private func link(_ row: ImportRow, to listing: Int64, _ db: SQLConnection) throws {
        guard let key = row.key else { return }
        // The listing may have had another key: for example a reference that its row has now.
        try db.execute(
            """
            INSERT INTO imported_listing (listing_id, account_id, source, row_key, digest, first_import_id)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (listing_id) DO UPDATE SET row_key = excluded.row_key, digest = excluded.digest
            """,
            [listing, listingImport.owner, listingImport.order.source, key, row.digest, listingImport.key]
        )
    }

    private static func refusal(_ conflict: KnownListing.Conflict) -> ServiceError {
        switch conflict {
        case .account: ServiceError(.conflict, "id: it belongs to another account", field: "id")
        case .source(let source):
            ServiceError(
                .conflict,
                "reference: the source \(source) has a listing with this one: expected one for each source",
                field: "reference"
            )
        }
    }

    // MARK: - The report

    private func report(
        _ db: SQLConnection,
        _ row: ImportRow,
        _ outcome: ImportedRow.Outcome,
        _ work: inout Work,
        _ error: ServiceError? = nil,
        column: String? = nil,
        value: String? = nil,
        listing: UUID? = nil
    ) throws {
        work.counts[outcome, default: 0] += 1
        try store(
            ImportedRow(
                number: row.number,
                reference: row.reference.map { String($0.prefix(80)) },
                outcome: outcome,
                listing: listing,
                field: error?.field,
                column: column.map { String($0.prefix(80)) },
                value: value.map { String($0.prefix(ImportPlan.maxLength)) },
                message: error.map { String($0.message.text(in: listingImport.order.language).prefix(400)) }
            ),
            db
        )
    }

    func report(_ row: ImportedRow, _ db: SQLConnection) throws {
        try store(row, db)
        try add(1, row.outcome, db)
    }

    private func store(_ row: ImportedRow, _ db: SQLConnection) throws {
        try db.execute(
            """
            INSERT INTO listing_import_row (import_id, number, reference, outcome, listing_uuid, field, column_name, value,
                message)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                listingImport.key, row.number, row.reference, row.outcome.rawValue, row.listing?.lowercased, row.field,
                row.column, row.value, row.message,
            ]
        )
    }

    private func add(_ count: Int, _ outcome: ImportedRow.Outcome, _ db: SQLConnection) throws {
        let column = "\(outcome.rawValue)_count"
        try db.execute(
            "UPDATE listing_import SET \(column) = \(column) + ? WHERE id = ?",
            [count, listingImport.key]
        )
    }
}
