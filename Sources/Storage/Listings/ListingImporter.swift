package import Domain
import Foundation
import SQL

/// Writes the rows of an import in short transactions, so that other processes can write between them.
///
/// The rows are collected in a temporary file first (`add`), because nothing is written before all rows are known to be
/// valid. Then `writeAll` writes them in the order of time. It can be repeated after an interruption: rows that are
/// stored already are left as they are.
///
/// Rows of new listings are written by `ListingBatch`, all other changes by `ListingStore`.
package final class ListingImporter {
    /// The number of rows of an import by what became of them.
    package struct Counts: Equatable, Sendable {
        package var created = 0
        package var updated = 0
        /// Rows that are stored already. Their listings are only renewed.
        package var unchanged = 0
        /// Rows that a later row of the import with the same id or reference replaces.
        package var repeated = 0
        /// Photos that the server will fetch from their addresses.
        package var photos = 0

        package var written: Int { created + updated + unchanged }
    }

    /// A row of an import.
    package struct Row: Sendable {
        package var draft: ListingStore.Draft
        /// The contents of a row that has neither an id nor a reference: they determine its id, so that the same import
        /// again recognises it. Of equal rows, each one has an id of its own.
        package var source: String?
        package var extras = Extras()

        package init(_ draft: ListingStore.Draft, source: String? = nil) {
            self.draft = draft
            self.source = source
        }
    }

    /// The time that a transaction may hold the lock for writing. Smaller batches take longer in all, because each one
    /// writes pages that the next one changes again.
    private static let maxHold = Duration.milliseconds(80)
    /// The time between two transactions, in which others get the lock. Waiting connections look for it every
    /// millisecond.
    private static let pause = Duration.milliseconds(4)
    private static let maxRows = 2000
    /// A transaction has a cost of its own: without this limit, a slow disk or server could lead to single rows.
    private static let minRows = 50

    let database: any Database
    let owner: Account
    private let actor: Audit.Actor
    private let batch: ListingBatch
    let rows: ImportedRows
    package internal(set) var counts = Counts()

    package init(_ database: any Database, owner: Account, by actor: Audit.Actor = .commandLine) throws {
        self.database = database
        self.owner = owner
        self.actor = actor
        rows = try ImportedRows()
        batch = try ListingBatch(database, rows, owner: owner.key)
        try rows.unlink()
    }

    deinit { try? batch.close() }

    /// Collects rows. Of several rows with the same id or reference, the last one counts.
    package func add(_ rows: [Row]) throws { try self.rows.add(rows, owner: owner.id) }

    /// Writes all rows. Throws `conflict` and writes nothing if a listing of another account has the id of a row. After any
    /// other error, the rows that were written before it remain, and `counts` tells how many.
    ///
    /// - Parameter progress: receives the number of rows that were written, and the number of all rows.
    package func writeAll(_ progress: (_ done: Int, _ all: Int) -> Void) async throws {
        counts.repeated = try rows.finish()
        let all = rows.count
        try await throwIfForeign()
        try await note("begun, \(all) rows")
        var (next, size) = (0, 200)
        while next < all {
            let range = next..<min(next + size, all)
            let outcome = try await batch.write(range)
            database.beginSync()
            let hold = outcome.begin.duration(to: .now)
            counts.created += outcome.created
            counts.unchanged += outcome.unchanged
            if !outcome.changed.isEmpty {
                try await change(outcome.changed)
                counts.updated += outcome.changed.count
            }
            next = range.upperBound
            progress(next, all)
            size = max(Self.minRows, min(Self.maxRows, size * 2, Int(Double(range.count) * (Self.maxHold / hold))))
            try await Task.sleep(for: Self.pause)
        }
        try await writeExtras()
        try await note("\(counts.created) created, \(counts.updated) updated, \(counts.unchanged) unchanged")
    }

    private func throwIfForeign() async throws {
        for start in stride(from: 0, to: rows.count, by: Self.maxRows) {
            guard let id = try await batch.foreignID(start..<start + Self.maxRows) else { continue }
            throw ServiceError(.conflict, "id: \(id) belongs to another account", field: "id")
        }
    }

    /// Merges the segments of the full-text indexes of SpatiaLite in short transactions, because each search reads all
    /// segments.
    package func mergeIndexes() async throws {
        guard database.engine == .spatiaLite else { return }
        for index in ["board_text", "archive_text"] {
            var isFirst = true
            while try await batch.merge(index, isFirst: isFirst) {
                isFirst = false
                try await Task.sleep(for: Self.pause)
            }
        }
    }

    /// Writes rows whose listings exist with other contents. An update costs several times as much as a new row, so
    /// few share a transaction.
    private func change(_ rows: [ImportedRows.Change]) async throws {
        for start in stride(from: 0, to: rows.count, by: 50) {
            let some = Array(rows[start..<min(start + 50, rows.count)])
            try await database.write { db in
                for row in some { try row.record.update(id: row.key, at: .now, db) }
            }
        }
    }

    private func note(_ text: String) async throws {
        let (subject, actor) = (owner.id.lowercased, actor)
        try await database.write { db in
            try AuditLog.record(.listingsImport, subject, note: text, by: actor, db)
        }
    }
}
