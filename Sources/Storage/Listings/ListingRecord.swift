import Domain
import SQL

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
            Column(field.name) { content, _ in content.value(of: field).sqlValue }
        } + [
            Column("breed_key") { content, _ in content.breedKey.sqlValue },
            Column("breed_predicted") { content, _ in content.breedIsPredicted.sqlValue },
            Column("last_seen_is_day") { content, _ in content.lastSeenIsDay.sqlValue },
            Column("approximate") { _, location in location.approximate.sqlValue },
            Column("exact_lon") { _, location in (location.exact?.lon).sqlValue },
            Column("exact_lat") { _, location in (location.exact?.lat).sqlValue },
            Column("place") { _, location in location.place.sqlValue },
            Column("locality") { _, location in location.locality.sqlValue },
            Column("province") { _, location in location.province.sqlValue },
            Column("province_code") { _, location in location.provinceCode.sqlValue },
            Column("region") { _, location in location.region.sqlValue },
            Column("country") { _, location in location.country.sqlValue },
            Column("country_code") { _, location in location.countryCode.sqlValue },
            Column("contact_phone_e164") { content, location in
                TelephoneNumber.e164(of: content.contactPhone.value, in: location.countryCode).sqlValue
            },
            Column("postal_code") { _, location in location.postalCode.sqlValue },
            Column("facets") { content, location in .jsonList(ListingFacets.facets(content, location)) },
            Column("place_names") { _, location in .jsonList(location.searchNames.sorted()) },
        ]
        + ListingBreeds.columns.enumerated().map { number, name in
            Column(name) { content, _ in content.breeds?.values[number] ?? .null }
        }

    static let columnNames = columns.map(\.name)

    /// The longitude and latitude of `geom`, then one value for each of `columnNames`.
    let values: [SQLValue]

    init(values: [SQLValue]) {
        self.values = values
    }

    private static let statusIndex = columnNames.firstIndex(of: ListingField.status.name).map { $0 + 2 }

    private var status: Listing.Status? {
        guard let index = Self.statusIndex, case .text(let status) = values[index] else { return nil }
        return Listing.Status(rawValue: status)
    }

    /// - Parameter seen: the time of the last sighting if the content has none.
    init(_ content: ListingContent, _ location: ListingLocation, seen: Timestamp?) {
        var content = content
        content.lastSeenAt = content.lastSeenAt ?? seen
        values =
            [.real(location.coordinate.lon), .real(location.coordinate.lat)]
            + Self.columns.map { $0.value(content, location) }
    }

    private static let seenIndex = columnNames.firstIndex(of: ListingField.lastSeenAt.name).map { $0 + 2 }

    /// Returns the record with a time of the last sighting, if it has none.
    func seen(_ time: Timestamp) -> ListingRecord {
        guard let index = Self.seenIndex, values[index] == .null else { return self }
        var values = values
        values[index] = .text(time.text)
        return ListingRecord(values: values)
    }

    func insert(
        id: Int64,
        uuid: String,
        code: ListingCode,
        owner: Int64,
        createdAt: Timestamp,
        origin: ListingOrigin? = nil,
        _ db: SQLConnection
    ) throws {
        let identity: [SQLValue] = [
            .integer(id), .text(uuid), .text(code.text), .integer(owner), .text(createdAt.text), .text(createdAt.text),
            (origin?.url).sqlValue,
        ]
        try Self.run(db, Self.insertion, identity + values)
    }

    func update(id: Int64, at time: Timestamp, _ db: SQLConnection) throws {
        try ListingReunion.follow(status, of: id, at: time, db)
        try Self.run(db, Self.change, [.text(time.text)] + values + [.integer(id)])
    }

    /// Says where a listing began.
    static func setOrigin(_ origin: ListingOrigin?, of id: Int64, _ db: SQLConnection) throws {
        try db.execute("UPDATE listing SET origin = ? WHERE id = ?", [origin?.url, id])
    }

    /// Renews a listing whose owner has sent the same content again.
    static func renew(id: Int64, at time: Timestamp, _ db: SQLConnection) throws {
        try db.execute(
            "UPDATE listing_renewal SET renewed_at = ?, warned_at = NULL WHERE listing_id = ?",
            [time.text, id]
        )
    }

    private static let insertion = """
        INSERT INTO listing (id, uuid, code, account_id, created_at, updated_at, origin, geom,
            \(columns.map(\.name).joined(separator: ", ")))
        VALUES (?, ?, ?, ?, ?, ?, ?, MakePoint(?, ?, 4326)\(String(repeating: ", ?", count: columns.count)))
        """

    private static let change = """
        UPDATE listing SET version = version + 1, updated_at = ?, geom = MakePoint(?, ?, 4326),
            \(columns.map { "\($0.name) = ?" }.joined(separator: ", "))
        WHERE id = ?
        """

    private static func run(_ db: SQLConnection, _ sql: String, _ values: [SQLValue]) throws {
        do {
            try db.execute(sql, values)
        } catch {
            switch SQLFailure(error)?.constraint {
            case .unique:
                throw ServiceError(.conflict, "reference: another listing of yours has this one", field: "reference")
            case .trigger(let message):
                // The text of a trigger is a template without arguments.
                let text = message.map { ErrorMessage(stringLiteral: $0) }
                throw ServiceError(.forbidden, text ?? "this account cannot post")
            default: throw error
            }
        }
    }
}

extension JSONValue {
    fileprivate var sqlValue: SQLValue {
        switch self {
        case .string(let text): text.sqlValue
        case .number(let number): number.sqlValue
        case .bool(let flag): flag.sqlValue
        case .null, .array, .object: .null
        }
    }
}
