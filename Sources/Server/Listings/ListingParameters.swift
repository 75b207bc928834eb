import Domain
import HTTP
import OpenAPI
import Storage

extension Parameter {
    static let id: Parameter = .id(of: "listing")
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
        "A breed by its key or by a name in any language, or a type such as Terrier; finds its crosses, too. Other words find the texts of breeds that contain them.",
        example: "pastore tedesco"
    )
    fileprivate static let crosses = query(
        "crosses", .choice(CrossFilter.self), "`no` leaves crosses out.", example: "no")
    static let since = query(
        "since",
        .timestampOrDay,
        "Seen last at this moment or later.",
        example: "2026-01-01"
    )
    fileprivate static let placeName = query(
        "place",
        .queryText,
        "A town, province, region or country; `Fisciano`, `Fisciano (SA)`, `Bozen` and `Italy` are understood.",
        example: "salerno"
    )
    static let q = query(
        "q",
        .queryText,
        """
        The words to look for, in any language of the pages: `cane nero eboli`, `labrador femmina vicino a Salerno`, `red collar`. Species, \
        status, sex, size, age, breeds, colours and places are read, other words are found in the texts by their stems or \
        beginnings. Results with exactly that come first. Words between quotation marks are plain words. The code of a listing \
        finds that listing, in any case and with or without hyphens and spaces.
        """,
        example: "red collar"
    )
    static let reading = query(
        "reading",
        .choice(ReadingFilter.self),
        "`no` takes all words of `q` as plain words.",
        example: "no"
    )
    fileprivate static let until = query(
        "until",
        .timestampOrDay,
        "Seen last before this moment.",
        example: "2026-12-31"
    )
    fileprivate static let ranking = query(
        "classification",
        .uuid,
        """
        Finds the dog in the photo of a classification; not with `breed`. With a point, open listings at most 75 km from it are \
        ranked by the likeness of photos, the breed and the distance in one score. Else listings are ranked by breed.
        """,
        example: .sampleID
    )
    fileprivate static let sort = query(
        "sort",
        .choice(Sort.self),
        """
        `distance` needs `lon` and `lat` and is the order where they are given; else the newest come first. `created` and \
        `-created` are short for `created_at` and `-created_at`.
        """,
        example: "-created_at"
    )
}

extension [Parameter] {
    /// The parameters that filter a search, and others.
    static func listingFilters(and others: [Parameter] = []) -> [Parameter] {
        ListingQuery.Filter.allCases.map(\.parameter) + others
    }

    static let listingSearch = listingFilters(and: [.ranking, .sort, .limit(.listings), .cursor])
}

extension ListingQuery.Filter {
    fileprivate var parameter: Parameter {
        switch self {
        case .status: .status
        case .species: .species
        case .breed: .breed
        case .crosses: .crosses
        case .place: .placeName
        case .q: .q
        case .reading: .reading
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

extension PageSize {
    static let listings = PageSize(defaultLimit: 20, maxLimit: 200)
    static let feed = PageSize(defaultLimit: 50, maxLimit: listings.maxLimit)
}
