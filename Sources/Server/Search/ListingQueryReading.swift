import Domain
import HTTP
import Hummingbird
import SearchText
import Storage

/// Reads searches for listings from the parameters of requests, alerts and pages.
struct ListingQueryReader: Sendable {
    let vocabulary: SearchVocabulary
    let finder: any PlaceFinder
    /// Knows the words on the board.
    let search: ListingSearch

    init(_ breeds: Breeds, _ finder: any PlaceFinder, _ search: ListingSearch) {
        (vocabulary, self.finder, self.search) = (.shared(breeds), finder, search)
    }

    /// Which texts are read as the code of a listing.
    enum Codes {
        /// The search shall find other listings.
        case none
        /// Those that a listing has which everybody sees.
        case known
        /// All that have the form of a code, where only what the reader may see is searched.
        case all
    }

    /// - Parameter photo: the ranking that a `classification` asks for.
    func read(_ request: Request, photo: PhotoRanking? = nil, codes: Codes = .known) throws -> ListingQuery {
        let parameters = request.queryReader()
        return try read(parameters, language: request.language(parameters), photo: photo, codes: codes)
    }

    func read(
        _ parameters: QueryReader,
        language: Language,
        photo: PhotoRanking? = nil,
        codes: Codes = .known
    ) throws -> ListingQuery {
        let texts = SearchTextReader(vocabulary, finder: finder, language: language)
        var query = try readFilters(parameters, texts, photo)
        try addWords(parameters, texts, codes, to: &query)
        guard query.order != .distance || query.circle != nil else {
            throw ServiceError.invalid("sort", "distance is expected together with lon and lat")
        }
        let ranks = photo?.groups.count ?? query.parts.count
        query.cursor = try parameters.cursor(fields: 4) { [order = query.order] in .init($0, order: order, ranks: ranks)
        }
        return query
    }

    /// Reads the words alone; nil if there are none.
    func readWords(_ parameters: QueryReader, language: Language, codes: Codes = .known) throws -> ListingQuery? {
        var query = ListingQuery()
        try addWords(parameters, SearchTextReader(vocabulary, finder: finder, language: language), codes, to: &query)
        return query == ListingQuery() ? nil : query
    }

    /// Reads a text that was typed to search a list other than the board.
    func readList(_ text: String, language: Language) throws -> ListSearch {
        let query = try readWords(.init(["q": text]), language: language, codes: .all) ?? ListingQuery()
        return ListSearch(query, text: text)
    }

    private func addWords(
        _ parameters: QueryReader,
        _ texts: SearchTextReader,
        _ codes: Codes,
        to query: inout ListingQuery
    ) throws {
        let isPlain = try parameters.choice("reading", ReadingFilter.self) == .no
        guard let typed = try Self.words(parameters) else { return }
        guard !isPlain else {
            query.text = typed.folded
            return
        }
        if try addCode(typed, codes, to: &query) { return }
        query.add(try read(typed, texts), vocabulary.breeds)
    }

    /// Returns whether the text is the code of a listing.
    private func addCode(_ typed: String, _ codes: Codes, to query: inout ListingQuery) throws -> Bool {
        guard let code = ListingCode(typed: typed) else { return false }
        switch codes {
        case .none: return false
        case .known:
            guard let position = try search.findPosition(of: code) else { return false }
            // The indexes of areas find the listing; all others would have to be read first.
            query.box = query.box ?? BoundingBox(around: position, reach: Self.codeReach)
        case .all: break
        }
        query.add(.code(code, typed: typed), vocabulary.breeds)
        return true
    }

    /// In degrees.
    private static let codeReach = 0.0001

    private static func words(_ parameters: QueryReader) throws -> String? {
        guard let typed = try parameters.text("q") else { return nil }
        guard !typed.folded.isEmpty else { throw ServiceError.invalid("q", "expected letters or digits") }
        return typed
    }

    /// Reads all parameters but the words and the cursor.
    func readFilters(
        _ parameters: QueryReader,
        _ texts: SearchTextReader,
        _ photo: PhotoRanking?
    ) throws -> ListingQuery {
        var query = ListingQuery()
        if let wanted = try parameters.choices("status", Listing.Status.self) { query.statuses = wanted }
        query.species = try parameters.choice("species", Species.self)
        query.breed = try parameters.text("breed").map { try .init($0, query.species, vocabulary.breeds) }
        query.includesCrosses = try parameters.choice("crosses", CrossFilter.self) != .no
        query.photo = photo
        guard query.breed == nil || photo == nil else {
            throw ServiceError.invalid("classification", "expected without breed: it ranks by breeds")
        }
        if let centre = try parameters.point() {
            query.circle = .init(centre: centre, radius: try parameters.radius())
        } else {
            _ = try parameters.radius()
        }
        query.box = try parameters.box()
        // Clients that send a point get the nearest listings first.
        query.order = try parameters.choice("sort", Sort.self)?.order ?? (query.circle == nil ? .newest : .distance)
        if let name = try parameters.text("place") { try restrict(&query, toPlace: name, texts) }
        query.since = try parameters.timestamp("since")
        query.until = try parameters.timestamp("until")
        if let since = query.since, let until = query.until, until <= since {
            throw ServiceError.invalid("until", "expected a time after since")
        }
        query.limit = try parameters.limit(.listings)
        return query
    }

    /// The words that are corrected in one text: each costs some look-ups.
    private static let maxCorrections = 2

    /// Reads a text. A word that nobody on the board uses is read as a known one, or one of the board, that differs in one letter.
    private func read(_ typed: String, _ texts: SearchTextReader) throws -> SearchReading {
        var reading = try texts.read(typed)
        var corrections: [String: String] = [:]
        for word in reading.unknownWords.prefix(Self.maxCorrections) where corrections[word] == nil {
            guard try !search.isOnBoard(word: word) else { continue }
            corrections[word] =
                try vocabulary.correction(of: word)
                ?? (reading.isTown(word) ? nil : search.similarWords(to: word).first ?? texts.similarTown(to: word))
        }
        if !corrections.isEmpty { reading = try texts.read(typed, corrections: corrections) }
        return reading
    }

    /// Restricts the search to a country, or to the folded name itself and the folded local name of the town, province or
    /// region, which may be in another language: Bozen is Bolzano, and Lombardy is Lombardia. Words around the name make it a
    /// circle: "zona Eboli".
    private func restrict(_ query: inout ListingQuery, toPlace name: String, _ texts: SearchTextReader) throws {
        if let area = try texts.area(named: name) {
            query.restrict(to: area)
            return
        }
        let found = try finder.place(named: name, language: texts.language)
        query.places = [name.folded]
        // Listings contain only the town of a name such as "Fisciano (SA)".
        if let own = found?.name?.folded, found?.level != .locality { query.places.insert(own) }
    }
}

extension ListingQuery {
    /// The parameters that filter a search, in the order of the documentation.
    enum Filter: String, CaseIterable {
        case status, species, breed, crosses, place, q, reading, lon, lat, radius, bbox, since, until, lang
    }

    /// Restricts the search to the listings of an account, including hidden ones.
    ///
    /// - Parameter statuses: the statuses to include; nil for all.
    mutating func restrict(to owner: Account, statuses: [Listing.Status]? = nil) {
        self.statuses = statuses ?? Listing.Status.allCases
        self.owner = owner.key
        includesHidden = true
    }
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

/// Whether the words of a search are read.
enum ReadingFilter: String, CaseIterable {
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
