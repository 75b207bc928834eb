import Domain
import HTTP
import Hummingbird
import Storage

extension ListingQuery {
    /// The parameters that filter a search, in the order of the documentation.
    enum Filter: String, CaseIterable {
        case status, species, breed, place, q, lon, lat, radius, bbox, since, until, lang
    }

    /// - Parameter likely: the breeds that a `classification` found likely, the most likely one first.
    init(
        _ request: Request,
        breeds: Breeds,
        finder: any PlaceFinder,
        likely: [String] = []
    ) throws {
        let query = try request.queryReader()
        try self.init(query, breeds: breeds, finder: finder, language: request.language(query), likely: likely)
    }

    init(
        _ query: QueryReader,
        breeds: Breeds,
        finder: any PlaceFinder,
        language: Language,
        likely: [String] = []
    ) throws {
        self.init()
        if let wanted = try query.choices("status", Listing.Status.self) { statuses = wanted }
        species = try query.choice("species", Species.self)
        breed = try query.text("breed").map { try Breed($0, breeds) }
        likelyBreeds = likely
        guard breed == nil || likely.isEmpty else {
            throw ServiceError.invalid("classification", "expected without breed: it ranks by breeds")
        }
        text = try Self.words(query.text("q"), of: "q")
        if let name = try query.text("place") {
            places = try Self.names(of: name, finder, language)
        }
        if let centre = try query.point() { circle = Circle(centre: centre, radius: try query.radius()) }
        if circle == nil { _ = try query.radius() }
        box = try query.box()
        since = try query.timestamp("since")
        until = try query.timestamp("until")
        limit = try query.limit(.listings)
        // Clients that send a point get the nearest listings first.
        order = try query.choice("sort", Sort.self)?.order ?? (circle == nil ? .newest : .distance)
        guard order != .distance || circle != nil else {
            throw ServiceError.invalid("sort", "distance is expected together with lon and lat")
        }
        cursor = try query.cursor(fields: 4) { [order] in Cursor($0, order: order, ranks: likely.count) }
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

    /// Returns the folded name itself and the folded local name of the town, province or region, which may be in another
    /// language: Bozen is Bolzano, and Lombardy is Lombardia.
    private static func names(of name: String, _ finder: any PlaceFinder, _ language: Language) throws -> Set<String> {
        var names: Set<String> = [name.folded]
        guard let found = try finder.place(named: name, language: language), found.level != .locality
        else { return names }
        // Listings contain only the town of a name such as "Fisciano (SA)".
        if let own = found.name?.folded { names.insert(own) }
        return names
    }
}

extension ListingQuery.Breed {
    fileprivate init(_ text: String, _ breeds: Breeds) throws {
        if let breed = breeds.breed(key: text) ?? breeds.breed(named: text) {
            self = .key(breed.key)
        } else {
            self = .text(try ListingQuery.words(text, of: "breed") ?? "")
        }
    }
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
