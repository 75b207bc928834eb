import Domain

/// Tells how many of the area words of a query a place does not lie in: by the names that its areas have in the tables, in every
/// language that the index knows, and by those of imported areas that hold it.
struct AreaMatcher {
    /// A country, or a province or region of it.
    private struct Area: Hashable {
        let country: String?
        let name: String?
    }

    /// Of how many places the imported areas are looked up.
    private static let maxLookUps = 8

    private let gazetteer: Gazetteer
    private let words: [String]
    private let areas: [String: Set<Area>]
    private var openByArea: [Int: [String]] = [:]
    private var lookUps = 0

    init(_ gazetteer: Gazetteer, _ words: [String]) {
        self.gazetteer = gazetteer
        self.words = words
        areas = Dictionary(words.map { ($0, Self.areas(named: $0, gazetteer)) }) { first, _ in first }
    }

    /// Of a place of the tables.
    mutating func missing(_ place: Int) throws -> Int {
        guard !words.isEmpty else { return 0 }
        guard let full = gazetteer.places.place(place, .italian) else { return words.count }
        let area = gazetteer.places.area(place)
        // The index has every name that an area of the tables has.
        let open = openByArea[area] ?? outside(full, words)
        openByArea[area] = open
        // Abroad the second level is the town's own.
        return try missing(full, of: Self.without([full.provinceCode == nil ? full.province : nil], open))
    }

    /// Of an imported place, with what the tables add to it.
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

    /// The words that name no area that a place shares with its neighbours: in the file's words, the tables' or a sign.
    private func open(_ words: [String], in place: Place) -> [String] {
        Self.without([place.province, place.region, place.country], outside(place, words))
    }

    /// The same in the tables' words, or a sign.
    private func outside(_ place: Place, _ words: [String]) -> [String] {
        let around = [nil, place.province, place.region].map { Area(country: place.countryCode, name: $0) }
        let signs = [place.provinceCode, place.countryCode].compactMap { $0?.lowercased() }
        return words.filter { areas[$0]?.isDisjoint(with: around) != false && !signs.contains($0) }
    }

    /// The words that are in none of the names.
    private static func without(_ names: [String?], _ words: [String]) -> [String] {
        guard !words.isEmpty else { return [] }
        let known = names.flatMap { $0.map(SearchQuery.words) ?? [] }
        return words.filter { word in !known.contains { isMeant($0, by: word) } }
    }

    /// An area may be abbreviated, but not to a letter or two: those are signs.
    private static func isMeant(_ known: String, by word: String) -> Bool {
        known == word || word.utf8.count >= 3 && known.hasPrefix(word)
    }

    /// The areas of the tables of which one name has the word.
    private static func areas(named word: String, _ gazetteer: Gazetteer) -> Set<Area> {
        let (names, places) = (gazetteer.names, gazetteer.places)
        let first = places.range(.province).lowerBound
        var found: Set<Area> = []
        for variant in word.utf8.count < 3 ? names.exact(word) : names.prefixed(word) {
            // A word's names are in the order of their places, of which areas are the last.
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
