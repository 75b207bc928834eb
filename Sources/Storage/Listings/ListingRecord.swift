import Domain
import GRDB
import GRDBSQLite
import SpatiaLite

/// A listing's content and location as the columns of a row, prepared before the write transaction begins.
struct ListingRecord: Sendable {
    /// A column of the table and the function that computes its value, so that both stay together.
    private struct Column: Sendable {
        let name: String
        let value: @Sendable (ListingContent, ListingLocation) -> SQLValue

        init(_ name: String, _ value: @escaping @Sendable (ListingContent, ListingLocation) -> SQLValue) {
            self.name = name
            self.value = value
        }
    }

    /// All columns that owners change, except `geom`. The column `place` comes from the location that the gazetteer has
    /// completed, not from the content.
    private static let columns =
        ListingField.columns.filter { $0 != .place }.map { field in
            Column(field.name) { content, _ in SQLValue(content.value(of: field)) }
        } + [
            Column("breed_key") { content, _ in SQLValue(content.breedKey) },
            Column("breed_predicted") { content, _ in SQLValue(content.breedIsPredicted) },
            Column("approximate") { _, location in SQLValue(location.approximate) },
            Column("exact_lon") { _, location in SQLValue(location.exact?.lon) },
            Column("exact_lat") { _, location in SQLValue(location.exact?.lat) },
            Column("place") { _, location in SQLValue(location.place) },
            Column("locality") { _, location in SQLValue(location.locality) },
            Column("province") { _, location in SQLValue(location.province) },
            Column("province_code") { _, location in SQLValue(location.provinceCode) },
            Column("region") { _, location in SQLValue(location.region) },
            Column("country") { _, location in SQLValue(location.country) },
            Column("country_code") { _, location in SQLValue(location.countryCode) },
            Column("postal_code") { _, location in SQLValue(location.postalCode) },
            Column("place_names") { _, location in
                // Folded names are letters, digits and spaces, so nothing needs escaping.
                .text("[" + location.searchNames.sorted().map { "\"\($0)\"" }.joined(separator: ",") + "]")
            },
        ]

    /// The longitude and latitude of `geom`, then one value for each of `columns`.
    private let values: [SQLValue]

    /// - Parameter seen: the time of the last sighting if the content has none.
    init(_ content: ListingContent, _ location: ListingLocation, seen: Timestamp) {
        var content = content
        content.lastSeenAt = content.lastSeenAt ?? seen
        values =
            [.real(location.coordinate.lon), .real(location.coordinate.lat)]
            + Self.columns.map { $0.value(content, location) }
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
        INSERT INTO listing (id, uuid, account_id, created_at, updated_at, geom,
            \(columns.map(\.name).joined(separator: ", ")))
        VALUES (?, ?, ?, ?, ?, MakePoint(?, ?, 4326)\(String(repeating: ", ?", count: columns.count)))
        """

    private static let change = """
        UPDATE listing SET version = version + 1, updated_at = ?, geom = MakePoint(?, ?, 4326),
            \(columns.map { "\($0.name) = ?" }.joined(separator: ", "))
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

    fileprivate init(_ value: JSONValue) {
        switch value {
        case .string(let text): self = .text(text)
        case .number(let number): self = .real(number)
        case .bool(let flag): self.init(flag)
        case .null, .array, .object: self = .null
        }
    }

    fileprivate init(_ number: Double?) {
        self = number.map(SQLValue.real) ?? .null
    }

    fileprivate init(_ flag: Bool) {
        self = .integer(flag ? 1 : 0)
    }
}
