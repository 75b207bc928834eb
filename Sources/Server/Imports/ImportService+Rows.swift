import Domain
import Foundation
import Storage
import Synchronization

/// Converts and writes the rows of an import.
extension ImportService {
    /// Some rows, converted, with the listings that they are about.
    private struct Batch: Sendable {
        let rows: [ImportRow]
        let known: [String: KnownListing]
        let file: ImportFile
        /// How long the conversion took.
        let duration: Duration
    }

    /// Writes the next batches until a time. While a batch is written, the one after it is converted.
    func write(
        _ listingImport: ListingImport,
        total: Int,
        for owner: Account,
        _ organisation: Organisation?,
        until deadline: ContinuousClock.Instant,
        at now: Timestamp
    ) async throws {
        var listingImport = listingImport
        var next: Batch? = try await convert(listingImport, owner, organisation)
        while let batch = next {
            guard let last = batch.rows.last?.number else {
                return try await end(listingImport, .unreadable, at: now)
            }
            let current = listingImport
            var rest = listingImport
            rest.position = last
            listingImport = rest
            let goesOn = last < total && ContinuousClock.now < deadline
            async let following = goesOn ? convert(rest, owner, organisation) : nil
            guard let transaction = try await imports.write(batch.rows, batch.known, of: current, at: now) else {
                return try await close(listingImport)
            }
            batch.file.adapt(to: max(batch.duration, transaction), of: batch.rows.count)
            next = try await following
        }
    }

    private func convert(
        _ listingImport: ListingImport,
        _ owner: Account,
        _ organisation: Organisation?
    ) async throws -> Batch {
        try await slowReads.run(nil) {
            let begin = ContinuousClock.now
            let (read, file) = try rows(of: listingImport)
            let editor = ListingEditor(
                breeds: breeds,
                finder: file.finder(finder),
                language: listingImport.order.language
            )
            let known = try imports.known(read.compactMap(\.identity?.row), of: listingImport)
            let rows = read.map { $0.row(known, editor, zones, owner, organisation, ownHost: ownHost) }
            return Batch(rows: rows, known: known, file: file, duration: begin.duration(to: .now))
        }
    }

    /// Counts the rows, so that nothing is written of a file that breaks off.
    func begin(_ listingImport: ListingImport, at now: Timestamp) async throws {
        let url = folder.url(listingImport.id)
        let order = listingImport.order
        let counted: (rows: Int, dates: ImportPlan.DateOrder?, columns: [String])? = try await slowReads.run(nil) {
            do {
                let file = try ImportFile(url, order)
                let (rows, dates) = try file.count()
                return (rows, dates, file.unknownColumns)
            } catch is CancellationError {
                throw CancellationError()
            } catch { return nil }
        }
        guard let (total, dates, columns) = counted else { return try await end(listingImport, .unreadable, at: now) }
        guard total > 0 else { return try await end(listingImport, .empty, at: now) }
        guard total <= ListingImport.maxRows else { return try await end(listingImport, .tooManyRows, at: now) }
        try await imports.start(
            listingImport,
            total: total,
            unknownColumns: columns,
            // The sender's choice counts more than the file.
            dates: order.plan.dates == nil ? dates : nil,
            at: now
        )
    }

    /// Returns the next rows, after those that were processed before a restart.
    private func rows(of listingImport: ListingImport) throws -> ([ImportFile.Row], ImportFile) {
        let known = open.withLock { $0[listingImport.id] }
        let file = try known ?? ImportFile(folder.url(listingImport.id), listingImport.order)
        open.withLock { $0[listingImport.id] = file }
        let rows = try file.next(file.batchSize, after: listingImport.position)
        // After an error, the file is read again from the position that is stored.
        guard rows.first.map({ $0.number == listingImport.position + 1 }) ?? true else {
            throw ServiceError(.unavailable, "the file is behind its position")
        }
        return (rows, file)
    }
}
