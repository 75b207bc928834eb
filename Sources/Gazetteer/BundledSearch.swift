package import Domain

/// Search by name in the bundled tables, through their word index.
extension Gazetteer {
    private enum Spelling {
        case asWritten
        /// Allows typos, except in the first letter, so that only about a twentieth of the words is compared.
        case sameLetter
        case forgiving

        /// The spellings of a text without an exact match. `forgiving` compares each word with all words of the index,
        /// which takes 3 ms; `sameLetter` takes a twentieth of that.
        ///
        /// - Parameter words: the number of words, those of areas included.
        static func guesses(words: Int) -> [Spelling] {
            words <= 3 ? [.sameLetter, .forgiving] : words <= 6 ? [.sameLetter] : [.asWritten]
        }
    }

    /// - Parameter isStrict: Whether typos are excluded and every area in the query must contain the place.
    func find(_ asked: NameQuery, _ ranking: Ranking, isStrict: Bool) throws -> [BundledMatch] {
        if asked.isSign { return [] }
        if asked.name.isEmpty { return asked.number.map { byPostalCode($0, ranking) } ?? [] }
        if isStrict {
            let exact = candidates(asked, .asWritten, ranking)
            let found = try sift(exact, by: asked.areas, ranking, mustMatch: true)
            // An exact match of a whole name makes a search for misspelt names unnecessary.
            let isEnough = found.count >= ranking.limit || exact.contains(where: \.isWhole) || !asked.areas.isEmpty
            if found.isEmpty || isEnough { return found }
        }
        for spelling in Spelling.guesses(words: asked.words.count + asked.areas.count) {
            let guesses = candidates(asked, spelling, ranking)
            let guessed = try sift(guesses, by: asked.areas, ranking, mustMatch: isStrict)
            if !guessed.isEmpty { return guessed }
        }
        return []
    }

    /// Returns the places with exactly this name, in all areas of the query.
    func findWhole(_ asked: NameQuery, _ ranking: Ranking) throws -> [BundledMatch] {
        guard !asked.isSign, !asked.name.isEmpty else { return [] }
        let found = candidates(asked, .asWritten, ranking).filter(\.isWhole)
        return try sift(found, by: asked.areas, ranking, mustMatch: true)
    }

    /// Returns bundled places that a filter accepts and of which a name begins with the words, the last of which may be
    /// incomplete; best first. It is for suggestions while somebody types: `search` tries what else the words may mean, which
    /// takes up to 0.3 s.
    package func places(
        beginningWith text: String,
        within filter: SearchFilter,
        language: Language,
        limit: Int
    ) throws -> [Place] {
        let asked = NameQuery(text.nameWords, in: [], mustBegin: true)
        guard !asked.name.isEmpty else { return [] }
        let home = home.map { ($0, UnitVector($0)) }
        let ranking = Ranking(
            near: nil, home: home, language: language, names: names(in: language), limit: limit, filter: filter)
        return try merge(sift(candidates(asked, .asWritten, ranking), by: [], ranking, mustMatch: true), [], ranking)
    }

    private func byPostalCode(_ digits: String, _ ranking: Ranking) -> [BundledMatch] {
        guard (2...5).contains(digits.utf8.count) else { return [] }
        let worth = Ranking.worth(ofCode: "00000", typed: digits)
        let found = names.places(withPostalCode: digits, atMost: 2_000)
            .filter { ranking.filter.allows($0, of: places) }
            .map { BundledMatch(place: $0, score: worth + importance($0, ranking), isWhole: false) }
        return unique(found.sorted { $0.score > $1.score }, ranking.limit)
    }

    private func unique(_ matches: [BundledMatch], _ limit: Int) -> [BundledMatch] {
        var seen: Set<Int> = []
        var result: [BundledMatch] = []
        for match in matches where result.count < limit && seen.insert(match.place).inserted { result.append(match) }
        return result
    }
}

/// A name that contains all words of a query.
struct BundledMatch {
    let place: Int
    var score: Float
    /// Whether the query equals the whole name, without typos.
    let isWhole: Bool
}

extension Gazetteer {
    /// Returns the names that contain every word, best first, up to the capacity of the pool.
    private func candidates(_ asked: NameQuery, _ spelling: Spelling, _ ranking: Ranking) -> [BundledMatch] {
        let (words, names) = (asked.name, ranking.names)
        let meant = words.enumerated().map { variants($1, isLast: $0 == words.count - 1, spelling, names) }
        var pool = Pool(capacity: ranking.pool)
        if words.count == 1 {
            // A query of one or two letters is treated as the beginning of a name, not as a word anywhere in it.
            let length = words[0].utf8.count
            let mustBegin = asked.mustBegin || length <= 2
            let people = length == 1 ? Self.peopleForOneLetter : 0
            forEachPosting(of: meant[0], in: names, isFirst: true) { posting, quality in
                if mustBegin && posting.position > 0 { return }
                if people > 0 && places.population(names.place(ofName: posting.name)) < people { return }
                offer(posting.name, quality, 1, ranking, to: &pool)
            }
        } else {
            for (name, quality) in common(meant, in: names, mustBegin: asked.mustBegin) {
                offer(name, quality, words.count, ranking, to: &pool)
            }
        }
        return pool.matches
    }

