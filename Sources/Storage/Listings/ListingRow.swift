package import Domain
import Foundation
import SQL
import SpatiaLite

/// A row of the table `listing`, read column by column without a copy. It is valid until the next row is read.
package struct ListingRow {
    /// The columns that are not a `ListingField`, named like the columns of the table in camel case.
    package enum Column: Int, CaseIterable {
        // `checked` reads these columns.
        case id, accountId, hidden, breedKey, breedFacets, mixed, facets, geom, placeNames, countryCode, code, province
        case uuid, version, createdAt, updatedAt, approximate, locality, provinceCode, region, country
        case postalCode, photos, breedPredicted, breedKeys, breedTables, exactLon, exactLat, contactPhoneE164,
            lastSeenIsDay, origin
        // The table `listing_renewal` has these columns.
        case renewedAt, warnedAt, expiredFrom
        // The table `listing_hiding` has this column.
        case hiddenReason
        // The label of the owner, if it is an organisation, as JSON.
        case organisation

        /// The SQL expression. It reads `listing_hiding` for hidden listings only.
        fileprivate var expression: String {
            switch self {
            case .hiddenReason:
                "CASE WHEN listing.hidden THEN (SELECT reason FROM listing_hiding WHERE listing_id = listing.id) END"
            case .organisation:
                """
                (SELECT '{"id":"' || organisation.uuid || '","name":' || json_quote(organisation.name) || ',"verified":'
                    || CASE WHEN verified_at IS NULL THEN 'false' ELSE 'true' END || '}'
                FROM organisation WHERE organisation.account_id = listing.account_id)
                """
            case .renewedAt, .warnedAt, .expiredFrom: "listing_renewal.\("\(self)".snakeCased)"
            default: "listing.\("\(self)".snakeCased)"
            }
        }
    }

    /// The selected expressions, and the index of each column and field among them.
    private struct Selection {
        private(set) var expressions: [String] = []
        private(set) var columns = [CInt](repeating: -1, count: Column.allCases.count)
        /// The index is -1 for fields without a column.
        private(set) var fields = [CInt](repeating: -1, count: ListingField.count)
        /// The number of leading expressions that `checked` reads.
        private(set) var checked = 0

        init() {
            for column in Column.allCases where column.rawValue <= Column.province.rawValue { add(column) }
            let isChecked = { (field: ListingField) in
                [.status, .species, .sex, .size, .lastSeenAt].contains(field) || field.definition.isSearched
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

    /// The `SELECT` statement for all columns, without a `WHERE` clause.
    static let select = select(selection.expressions[...]) + renewal

    /// The columns of one row that a query's conditions depend on.
    static let checkedColumns = Array(selection.expressions.prefix(selection.checked))

    /// The statement that reads the columns of one row that a query's conditions depend on.
    static let checked = select(selection.expressions.prefix(selection.checked)) + " WHERE listing.id = ?"

    /// The statement that reads the rows of a JSON array of keys, in the order of the array. All rows must exist.
    static let byKeys =
        select(
            selection.expressions[...],
            from: "json_each(?) AS wanted CROSS JOIN listing"
        ) + renewal + " WHERE listing.id = CAST(wanted.value AS BIGINT)"

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

    /// Returns the public position: the exact point, the centre of its cell, or the position of the town.
    package func coordinate() throws -> Coordinate {
        guard let point = Coordinate(geometry: row.blob(index(.geom))) else {
            throw UnreadableRow("listing \(key): geometry is not a point")
        }
        return point
    }

    /// The exact point, which only the owner may see; nil unless `isCell`.
    package var exact: Coordinate? {
        guard isCell else { return nil }
        return Coordinate(lon: row.real(index(.exactLon)), lat: row.real(index(.exactLat)))
    }

    /// Nil for a listing of an earlier version whose words have not been read yet.
    package var breeds: ListingBreeds? {
        guard let keys = string(.breedKeys).map(String.list), let facets = string(.breedFacets).map(String.list)
        else { return nil }
        let tables = UInt32(truncatingIfNeeded: row.integer(index(.breedTables)))
        return ListingBreeds(keys: keys, isMixed: flag(.mixed), facets: facets, tables: tables)
    }

    /// Whether the public position is the centre of the cell of an exact point that is private.
    package var isCell: Bool { !row.isNull(index(.exactLon)) }

    /// The time at which the listing expires unless its owner renews it; nil for closed listings. Only the owner may
    /// see this time.
    package var expiresAt: Timestamp? {
        guard let renewedAt = string(.renewedAt) else { return nil }
        guard string(.status).flatMap(Listing.Status.init)?.isOpen == true else { return nil }
        let end = Timestamp(stored: renewedAt).adding(days: Expiry.listing)
        // An owner whom the service warned late still has the minimum time before the expiry.
        guard let warnedAt = string(.warnedAt) else { return end }
        return max(end, Timestamp(stored: warnedAt).adding(days: Expiry.minWarningTime))
    }

    /// The status that the listing had when it expired; nil if it is open or its owner closed it. Only the owner may
    /// see this status.
    package var expiredFrom: Listing.Status? { string(.expiredFrom).flatMap(Listing.Status.init) }

    /// Returns the photos. Most listings have none, so empty arrays bypass the JSON decoder.
    fileprivate func photos() throws -> [ListingPhoto] {
        guard let list = text(.photos), list.count > 2 else { return [] }
        return try JSONDecoder().decode([ListingPhoto].self, from: Data(list))
    }

    fileprivate func organisation() throws -> Organisation.Label? {
        guard let text = text(.organisation) else { return nil }
        let label = try JSONDecoder().decode(StoredLabel.self, from: Data(text))
        return Organisation.Label(id: label.id, name: label.name, isVerified: label.verified)
    }

    private struct StoredLabel: Decodable {
        let id: UUID
        let name: String
        let verified: Bool
    }

    /// The version number: 1 for a new listing, increased by each change.
    package var version: Int { Int(row.integer(index(.version))) }
}

extension Listing {
    package init(_ row: ListingRow) throws {
        guard let id = row.string(.uuid).flatMap(UUID.init(uuidString:)) else {
            throw UnreadableRow("listing \(row.key): uuid")
        }
        guard let code = row.string(.code).flatMap({ ListingCode($0) }) else {
            throw UnreadableRow("listing \(row.key): code")
        }
        self.init(
            key: row.key,
            id: id,
            code: code,
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
            updatedAt: Timestamp(stored: row.string(.updatedAt) ?? ""),
            organisation: try row.organisation(),
            origin: row.string(.origin).map(ListingOrigin.init)
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
        breeds = row.breeds
        breedIsPredicted = row.flag(.breedPredicted)
        lastSeenAt = row.string(.lastSeenAt).map(Timestamp.init(stored:))
        lastSeenIsDay = row.flag(.lastSeenIsDay)
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
