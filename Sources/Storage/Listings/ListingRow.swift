package import Domain
import Foundation
import GRDB
import SpatiaLite

/// A listing as it lies in the database, read column by column without a copy; valid until the next row.
package struct ListingRow {
    /// The columns that are not a `ListingField`, named like the columns of the table in camel case.
    package enum Column: Int, CaseIterable {
        // Read by `checked`.
        case id, accountId, hidden, breedKey, geom, placeNames, province
        case uuid, version, createdAt, updatedAt, approximate, locality, provinceCode, region, country, countryCode
        case postalCode, photos, breedPredicted, exactLon, exactLat
        // From the table `listing_renewal`.
        case renewedAt, warnedAt, expiredFrom
        // From the table `listing_hiding`.
        case hiddenReason

        /// The SQL expression. `listing_hiding` is read for hidden listings only.
        fileprivate var expression: String {
            switch self {
            case .hiddenReason:
                "CASE WHEN listing.hidden THEN (SELECT reason FROM listing_hiding WHERE listing_id = listing.id) END"
            case .renewedAt, .warnedAt, .expiredFrom: "listing_renewal.\("\(self)".snakeCased)"
            default: "listing.\("\(self)".snakeCased)"
            }
        }
    }

    /// The selected expressions, and the index of each column and field among them.
    private struct Selection {
        private(set) var expressions: [String] = []
        private(set) var columns = [CInt](repeating: -1, count: Column.allCases.count)
        /// -1 for fields without a column.
        private(set) var fields = [CInt](repeating: -1, count: ListingField.count)
        /// How many expressions, from the first on, `checked` reads.
        private(set) var checked = 0

        init() {
            for column in Column.allCases where column.rawValue <= Column.province.rawValue { add(column) }
            let isChecked = { (field: ListingField) in
                [.status, .species, .lastSeenAt].contains(field) || field.definition.isSearched
            }
            let stored = ListingField.columns
            for field in stored where isChecked(field) { add(field) }
            checked = expressions.count
            for column in Column.allCases where column.rawValue > Column.province.rawValue { add(column) }
            for field in stored where !isChecked(field) { add(field) }
        }

        private mutating func add(_ column: Column) {
            columns[column.rawValue] = CInt(expressions.count)
            expressions.append(column.expression)
        }

        private mutating func add(_ field: ListingField) {
            fields[field.rawValue] = CInt(expressions.count)
            expressions.append("listing.\(field.name)")
        }
    }

    private static let selection = Selection()

    private static let renewal = " LEFT JOIN listing_renewal ON listing_renewal.listing_id = listing.id"

    /// `SELECT` of all columns.
    static let select = select(selection.expressions[...]) + renewal

    /// The columns of one row that decide whether a query asks for it.
    static let checked = select(selection.expressions.prefix(selection.checked)) + " WHERE listing.id = ?"

    /// The rows of a JSON array of keys, in its order; none may be missing.
    static let byKeys =
        select(
            selection.expressions[...],
            from: "json_each(?) AS wanted CROSS JOIN listing ON listing.id = wanted.value"
        ) + renewal

    private static func select(_ expressions: ArraySlice<String>, from tables: String = "listing") -> String {
        "SELECT " + expressions.joined(separator: ", ") + " FROM " + tables
    }

    private let row: StatementRow

    init(_ row: StatementRow) {
        self.row = row
    }

    private func index(_ column: Column) -> CInt { Self.selection.columns[column.rawValue] }

    private func index(_ field: ListingField) -> CInt { Self.selection.fields[field.rawValue] }

    package var key: Int64 { row.integer(index(.id)) }

    /// The `Account.key` of the owner.
    package var owner: Int64 { row.integer(index(.accountId)) }

    package func text(_ column: Column) -> UnsafeBufferPointer<UInt8>? { row.text(index(column)) }

    package func string(_ column: Column) -> String? { row.string(index(column)) }

    package func flag(_ column: Column) -> Bool { row.integer(index(column)) != 0 }

    package func text(_ field: ListingField) -> UnsafeBufferPointer<UInt8>? { row.text(index(field)) }

    package func string(_ field: ListingField) -> String? { row.string(index(field)) }

    package func flag(_ field: ListingField) -> Bool { row.integer(index(field)) != 0 }

    /// What everybody may know.
    package func coordinate() throws -> Coordinate {
        guard let point = Coordinate(spatiaLiteBlob: row.blob(index(.geom))) else {
            throw DatabaseError(message: "listing \(key): geometry is not a point")
        }
        return point
    }

    /// For the owner alone: the point, where everybody else knows only its cell.
    package var exact: Coordinate? {
        guard isCell else { return nil }
        return Coordinate(lon: row.real(index(.exactLon)), lat: row.real(index(.exactLat)))
    }

    /// Whether everybody knows of its point only the cell.
    package var isCell: Bool { !row.isNull(index(.exactLon)) }

    /// For the owner: when it ends unless it is renewed; nil where it is closed.
    package var expiresAt: Timestamp? {
        guard let renewedAt = string(.renewedAt) else { return nil }
        guard string(.status).flatMap(Listing.Status.init)?.isOpen == true else { return nil }
        let end = Timestamp(stored: renewedAt).adding(days: Expiry.listing)
        // Who was told late has some days all the same.
        guard let warnedAt = string(.warnedAt) else { return end }
        return max(end, Timestamp(stored: warnedAt).adding(days: Expiry.minWarningTime))
    }

    /// For the owner: what it was when it ended; nil where it stands or its owner closed it.
    package var expiredFrom: Listing.Status? { string(.expiredFrom).flatMap(Listing.Status.init) }

    /// Most listings have none, and cost nothing.
    fileprivate func photos() throws -> [ListingPhoto] {
        guard let list = text(.photos), list.count > 2 else { return [] }
        return try JSONDecoder().decode([ListingPhoto].self, from: Data(list))
    }

    /// How often it was edited, from 1.
    package var version: Int { Int(row.integer(index(.version))) }
}