    /// The minimum population of places that a single letter finds, because tens of thousands of names begin with each
    /// letter.
    private static let peopleForOneLetter = 5_000

    /// Returns the names that contain each word in one of its variants, with the sum of the qualities. Starts with the
    /// rarest word, because only the names that contain it have to be kept.
    private func common(_ meant: [[NameIndex.Word]], in names: NameIndex, mustBegin: Bool) -> [Int: Float] {
        let order = meant.indices.sorted { names.postingCount(meant[$0]) < names.postingCount(meant[$1]) }
        var found: [Int: (quality: Float, words: Int)] = [:]
        for (step, word) in order.enumerated() {
            forEachPosting(of: meant[word], in: names, isFirst: word == 0) { posting, quality in
                if mustBegin && word == 0 && posting.position > 0 { return }
                if step == 0 {
                    if found[posting.name] == nil { found[posting.name] = (quality, 1) }
                } else if let known = found[posting.name], known.words == step {
                    found[posting.name] = (known.quality + quality, step + 1)
                }
            }
        }
        return found.filter { $0.value.words == meant.count }.mapValues(\.quality)
    }

    /// - Parameter isFirst: Whether it is the first word of the query, which scores 0.1 higher at the beginning of a
    ///   name.
    private func forEachPosting(
        of variants: [NameIndex.Word],
        in names: NameIndex,
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

    /// Returns the words of the index that a word of the query may stand for, best first.
    private func variants(_ word: String, isLast: Bool, _ spelling: Spelling, _ names: NameIndex) -> [NameIndex.Word] {
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

    private func offer(_ name: Int, _ quality: Float, _ wordCount: Int, _ ranking: Ranking, to pool: inout Pool) {
        guard ranking.filter.allows(ranking.names.place(ofName: name), of: places) else { return }
        pool.insert(match(name, quality, wordCount, ranking))
    }

    private func match(_ name: Int, _ quality: Float, _ wordCount: Int, _ ranking: Ranking) -> BundledMatch {
        let names = ranking.names
        let share = quality / Float(wordCount)
        let coverage = Float(wordCount) / Float(max(wordCount, names.wordCount(ofName: name)))
        let place = names.place(ofName: name)
        // The first words of a name mean it rather than the beginning of another word: San Donà is not San Donaci.
        let areFirst = quality > Float(wordCount)
        let score =
            3 * share + (areFirst ? max(coverage, Self.firstWords) : coverage) - (names.isAlternate(name) ? 0.1 : 0)
            + importance(place, ranking)
        return BundledMatch(place: place, score: score, isWhole: coverage == 1 && quality >= Float(wordCount))
    }

    private static let firstWords: Float = 0.7

    /// Returns the score for population, kind, country and distance, on a scale where a perfect match of the name
    /// scores 4.
    private func importance(_ place: Int, _ ranking: Ranking) -> Float {
        let kind = places.kind(place)
        let country =
            switch kind {
            case .comune, .locality, .province, .region: "IT"
            case .town, .admin, .country: places.countryCode(places.country(place))
            }
        let kilometres = ranking.centre.map { $0.1.squaredChord(to: places.vector(place)).squareRoot() * 6_371 }
        return ranking.importance(of: kind, population: places.population(place), country, kilometres)
    }
}

/// The best matches seen so far, best first.
private struct Pool {
    let capacity: Int
    private(set) var matches: [BundledMatch] = []

    init(capacity: Int) {
        self.capacity = capacity
    }

    mutating func insert(_ match: BundledMatch) {
        if matches.count == capacity, let last = matches.last, last.score >= match.score { return }
        matches.insert(match, at: matches.partitioningIndex { $0.score < match.score })
        if matches.count > capacity { matches.removeLast() }
    }
}

extension Gazetteer {
    /// Ranks matches inside the areas of the query first; with `mustMatch`, returns only those.
    private func sift(
        _ matches: [BundledMatch],
        by areas: [String],
        _ ranking: Ranking,
        mustMatch: Bool
    ) throws -> [BundledMatch] {
        var matcher = AreaMatcher(self, areas, ranking.names)
        var sifted: [BundledMatch] = []
        for var match in matches {
            let missing = try matcher.missing(match.place)
            if missing > 0, mustMatch { continue }
            match.score -= 2 * Float(missing)
            sifted.append(match)
        }
        sifted.sort { ($0.score, $1.place) > ($1.score, $0.place) }
        return unique(sifted, ranking.limit)
    }
}
