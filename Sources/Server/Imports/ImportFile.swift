import Domain
import Foundation
import HTTP
import Imports
import Localization
import NIOCore
import Storage
import Synchronization

/// The file of an import while it is read.
final class ImportFile: Sendable {
    private struct State {
        var records: ListingRecords
        var number = 0
        var dates = DateEvidence()
        var batchSize = ImportFile.minRows
        var towns: RememberedTowns?

        mutating func next() throws -> ListingRecords.Entry? {
            guard let entry = try records.next() else { return nil }
            number += 1
            if case .record(let record) = entry { dates.add(record) }
            return entry
        }
    }

    /// The time that the conversion of a batch, and its transaction, may take. Smaller batches take longer in all, because each one
    /// writes pages that the next one changes again.
    private static let longest = Duration.milliseconds(60)
    private static let (minRows, maxRows) = (50, 1_000)

    /// A row as it was read, with its number.
    struct Row: Sendable {
        /// The identity of a row, and the digest of its contents.
        struct Identity: Sendable {
            let row: ImportRowIdentity
            let digest: Data
        }

        let number: Int
        let entry: ListingRecords.Entry
        /// Nil if the row cannot be read.
        let identity: Identity?

        init(_ number: Int, _ entry: ListingRecords.Entry) {
            (self.number, self.entry) = (number, entry)
            identity = if case .record(let record) = entry { Identity(record) } else { nil }
        }
    }

    let unknownColumns: [String]
    private let state: Mutex<State>

    init(_ url: URL, _ order: ListingImport.Order) throws {
        let mapping = ImportMapping.Name(rawValue: order.mapping) ?? .auto
        let records = try ListingRecords(url, mapping: mapping, plan: order.plan, service: order.service)
        unknownColumns = records.unknownColumns.prefix(100).map { String($0.prefix(80)) }
        state = Mutex(State(records: records))
    }

    /// Reads some rows.
    ///
    /// - Parameter position: the number of rows to skip that were processed before.
    func next(_ count: Int, after position: Int = 0) throws -> [Row] {
        try state.withLock { state in
            var rows: [Row] = []
            while rows.count < count, let entry = try state.next() {
                if state.number > position { rows.append(Row(state.number, entry)) }
            }
            return rows
        }
    }

    /// Returns a gazetteer that remembers the towns of this file.
    func finder(_ finder: any PlaceFinder) -> any PlaceFinder {
        state.withLock { state in
            let towns = state.towns ?? RememberedTowns(finder)
            state.towns = towns
            return towns
        }
    }

    /// The rows to process together.
    var batchSize: Int { state.withLock { $0.batchSize } }

    /// Makes the next batch as large as the time allows.
    ///
    /// - Parameter duration: that of the longest step of a batch with `count` rows, of which no other one may take long.
    func adapt(to duration: Duration, of count: Int) {
        state.withLock { state in
            let fitting = Double(count) * (Self.longest / max(duration, .microseconds(1)))
            let most = min(Self.maxRows, state.batchSize * 2)
            state.batchSize = max(Self.minRows, fitting < Double(most) ? Int(fitting) : most)
        }
    }

    /// Reads to the end, or until there are more rows than an import may have. Returns the number of rows and the order of the
    /// numbers in their dates; nil if they have none.
    func count() throws -> (rows: Int, dates: ImportPlan.DateOrder?) {
        var last = 0
        while last <= ListingImport.maxRows, try skip(500) > 0 { last = state.withLock(\.number) }
        return (last, state.withLock { $0.dates.order })
    }

    /// Reads some rows without converting them, and returns how many there were.
    private func skip(_ count: Int) throws -> Int {
        try state.withLock { state in
            let first = state.number
            while state.number < first + count, try state.next() != nil {}
            return state.number - first
        }
    }
}

extension ImportFile.Row.Identity {
    fileprivate init?(_ record: ListingRecords.Record) {
        guard let contents = try? record.contents() else { return nil }
        // A row without a reference is known by its contents.
        let key =
            record.reference.map { "reference:\($0.prefix(200))" } ?? record.id.map { "id:\($0.lowercased)" }
            ?? "row:" + ByteBuffer(string: contents).sha256.map { String(format: "%02x", $0) }.joined()
        row = ImportRowIdentity(key: key, reference: record.reference, id: record.id)
        let photos = (record.photos ?? []).joined(separator: " ")
        digest = ByteBuffer(string: contents + photos + record.noteContents).sha256
    }
}

extension ImportFile.Row {
    /// Converts the row, unless it is equal to that of the last import.
    ///
    /// - Parameter ownHost: that of this service, whose photos are those of listings already.
    func row(
        _ known: [String: KnownListing],
        _ editor: ListingEditor,
        _ zones: TimeZones,
        _ owner: Account,
        _ organisation: Organisation?,
        ownHost: String?
    ) -> ImportRow {
        func row(
            _ content: ImportRow.Content,
            photos: [String]? = nil,
            notes: [AnimalRecord.Key: String?] = [:]
        ) -> ImportRow {
            ImportRow(
                number: number,
                key: identity?.row.key,
                reference: identity.flatMap { $0.row.reference ?? $0.row.id?.lowercased },
                id: identity?.row.id,
                digest: identity?.digest,
                content: content,
                photos: photos?.filter { RemotePhoto.host(of: $0) != ownHost },
                notes: notes
            )
        }
        switch entry {
        case .mistake(let error):
            let problem = error as? ServiceError ?? ServiceError(.invalid, ErrorMessage(verbatim: "\(error)"))
            return row(.mistake(problem, column: nil, value: nil))
        case .record(let record):
            if let identity, known[identity.row.key]?.digest == identity.digest {
                return row(.same)
            }
            do {
                let draft = try record.row(editor, zones, owner: owner, organisation: organisation).draft
                return row(.draft(draft), photos: record.photos, notes: try record.checkedNotes())
            } catch {
                let problem = error as? ServiceError ?? ServiceError(.invalid, "the row cannot be read")
                return row(
                    .mistake(
                        problem,
                        column: problem.field.flatMap { record.columns[$0] },
                        value: problem.field.flatMap { record.text($0) }
                    )
                )
            }
        }
    }
}
