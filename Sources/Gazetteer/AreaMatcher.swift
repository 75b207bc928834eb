import Domain

/// Counts the area words of a query that do not match a place. A word matches if it names one of the place's areas in
/// the tables, in any language of the file or in that of the search, or an imported area that contains the place.
struct AreaMatcher {
    /// A country, or a province or region in it.
    private struct Area: Hashable {
        let country: String?
        let name: String?
    }

    /// The maximum number of places for which imported areas are looked up, because each look-up is a query.
    private static let maxLookUps = 8

    private let gazetteer: Gazetteer
    private let words: [String]
    private let areas: [String: Set<Area>]
    private var openByArea: [Int: [String]] = [:]
    private var lookUps = 0

    init(_ gazetteer: Gazetteer, _ words: [String], _ names: NameIndex) {
        self.gazetteer = gazetteer
        self.words = words
        areas = Dictionary(words.map { ($0, Self.areas(named: $0, names, gazetteer.places)) }) { first, _ in first }
    }

    /// Returns the number of words that do not match a place of the tables.
    mutating func missing(_ place: Int) throws -> Int {
        guard !words.isEmpty else { return 0 }
        guard let full = gazetteer.places.place(place, .italian) else { return words.count }
        // A region or country has the area of its largest town, and lies in none.
        guard ![.region, .admin, .country].contains(gazetteer.places.kind(place)) else {
            return outside(full, words).count
        }
        let area = gazetteer.places.area(place)
        // The index contains every name that an area of the tables has.
        let open = openByArea[area] ?? outside(full, words)
        openByArea[area] = open
        // For a town abroad, the second administrative level is stored with the town and not with its area.
        return try missing(full, of: Self.without([full.provinceCode == nil ? full.province : nil], open))
    }

    /// Returns the number of words that do not match an imported place, completed with fields from the tables.
    mutating func missing(_ place: Place) throws -> Int {
        guard !words.isEmpty else { return 0 }
        return try missing(place, of: open(words, in: place))
    }

    private mutating func missing(_ place: Place, of words: [String]) throws -> Int {
        var open = Self.without([place.locality, place.comune, place.postalCode], words)
        guard !open.isEmpty, let imported = gazetteer.imported, lookUps < Self.maxLookUps else { return open.count }
        lookUps += 1
        for area in try imported.areas(at: place.coordinate) {
            open = Self.without([area.place.locality, area.place.comune], self.open(open, in: area.place))
        }
        return open.count
    }

    /// Returns the words that match no area that a place shares with its neighbours. Area names are taken from the
    /// imported file and from the tables; two-letter codes match as well.
    private func open(_ words: [String], in place: Place) -> [String] {
        Self.without([place.province, place.region, place.country], outside(place, words))
    }

    /// Returns the words that match neither an area name in the tables nor a province or country code of the place.
    private func outside(_ place: Place, _ words: [String]) -> [String] {
        let around = [nil, place.province, place.region].map { Area(country: place.countryCode, name: $0) }
        let signs = [place.provinceCode, place.countryCode].compactMap { $0?.lowercased() }
        return words.filter { areas[$0]?.isDisjoint(with: around) != false && !signs.contains($0) }
    }

    /// Returns the words that occur in none of the names.
    private static func without(_ names: [String?], _ words: [String]) -> [String] {
        guard !words.isEmpty else { return [] }
        let known = names.flatMap { $0.map(SearchQuery.words) ?? [] }
        return words.filter { word in !known.contains { isMeant($0, by: word) } }
    }

    /// An area name may be abbreviated to three letters or more. Shorter words only match codes.
    private static func isMeant(_ known: String, by word: String) -> Bool {
        known == word || word.utf8.count >= 3 && known.hasPrefix(word)
    }

    /// Returns the areas in the tables that have the word in one of their names.
    private static func areas(named word: String, _ names: NameIndex, _ places: PlaceTable) -> Set<Area> {
        let first = places.range(.province).lowerBound
        var found: Set<Area> = []
        for variant in word.utf8.count < 3 ? names.exact(word) : names.prefixed(word) {
            // The postings of a word are sorted by place number, and areas have the highest numbers.
            for posting in variant.postings.reversed() {
                let place = names.place(ofName: names.posting(posting).name)
                guard place >= first else { break }
                let country = places.countryCode(places.country(place))
                found.insert(Area(country: country, name: places.kind(place) == .country ? nil : places.name(place)))
            }
        }
        return found
    }
}
