import Domain
import HTTP
import Hummingbird
import Storage

extension ListingQuery {
    /// The parameters that filter a search, in the order of the documentation.
    enum Filter: String, CaseIterable {
        case status, species, breed, crosses, place, q, lon, lat, radius, bbox, since, until, lang
    }

    /// - Parameter photo: the ranking that a `classification` asks for.
    init(
        _ request: Request,
        breeds: Breeds,
        finder: any PlaceFinder,
        photo: PhotoRanking? = nil
    ) throws {
        let query = request.queryReader()
        try self.init(query, breeds: breeds, finder: finder, language: request.language(query), photo: photo)
    }

    init(
        _ query: QueryReader,
        breeds: Breeds,
        finder: any PlaceFinder,
        language: Language,
        photo: PhotoRanking? = nil
    ) throws {
        self.init()
        if let wanted = try query.choices("status", Listing.Status.self) { statuses = wanted }
        species = try query.choice("species", Species.self)
        breed = try query.text("breed").map { try Breed($0, species, breeds) }
        includesCrosses = try query.choice("crosses", CrossFilter.self) != .no
        self.photo = photo
        guard breed == nil || photo == nil else {
            throw ServiceError.invalid("classification", "expected without breed: it ranks by breeds")
        }
        text = try Self.words(query.text("q"), of: "q")
        if let centre = try query.point() { circle = Circle(centre: centre, radius: try query.radius()) }
        if circle == nil { _ = try query.radius() }
        box = try query.box()
        if let name = try query.text("place") { try restrict(toPlace: name, finder, language) }
        since = try query.timestamp("since")
        until = try query.timestamp("until")
        if let since, let until, until <= since { throw ServiceError.invalid("until", "expected a time after since") }
        limit = try query.limit(.listings)
        // Clients that send a point get the nearest listings first.
        order = try query.choice("sort", Sort.self)?.order ?? (circle == nil ? .newest : .distance)
        guard order != .distance || circle != nil else {
            throw ServiceError.invalid("sort", "distance is expected together with lon and lat")
        }
        cursor = try query.cursor(fields: 4) { [order] in Cursor($0, order: order, ranks: photo?.groups.count ?? 0) }
    }

    /// Restricts the search to the listings of an account, including hidden ones.
    ///
    /// - Parameter statuses: the statuses to include; nil for all.
    mutating func restrict(to owner: Account, statuses: [Listing.Status]? = nil) {
        self.statuses = statuses ?? Listing.Status.allCases
        self.owner = owner.key
        includesHidden = true
    }

    fileprivate static func words(_ text: String?, of name: String) throws -> String? {
        guard let text else { return nil }
        let words = text.folded
        guard !words.isEmpty else { throw ServiceError.invalid(name, "expected letters or digits") }
        return words
    }

    /// Restricts the search to a country, or to the folded name itself and the folded local name of the town, province or
    /// region, which may be in another language: Bozen is Bolzano, and Lombardy is Lombardia.
    private mutating func restrict(toPlace name: String, _ finder: any PlaceFinder, _ language: Language) throws {
        let found = try finder.place(named: name, language: language)
        if let found, found.level == .country, let code = found.countryCode {
            country = code
            // The index of areas finds the listings of a small country; all others would have to be read first.
            box = box ?? finder.extent(of: found)?.expanded(by: Self.coastDegrees)
            return
        }
        places = [name.folded]
        // Listings contain only the town of a name such as "Fisciano (SA)".
        if let own = found?.name?.folded, found?.level != .locality { places.insert(own) }
    }

    /// How far from the borders of a country in the outlines its listings may be, for example at sea.
    private static let coastDegrees = 1.0
}

extension ListingQuery.Breed {
    fileprivate init(_ text: String, _ species: Species?, _ breeds: Breeds) throws(ServiceError) {
        let group = breeds.group(named: text)
        guard group.text != "" else { throw .invalid("breed", "expected letters or digits") }
        if let words = group.text {
            self = .text(words)
        } else {
            self = .keys(Set(try group.breeds(of: species).map(\.key)))
        }
    }
}

/// Whether crosses are results of a search.
enum CrossFilter: String, CaseIterable {
    case yes, no
}

/// The orders by name. `created` is an abbreviation of `created_at`.
enum Sort: String, CaseIterable {
    case distance
    case newest = "-created_at"
    case oldest = "created_at"
    case newestInShort = "-created"
    case oldestInShort = "created"

    var order: ListingQuery.Order {
        switch self {
        case .distance: .distance
        case .newest, .newestInShort: .newest
        case .oldest, .oldestInShort: .oldest
        }
    }
}
