public import Domain
import Foundation

extension Gazetteer {
    /// Places by name: comuni, hamlets, provinces, regions, countries, towns abroad, and Italian postal codes.
    ///
    /// Case, accents and punctuation do not matter, the last word may be unfinished, longer words may have a typo or two,
    /// and what follows a comma or stands in brackets says where: `Fisciano (SA)`. Any text is safe; of a long one the
    /// beginning counts.
    ///
    /// - Parameter near: nearer places rank higher, and their `distance` in metres is filled in.
    /// - Returns: the best first; none where nothing matches.
    /// - Throws: what the source of imported places throws; nothing without one.
    public func search(_ text: String, near: Coordinate? = nil, language: Language, limit: Int = 10) throws -> [Place] {
        guard limit > 0 else { return [] }
        let ranking = Ranking(near: near.map { ($0, UnitVector($0)) }, language: language, limit: min(limit, 100))
        let pieces = SearchQuery(text).pieces
        for isStrict in [true, false] {
            for start in pieces.indices {
                let context = pieces[(start + 1)...].flatMap { $0 }
                let found = find(pieces[start], in: context, ranking, isStrict: isStrict).compactMap { match in
                    present(match.place, ranking).map { ScoredPlace(place: $0, score: match.score) }
                }
                let imported = try findImported(pieces[start], in: context, ranking, isStrict: isStrict)
                if !found.isEmpty || !imported.isEmpty { return merge(found, imported, ranking.limit) }
            }
        }
        return []
    }

    private func present(_ index: Int, _ ranking: Ranking) -> Place? {
        var place = places.place(index, ranking.language)
        if let near = ranking.near, let coordinate = place?.coordinate {
            place?.distance = Geodesic.metres(from: near.0, to: coordinate)
        }
        return place
    }
}

/// What results are ranked by besides the match.
struct Ranking {
    let near: (Coordinate, UnitVector)?
    let language: Language
    let limit: Int
    /// The kind of place the query names: "provincia di".
    var preferred: PlaceTable.Kind?

    /// How many candidates are kept before areas named in the query sort them.
    var pool: Int { max(400, limit) }

    /// What a place is worth besides its name, in points of a match.
    func importance(of kind: PlaceTable.Kind, population: Int, _ isItalian: Bool, _ kilometres: Double?) -> Float {
        var result = 0.22 * log10(Float(population + 1))
        if kind == preferred { result += 1 }
        switch kind {
        case .comune, .country: result += 0.3
        case .region: result += 0.2
        case .town: break
        case .locality: result -= 0.1
        case .province, .admin: result -= 0.3
        }
        if isItalian { result += language == .italian ? 0.5 : 0.1 }
        if let kilometres { result -= 0.35 * log1p(Float(kilometres) / 20) }
        return result
    }
}

extension Gazetteer {
    private enum Spelling {
        case asWritten
        /// With typos, but not in the first letter: a twentieth of the words need to be looked at.
        case sameLetter
        case forgiving
    }

    /// - Parameter isStrict: no typos, and every area named must hold the place.
    private func find(_ words: [String], in context: [String], _ ranking: Ranking, isStrict: Bool) -> [NameMatch] {
        let codes = words.filter(isNumber)
        let (name, kind) = withoutGeneric(words.filter { !isNumber($0) })
        var ranking = ranking
        ranking.preferred = kind
        if name.isEmpty { return codes.first.map { byPostalCode($0, ranking) } ?? [] }
        // A house number after a street is no postal code.
        let context = (context + codes).filter { !isNumber($0) || $0.utf8.count == 5 }
        let exact = candidates(name, .asWritten, ranking)
        let found = sift(exact, by: context, ranking, mustMatch: isStrict)
        if isStrict {
            if found.isEmpty { return split(name, context, ranking) }
            // One whole name as it is spelt needs no guesses beside it.
            if found.count >= ranking.limit || exact.contains(where: \.isWhole) || !context.isEmpty { return found }
        }
        for spelling in [Spelling.sameLetter, .forgiving] {
            let guessed = sift(exact + candidates(name, spelling, ranking), by: context, ranking, mustMatch: isStrict)
            if !guessed.isEmpty { return guessed }
        }
        return []
    }

