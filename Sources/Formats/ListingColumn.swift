import Domain
import Storage

/// A column of a CSV file of listings.
struct ListingColumn: Sendable {
    let name: String
    /// Whether public files omit the column.
    let isPrivate: Bool
    /// Returns the text of the cell for a row. The flag includes private contacts and the exact point.
    let cell: @Sendable (ListingRow, Bool) throws -> String?

    /// A private column of a file for another program.
    init(_ name: String, _ cell: @escaping @Sendable (ListingRow) throws -> String?) {
        self.name = name
        isPrivate = true
        self.cell = { row, _ in try cell(row) }
    }

    private init(_ name: String, _ column: ListingRow.Column) {
        self.name = name
        isPrivate = false
        cell = { row, _ in row.string(column) }
    }

    private init(_ field: ListingField) {
        name = field.name
        isPrivate = field.access == .owner || field == .locationPrecision
        cell =
            switch field {
            case .lon: Self.degrees(\.lon)
            case .lat: Self.degrees(\.lat)
            case .place:
                { row, full in
                    full && row.hasOnlyTown ? try Listing(row).location.fullTownName : row.string(.place)
                }
            case .lastSeenAt:
                { row, _ in try row.flag(.lastSeenIsDay) ? Listing(row).lastSeenDay?.text : row.string(field) }
            case .locationPrecision: { row, _ in row.flag(.approximate) ? "approximate" : "exact" }
            case _ where field.kind == .flag: { row, _ in "\(row.flag(field))" }
            default: Self.text(field)
            }
    }

    private static func text(_ field: ListingField) -> @Sendable (ListingRow, Bool) throws -> String? {
        guard case .everybodyIf(let flag) = field.access else { return { row, _ in row.string(field) } }
        return { row, full in full || row.shows(flag) ? row.string(field) : nil }
    }

    private static func degrees(
        _ degrees: @escaping @Sendable (Coordinate) -> Double
    ) -> @Sendable (ListingRow, Bool) throws -> String? {
        { row, full in
            guard full || !row.hasOnlyTown else { return nil }
            return "\(degrees(try full ? row.exact ?? row.coordinate() : row.coordinate()))"
        }
    }

    static let all =
        [ListingColumn("id", .uuid), ListingColumn("created_at", .createdAt)] + ListingField.allCases.map(Self.init)
        + [ListingColumn("origin", .origin)]
}

extension ListingRow {
    /// Whether the position is only that of the town, which the column `place` names.
    var hasOnlyTown: Bool { flag(.approximate) && !isCell && string(.place) != nil }

    /// Whether a contact is public: the owner has set its flag and the listing is open. After an animal is back home,
    /// nobody needs to contact its owner.
    func shows(_ flag: ListingField) -> Bool {
        self.flag(flag) && string(.status).flatMap(Listing.Status.init)?.isOpen == true
    }
}
