import Domain
import GRDB
import GRDBSQLite
import SpatiaLite

/// An owner's words and the place they mean as the columns of a row, put together before the writer's turn comes.
struct ListingRecord: Sendable {
    private static let columns = [
        "status", "species", "breed_key", "last_seen_at", "approximate", "name", "breed", "sex", "size", "colour",
        "age",
        "microchip", "place", "locality", "province", "province_code", "region", "country", "country_code",
        "postal_code", "contact_name", "contact_name_public", "contact_phone", "contact_phone_public", "contact_email",
        "contact_email_public", "reference", "marks", "description", "place_names",
        "breed_predicted", "exact_lon", "exact_lat", "secret_mark",
    ]

    private let values: [SQLValue]

    /// - Parameter seen: when, where the words do not say.
    init(_ content: ListingContent, _ location: ListingLocation, seen: Timestamp) {
        // Folded names are letters, digits and spaces: nothing to escape.
        let names = location.searchNames.sorted().map { "\"\($0)\"" }.joined(separator: ",")
        values = [
            .real(location.coordinate.lon), .real(location.coordinate.lat),
            SQLValue(content.status?.rawValue), .text(content.species.rawValue), SQLValue(content.breedKey),
            .text((content.lastSeenAt ?? seen).text), SQLValue(location.approximate), SQLValue(content.name),
            SQLValue(content.breed), SQLValue(content.sex?.rawValue), SQLValue(content.size?.rawValue),
            SQLValue(content.colour), SQLValue(content.age), SQLValue(content.microchip), SQLValue(location.place),
            SQLValue(location.locality), SQLValue(location.province), SQLValue(location.provinceCode),
            SQLValue(location.region), SQLValue(location.country), SQLValue(location.countryCode),
            SQLValue(location.postalCode), SQLValue(content.contactName.value),
            SQLValue(content.contactName.isPublic), SQLValue(content.contactPhone.value),
            SQLValue(content.contactPhone.isPublic), SQLValue(content.contactEmail.value),
            SQLValue(content.contactEmail.isPublic), SQLValue(content.reference), SQLValue(content.marks),
            SQLValue(content.description), .text("[\(names)]"),
            SQLValue(content.breedIsPredicted), SQLValue(location.exact?.lon), SQLValue(location.exact?.lat),
            SQLValue(content.secretMark),
        ]
    }

    func insert(id: Int64, uuid: String, owner: Int64, createdAt: Timestamp, _ db: Database) throws {
        let identity: [SQLValue] = [
            .integer(id), .text(uuid), .integer(owner), .text(createdAt.text), .text(createdAt.text),
        ]
        try Self.run(db, Self.insertion, identity + values)
    }

    func update(id: Int64, at time: Timestamp, _ db: Database) throws {
        try Self.run(db, Self.change, [.text(time.text)] + values + [.integer(id)])
    }

    private static let insertion = """
        INSERT INTO listing (id, uuid, account_id, created_at, updated_at, geom, \(columns.joined(separator: ", ")))
        VALUES (?, ?, ?, ?, ?, MakePoint(?, ?, 4326)\(String(repeating: ", ?", count: columns.count)))
        """

    private static let change = """
        UPDATE listing SET version = version + 1, updated_at = ?, geom = MakePoint(?, ?, 4326),
            \(columns.map { "\($0) = ?" }.joined(separator: ", "))
        WHERE id = ?
        """

    private static func run(_ db: Database, _ sql: String, _ values: [SQLValue]) throws {
        do {
            try PreparedStatement.run(db, sql, values)
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
            throw ServiceError(.conflict, "reference: another listing of yours has this one", field: "reference")
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_TRIGGER {
            throw ServiceError(.forbidden, error.message ?? "this account cannot post")
        }
    }
}

extension SQLValue {
    init(_ text: String?) {
        self = text.map(SQLValue.text) ?? .null
    }

    fileprivate init(_ number: Double?) {
        self = number.map(SQLValue.real) ?? .null
    }

    fileprivate init(_ flag: Bool) {
        self = .integer(flag ? 1 : 0)
    }
}
