import Domain
import Storage

/// A column of a CSV file of listings.
struct ListingColumn: Sendable {
    let name: String
    /// Whether it is left out where everybody reads.
    let isPrivate: Bool
    /// The text of a row's cell; the flag tells whether private contacts are shown.
    let cell: @Sendable (ListingRow, Bool) throws -> String?

    private init(
        _ name: String,
        isPrivate: Bool = false,
        _ cell: @escaping @Sendable (ListingRow, Bool) throws -> String?
    ) {
        self.name = name
        self.isPrivate = isPrivate
        self.cell = cell
    }

    private init(_ name: String, _ column: ListingRow.Column, isPrivate: Bool = false) {
        self.init(name, isPrivate: isPrivate) { row, _ in row.string(column) }
    }

    private init(_ name: String, flag column: ListingRow.Column) {
        self.init(name, isPrivate: true) { row, _ in "\(row.flag(column))" }
    }

    private init(_ name: String, contact column: ListingRow.Column, shownBy flag: ListingRow.Column) {
        self.init(name) { row, full in full || row.shows(flag) ? row.string(column) : nil }
    }

    private init(_ name: String, degrees: @escaping @Sendable (Coordinate) -> Double) {
        self.init(name) { row, full in
            // The point of a town is said better by the town.
            guard row.isCell || !row.flag(.approximate) else { return nil }
            return "\(degrees(try full ? row.exact ?? row.coordinate() : row.coordinate()))"
        }
    }

    /// `id`, `created_at`, and the fields of a listing in the order of `ListingContent.fieldNames`.
    static let all = [
        ListingColumn("id", .uuid), ListingColumn("created_at", .createdAt), ListingColumn("status", .status),
        ListingColumn("species", .species), ListingColumn("name", .name), ListingColumn("breed", .breed),
        ListingColumn("sex", .sex), ListingColumn("size", .size), ListingColumn("colour", .colour),
        ListingColumn("age", .age), ListingColumn("microchip", .microchip, isPrivate: true),
        ListingColumn("marks", .marks), ListingColumn("secret_mark", .secretMark, isPrivate: true),
        ListingColumn("description", .description),
        ListingColumn("last_seen_at", .lastSeenAt), ListingColumn("lon", degrees: \.lon),
        ListingColumn("lat", degrees: \.lat),
        ListingColumn("location_precision", isPrivate: true) { row, _ in
            row.flag(.approximate) ? "approximate" : "exact"
        }, ListingColumn("place", .place),
        ListingColumn("contact_name", contact: .contactName, shownBy: .contactNamePublic),
        ListingColumn("contact_name_public", flag: .contactNamePublic),
        ListingColumn("contact_phone", contact: .contactPhone, shownBy: .contactPhonePublic),
        ListingColumn("contact_phone_public", flag: .contactPhonePublic),
        ListingColumn("contact_email", contact: .contactEmail, shownBy: .contactEmailPublic),
        ListingColumn("contact_email_public", flag: .contactEmailPublic),
        ListingColumn("reference", .reference, isPrivate: true),
    ]
}

extension ListingRow {
    /// Whether everybody sees a contact, by the flag of its owner. Nobody needs to reach whoever has the animal back.
    func shows(_ flag: Column) -> Bool {
        self.flag(flag) && string(.status).flatMap(Listing.Status.init)?.isOpen == true
    }
}
