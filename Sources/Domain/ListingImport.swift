package import Foundation

/// An import of listings over HTTP.
package struct ListingImport: Sendable {
    package enum State: String, CaseIterable, Sendable {
        case waiting
        case running
        case done
        case failed
        case cancelled

        package var hasEnded: Bool { self != .waiting && self != .running }
    }

    /// Whether listings of the source that are not in the file any more are closed.
    package enum CloseMissing: String, CaseIterable, Sendable {
        case no
        /// At most half of them.
        case yes
        case all
    }

    /// Why an import failed.
    package enum Problem: String, CaseIterable, Sendable {
        /// The file cannot be read, or breaks off.
        case unreadable
        case empty
        case tooManyRows = "too_many_rows"
        case tooManyMissing = "too_many_missing"
        /// Rows without a reference were rejected, so that it is not known what is missing.
        case unknownMissing = "unknown_missing"
        case banned
        /// The file was not found, for example after a backup was restored.
        case lost
        case `internal`

        package var message: ErrorMessage {
            switch self {
            case .unreadable:
                "the file cannot be read: expected CSV or a spreadsheet with a header line, or a GeoJSON FeatureCollection"
            case .empty: "the file has no rows: nothing was changed"
            case .tooManyRows: "expected at most \(ListingImport.maxRows) rows: nothing was changed"
            case .tooManyMissing:
                "more than half of the listings of this source are missing from the file: none was closed, see close_missing=all"
            case .unknownMissing:
                "rows without a readable reference were rejected, so nothing was closed: correct them, or see close_missing=all"
            case .banned: "the account is banned"
            case .lost: "the file is not there any more: send it again"
            case .internal: "the import cannot go on: an internal error"
            }
        }
    }

    package struct Counts: Equatable, Sendable {
        package var created = 0
        package var updated = 0
        package var unchanged = 0
        package var closed = 0
        package var rejected = 0

        package init() {}
    }

    /// The settings that the account chooses.
    package struct Order: Sendable {
        package var source: String
        package var mapping: String
        package var fileName: String?
        package var language: Language
        package var isDryRun: Bool
        package var closeMissing: CloseMissing
        package var plan: ImportPlan
        /// The address of the service at which the file is, without a slash at its end; nil for files that people send.
        package var service: String?

        /// The mapping of a ZIP file of photos.
        package static let photos = "photos"
        package var isPhotos: Bool { mapping == Self.photos }

        package init(
            source: String = "default",
            mapping: String = "auto",
            fileName: String? = nil,
            language: Language = .english,
            isDryRun: Bool = false,
            closeMissing: CloseMissing = .no,
            plan: ImportPlan = ImportPlan(),
            service: String? = nil
        ) {
            (self.source, self.mapping, self.fileName) = (source, mapping, fileName)
            (self.language, self.isDryRun, self.closeMissing) = (language, isDryRun, closeMissing)
            (self.plan, self.service) = (plan, service)
        }
    }

    package let key: Int64
    package let id: UUID
    /// The `Account.key` of the owner.
    package let owner: Int64
    package let order: Order
    package let state: State
    /// The reason of a failure, as it is stored.
    package let problem: Problem?
    package let unknownColumns: [String]
    /// The number of rows of the file; nil until they were counted.
    package let total: Int?
    /// The number of rows that were processed.
    package var position: Int
    package let counts: Counts
    package let createdAt: Timestamp
    package let startedAt: Timestamp?
    package let endedAt: Timestamp?

    package static let maxRows = 100_000
    /// In bytes.
    package static let maxFileSize = 20 << 20
    /// In bytes, of a ZIP file of photos.
    package static let maxArchiveSize = 256 << 20
    package static let maxSourceLength = 40
    /// The imports of one account that have not ended.
    package static let maxUnfinished = 3
    /// The days for which reports are kept.
    package static let keptDays = 30

    package init(
        key: Int64,
        id: UUID,
        owner: Int64,
        order: Order,
        state: State,
        problem: Problem?,
        unknownColumns: [String],
        total: Int?,
        position: Int,
        counts: Counts,
        createdAt: Timestamp,
        startedAt: Timestamp?,
        endedAt: Timestamp?
    ) {
        (self.key, self.id, self.owner, self.order) = (key, id, owner, order)
        (self.state, self.problem, self.unknownColumns) = (state, problem, unknownColumns)
        (self.total, self.position, self.counts) = (total, position, counts)
        (self.createdAt, self.startedAt, self.endedAt) = (createdAt, startedAt, endedAt)
    }
}

/// Rows of an import that were rejected for the same reason.
package struct ImportMistake: Equatable, Sendable {
    package let field: String?
    package let column: String?
    /// The value of the field in the file; nil if there is none.
    package let value: String?
    /// In the language of the import.
    package let message: String?
    /// The number of the rows, and the number of the first of them.
    package let count, first: Int
    /// The name of one of the files, of an import of photos.
    package let file: String?

    package init(
        field: String?,
        column: String?,
        value: String?,
        message: String?,
        count: Int,
        first: Int,
        file: String? = nil
    ) {
        (self.field, self.column, self.value, self.message) = (field, column, value, message)
        (self.count, self.first, self.file) = (count, first, file)
    }
}

/// The result of a row of an import.
package struct ImportedRow: Equatable, Sendable {
    package enum Outcome: String, CaseIterable, Sendable {
        case created
        case updated
        case unchanged
        case closed
        case rejected
    }

    /// Counted from 1, without the header; those of closed listings are above all rows.
    package let number: Int
    package let reference: String?
    package let outcome: Outcome
    /// The id of the listing; nil if there is none.
    package let listing: UUID?
    package let field: String?
    /// The name that the file has for the field.
    package let column: String?
    /// The value of the field in the file.
    package let value: String?
    /// In the language of the import.
    package let message: String?

    package init(
        number: Int,
        reference: String?,
        outcome: Outcome,
        listing: UUID? = nil,
        field: String? = nil,
        column: String? = nil,
        value: String? = nil,
        message: String? = nil
    ) {
        (self.number, self.reference, self.outcome, self.listing) = (number, reference, outcome, listing)
        (self.field, self.column, self.value, self.message) = (field, column, value, message)
    }
}
