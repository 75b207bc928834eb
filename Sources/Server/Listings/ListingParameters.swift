import Domain
import Storage

extension Parameter {
    static let id = path("id", .uuid, "Of the listing.", example: .string(Sample.listing))
    static let status = query(
        "status",
        .list(of: .choice(Listing.Status.self), 1...),
        "One or several; without it \(Listing.Status.open.map(\.rawValue).joined(separator: ", ")).",
        example: ["lost", "sighted"]
    )
    static let species = query("species", .choice(Species.self), "The kind of animal.", example: "dog")
    static let breed = query(
        "breed",
        .queryText,
        "A breed by its key or by a name of it in any language; else words that its listing says.",
        example: "pastore tedesco"
    )
    static let since = query(
        "since",
        .timestampOrDay,
        "Seen last at this moment or later.",
        example: "2026-01-01"
    )
    fileprivate static let placeName = query(
        "place",
        .queryText,
        "A town, province or region; `Fisciano`, `Fisciano (SA)` and `Bozen` are understood.",
        example: "salerno"
    )
    fileprivate static let q = query(
        "q",
        .queryText,
        "Words to find by their beginnings, with letters or digits.",
        example: "red collar"
    )
    fileprivate static let until = query(
        "until",
        .timestampOrDay,
        "Seen last before this moment.",
        example: "2026-12-31"
    )

    /// The parameters that filter a search.
    static let listingFilters = ListingQuery.Filter.allCases.map(\.parameter)
}

extension ListingQuery.Filter {
    fileprivate var parameter: Parameter {
        switch self {
        case .status: .status
        case .species: .species
        case .breed: .breed
        case .place: .placeName
        case .q: .q
        case .lon: .lon
        case .lat: .lat
        case .radius: .radius
        case .bbox: .bbox
        case .since: .since
        case .until: .until
        case .lang: .lang
        }
    }
}