    /// Takes the last words for an area without a comma before it: `Fisciano SA`.
    private func split(_ words: [String], _ context: [String], _ ranking: Ranking) -> [NameMatch] {
        // Every area's name is in the index, so a word that is not there names none; signs of provinces are not in it.
        guard let last = words.last, last.utf8.count < 3 || !names.prefixed(last).isEmpty else { return [] }
        for count in stride(from: words.count - 1, to: 0, by: -1) {
            let areas = Array(words[count...]) + context
            let found = sift(
                candidates(Array(words[..<count]), .asWritten, ranking),
                by: areas,
                ranking,
                mustMatch: true
            )
            if !found.isEmpty { return found }
        }
        return []
    }

    func isNumber(_ word: String) -> Bool {
        word.utf8.allSatisfy { (48...57).contains($0) }
    }

    func withoutGeneric(_ words: [String]) -> ([String], PlaceTable.Kind?) {
        for (phrase, kind) in SearchQuery.generic where words.count > phrase.count && words.starts(with: phrase) {
            return (Array(words.dropFirst(phrase.count)), kind)
        }
        return (words, nil)
    }

    private func byPostalCode(_ digits: String, _ ranking: Ranking) -> [NameMatch] {
        guard digits.utf8.count >= 2 else { return [] }
        let found = names.places(withPostalCode: digits, atMost: 2_000)
            .map { NameMatch(place: $0, score: importance($0, ranking), isWhole: false) }
        return unique(found.sorted { $0.score > $1.score }, ranking.limit)
    }

    private func unique(_ matches: [NameMatch], _ limit: Int) -> [NameMatch] {
        var seen: Set<Int> = []
        var result: [NameMatch] = []
        for match in matches where result.count < limit && seen.insert(match.place).inserted { result.append(match) }
        return result
    }
}

/// A name that holds all the words of a query.
private struct NameMatch {
    let place: Int
    var score: Float
    /// The query is the whole name, as it is spelt.
    let isWhole: Bool
}

extension Gazetteer {
    /// The names that hold every word, the best of them first, as many as the pool takes.
    private func candidates(_ words: [String], _ spelling: Spelling, _ ranking: Ranking) -> [NameMatch] {
        let meant = words.enumerated().map { variants($1, isLast: $0 == words.count - 1, spelling) }
        var pool = Pool(capacity: ranking.pool)
        if words.count == 1 {
            // Of a letter or two, names that begin with them are meant, not those that hold such a word.
            let length = words[0].utf8.count
            forEachPosting(of: meant[0], isFirst: true) { posting, quality in
                if length <= 2 && posting.position > 0 { return }
                if length == 1 && places.population(names.place(ofName: posting.name)) < Self.peopleForOneLetter {
                    return
                }
                pool.insert(match(posting.name, quality, 1, ranking))
            }
        } else {
            for (name, quality) in common(meant) { pool.insert(match(name, quality, words.count, ranking)) }
        }
        return pool.matches
    }

    /// Tens of thousands of names begin with a letter: only places of so many people are looked for by one.
    private static let peopleForOneLetter = 5_000

    /// The names in which each word occurs in one of its meanings, with how well: from the rarest word on, as only its
    /// names need to be remembered.
    private func common(_ meant: [[NameIndex.Word]]) -> [Int: Float] {
        let order = meant.indices.sorted { names.postingCount(meant[$0]) < names.postingCount(meant[$1]) }
        var found: [Int: (quality: Float, words: Int)] = [:]
        for (step, word) in order.enumerated() {
            forEachPosting(of: meant[word], isFirst: word == 0) { posting, quality in
                if step == 0 {
                    if found[posting.name] == nil { found[posting.name] = (quality, 1) }
                } else if let known = found[posting.name], known.words == step {
                    found[posting.name] = (known.quality + quality, step + 1)
                }
            }
        }
        return found.filter { $0.value.words == meant.count }.mapValues(\.quality)
    }

    /// - Parameter isFirst: it is the first word of the query, worth a little more where it begins the name.
    private func forEachPosting(
        of variants: [NameIndex.Word],
        isFirst: Bool,
        _ body: (NameIndex.Posting, Float) -> Void
    ) {
        for variant in variants {
            for index in variant.postings {
                let posting = names.posting(index)
                body(posting, variant.quality + (isFirst && posting.position == 0 ? 0.1 : 0))
            }
        }
    }

