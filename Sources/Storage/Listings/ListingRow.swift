package import Domain
import Foundation
import GRDB
import SpatiaLite

/// A listing as it lies in the database, read column by column without a copy; valid until the next row.
package struct ListingRow {
    /// In the order of the columns asked for; named like the columns of the table, in camel case.
    package enum Column: CInt, CaseIterable {
        // What a check looks at.
        case id, accountId, hidden, status, species, breedKey, lastSeenAt, geom, placeNames
        case name, breed, colour, marks, description, place, province
        case uuid, version, createdAt, updatedAt, approximate, sex, size, age, microchip, locality, provinceCode
        case region, country, countryCode, postalCode, contactName, contactNamePublic, contactPhone
        case contactPhonePublic, contactEmail, contactEmailPublic, reference, photos, breedPredicted, exactLon, exactLat
        case secretMark
        // Of its renewal.
        case renewedAt, warnedAt, expiredFrom
        // Of what a moderator said of it.
        case hiddenReason

        /// What it is in SQL. Of a listing that is not hidden nothing else is read.
        fileprivate var expression: String {
            switch self {
            case .hiddenReason:
                "CASE WHEN listing.hidden THEN (SELECT reason FROM listing_hiding WHERE listing_id = listing.id) END"
            case .renewedAt, .warnedAt, .expiredFrom: "listing_renewal.\("\(self)".snakeCased)"
            default: "listing.\("\(self)".snakeCased)"
            }
        }
    }

    /// `SELECT` of all columns.
    static let select = select(Column.allCases)

    /// As much of one row as a check looks at.
    static let checked =
        select(Column.allCases.filter { $0.rawValue <= Column.province.rawValue }) + " WHERE listing.id = ?"

    /// The rows of a JSON array of keys, in its order; none may be missing.
    static let byKeys = select(
        Column.allCases,
        from: "json_each(?) AS wanted CROSS JOIN listing ON listing.id = wanted.value"
    )

    private static func select(_ columns: [Column], from tables: String = "listing") -> String {
        let renewal =
            columns.contains(where: \.isOfRenewal)
            ? " LEFT JOIN listing_renewal ON listing_renewal.listing_id = listing.id" : ""
        return "SELECT " + columns.map(\.expression).joined(separator: ", ") + " FROM " + tables + renewal
    }

    private let row: StatementRow

    init(_ row: StatementRow) {
        self.row = row
    }

    package var key: Int64 { row.integer(Column.id.rawValue) }

    /// The `Account.key` of the owner.
    package var owner: Int64 { row.integer(Column.accountId.rawValue) }

    package func text(_ column: Column) -> UnsafeBufferPointer<UInt8>? { row.text(column.rawValue) }

    package func string(_ column: Column) -> String? { row.string(column.rawValue) }

    package func flag(_ column: Column) -> Bool { row.integer(column.rawValue) != 0 }

    /// What everybody may know.
    package func coordinate() throws -> Coordinate {
        guard let point = Coordinate(spatiaLiteBlob: row.blob(Column.geom.rawValue)) else {
            throw DatabaseError(message: "listing \(key): geometry is not a point")
        }
        return point
    }

    /// For the owner alone: the point, where everybody else knows only its cell.
    package var exact: Coordinate? {
        guard isCell else { return nil }
        return Coordinate(lon: row.real(Column.exactLon.rawValue), lat: row.real(Column.exactLat.rawValue))
    }

    /// Whether everybody knows of its point only the cell.
    package var isCell: Bool { !row.isNull(Column.exactLon.rawValue) }

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
    package var version: Int { Int(row.integer(Column.version.rawValue)) }
}

extension ListingRow.Column {
    fileprivate var isOfRenewal: Bool { self == .renewedAt || self == .warnedAt || self == .expiredFrom }
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
    fileprivate init(_ row: ListingRow) {
        self.init()
        status = row.string(.status).flatMap(Listing.Status.init)
        species = row.string(.species).flatMap(Species.init) ?? .other
        breedKey = row.string(.breedKey)
        breedIsPredicted = row.flag(.breedPredicted)
        lastSeenAt = row.string(.lastSeenAt).map(Timestamp.init(stored:))
        name = row.string(.name)
        breed = row.string(.breed)
        sex = row.string(.sex).flatMap(Listing.Sex.init)
        size = row.string(.size).flatMap(Listing.Size.init)
        colour = row.string(.colour)
        age = row.string(.age)
        microchip = row.string(.microchip)
        contactName = Contact(value: row.string(.contactName), isPublic: row.flag(.contactNamePublic))
        contactPhone = Contact(value: row.string(.contactPhone), isPublic: row.flag(.contactPhonePublic))
        contactEmail = Contact(value: row.string(.contactEmail), isPublic: row.flag(.contactEmailPublic))
        reference = row.string(.reference)
        marks = row.string(.marks)
        secretMark = row.string(.secretMark)
        description = row.string(.description)
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