extension Listing {
    package init(_ row: ListingRow) throws {
        guard let id = row.string(.uuid).flatMap(UUID.init(uuidString:)) else {
            throw DatabaseError(message: "listing \(row.key): uuid")
        }
        self.init(
            key: row.key,
            id: id,
            owner: row.owner,
            version: row.version,
            hidden: row.flag(.hidden),
            hiddenReason: row.string(.hiddenReason).flatMap(Report.Reason.init),
            content: ListingContent(row),
            location: try ListingLocation(row),
            photos: try row.photos(),
            expiresAt: row.expiresAt,
            expiredFrom: row.expiredFrom,
            createdAt: Timestamp(stored: row.string(.createdAt) ?? ""),
            updatedAt: Timestamp(stored: row.string(.updatedAt) ?? "")
        )
    }
}

extension ListingContent {
    private static let stored = ListingField.allCases.filter { $0.isText && $0 != .place }
    private static let flags = ListingField.allCases.filter { $0.kind == .flag }

    fileprivate init(_ row: ListingRow) {
        self.init()
        status = row.string(.status).flatMap(Listing.Status.init)
        species = row.string(.species).flatMap(Species.init) ?? .other
        breedKey = row.string(.breedKey)
        breedIsPredicted = row.flag(.breedPredicted)
        lastSeenAt = row.string(.lastSeenAt).map(Timestamp.init(stored:))
        sex = row.string(.sex).flatMap(Listing.Sex.init)
        size = row.string(.size).flatMap(Listing.Size.init)
        for field in Self.stored { self[field] = row.string(field) }
        for field in Self.flags where row.flag(field) { self[flag: field] = true }
    }
}

extension ListingLocation {
    fileprivate init(_ row: ListingRow) throws {
        self.init(coordinate: try row.coordinate(), approximate: row.flag(.approximate))
        exact = row.exact
        place = row.string(.place)
        locality = row.string(.locality)
        province = row.string(.province)
        provinceCode = row.string(.provinceCode)
        region = row.string(.region)
        country = row.string(.country)
        countryCode = row.string(.countryCode)
        postalCode = row.string(.postalCode)
    }
}

extension String {
    fileprivate var snakeCased: String {
        reduce(into: "") { name, letter in name += letter.isUppercase ? "_" + letter.lowercased() : String(letter) }
    }
}