    /// The words of the index that a word of the query may mean, the surest first.
    private func variants(_ word: String, isLast: Bool, _ spelling: Spelling) -> [NameIndex.Word] {
        var result = names.exact(word)
        for expansion in isLast ? [] : SearchQuery.expansions[word] ?? [] {
            result += names.exact(expansion).map { NameIndex.Word(postings: $0.postings, quality: 0.95) }
        }
        if isLast || word.utf8.count >= 3 { result += names.prefixed(word).filter { $0.quality < 1 } }
        if spelling != .asWritten {
            let near = names.misspelt(word, asPrefix: isLast, sameLetter: spelling == .sameLetter)
            result += near.sorted { $0.quality > $1.quality }
        }
        return result
    }

    private func match(
        _ name: Int,
        _ quality: Float,
        _ wordCount: Int,
        _ ranking: Ranking
    ) -> NameMatch {
        let share = quality / Float(wordCount)
        let coverage = Float(wordCount) / Float(max(wordCount, names.wordCount(ofName: name)))
        let place = names.place(ofName: name)
        let score = 3 * share + coverage - (names.isAlternate(name) ? 0.1 : 0) + importance(place, ranking)
        return NameMatch(
            place: place,
            score: score,
            isWhole: coverage == 1 && quality >= Float(wordCount)
        )
    }

    /// People, kind, country and distance, on the scale on which a perfect match of the name is worth 4.
    private func importance(_ place: Int, _ ranking: Ranking) -> Float {
        let kind = places.kind(place)
        let isItalian =
            switch kind {
            case .comune, .locality, .province, .region: true
            case .town, .admin: false
            case .country: places.countryCode(places.country(place)) == "IT"
            }
        let kilometres = ranking.near.map { $0.1.squaredChord(to: places.vector(place)).squareRoot() * 6_371 }
        return ranking.importance(of: kind, population: places.population(place), isItalian, kilometres)
    }
}

/// The best matches seen so far, best first.
private struct Pool {
    let capacity: Int
    private(set) var matches: [NameMatch] = []

    init(capacity: Int) {
        self.capacity = capacity
    }

    mutating func insert(_ match: NameMatch) {
        if matches.count == capacity, let last = matches.last, last.score >= match.score { return }
        var (low, high) = (0, matches.count)
        while low < high {
            let middle = (low + high) / 2
            if matches[middle].score >= match.score { low = middle + 1 } else { high = middle }
        }
        matches.insert(match, at: low)
        if matches.count > capacity { matches.removeLast() }
    }
}

extension Gazetteer {
    /// The matches that lie where the query says first; with `mustMatch` only those.
    private func sift(
        _ matches: [NameMatch],
        by context: [String],
        _ ranking: Ranking,
        mustMatch: Bool = false
    ) -> [NameMatch] {
        var matcher = AreaMatcher(places: places, words: context)
        var sifted: [NameMatch] = []
        for var match in matches {
            let missing = matcher.missing(match.place)
            if missing > 0, mustMatch { continue }
            match.score -= 2 * Float(missing)
            sifted.append(match)
        }
        sifted.sort { ($0.score, $1.place) > ($1.score, $0.place) }
        return unique(sifted, ranking.limit)
    }
}

/// Tells how many of the area words of a query a place does not lie in.
private struct AreaMatcher {
    let places: PlaceTable
    let words: [String]
    private var byArea: [Int: Set<String>] = [:]

    init(places: PlaceTable, words: [String]) {
        self.places = places
        self.words = words
    }

    mutating func missing(_ place: Int) -> Int {
        guard !words.isEmpty else { return 0 }
        var open = words.filter { !isKnown($0, in: areaWords(place)) }
        guard !open.isEmpty, let full = places.place(place, .italian) else { return open.count }
        let own = Set([full.comune, full.locality, full.postalCode].compactMap { $0 }.flatMap(SearchQuery.words))
        open.removeAll { isKnown($0, in: own) }
        return open.count
    }

    /// An area may be abbreviated, but not to a letter or two: those are signs.
    private func isKnown(_ word: String, in known: Set<String>) -> Bool {
        known.contains(word) || word.utf8.count >= 3 && known.contains { $0.hasPrefix(word) }
    }

    private mutating func areaWords(_ place: Int) -> Set<String> {
        let area = places.area(place)
        if let known = byArea[area] { return known }
        let country = places.country(place)
        let names = [
            places.name(ofArea: area), places.code(ofArea: area), places.region(ofArea: area),
            places.countryCode(country), places.countryName(country, .english), places.countryName(country, .italian),
        ]
        let known = Set(names.flatMap(SearchQuery.words))
        byArea[area] = known
        return known
    }
}
