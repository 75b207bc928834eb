/// Matches partly typed text with all names of all breeds.
struct BreedSearch: Sendable {
    /// The quality of a match; smaller is better.
    private struct Rank: Comparable {
        /// 0: the name itself; 1: its beginning; 2: beginnings of its words; 3 and more: each typing error adds one.
        var quality: Int
        var otherLanguage: Bool

        static func < (left: Rank, right: Rank) -> Bool {
            (left.quality, left.otherLanguage ? 1 : 0) < (right.quality, right.otherLanguage ? 1 : 0)
        }
    }

    private struct Name: Sendable {
        var folded: String
        var words: [Word]
        /// Nil for synonyms, which may be in any language.
        var language: Language?

        init(_ text: String, _ language: Language?) {
            folded = text.folded
            let parts = folded.split(separator: " ")
            words = parts.map { Word(Array($0.utf8)) }
            // Names such as "pitbull" and "jackrussell" are as often typed as one word as in two.
            if parts.count > 1 { words.append(Word(parts.flatMap(\.utf8))) }
            self.language = language
        }
    }

    private struct Entry: Sendable {
        var species: Species
        var frequency: Int
        var names: [Name]
    }

    private let entries: [Entry]

    init(_ breeds: [Breed]) {
        entries = breeds.map { breed in
            let names =
                Language.allCases.map { Name(breed.name(in: $0), $0) } + [Name(breed.key, nil)]
                + breed.synonyms.map { Name($0, nil) }
            return Entry(species: breed.species, frequency: breed.frequency, names: names)
        }
    }

    /// Allows misspellings only if nothing matches without them.
    func positions(of text: String, language: Language, species: Species?, limit: Int) -> [Int] {
        var query = Query(text)
        var found = matches(query, language, species)
        if found.isEmpty {
            query.allowsMisspelling = true
            found = matches(query, language, species)
        }
        // The position as the last criterion makes the order total.
        found.sort { left, right in
            if left.rank != right.rank { return left.rank < right.rank }
            let (more, less) = (entries[left.position].frequency, entries[right.position].frequency)
            return more == less ? left.position < right.position : more > less
        }
        return found.prefix(max(limit, 0)).map(\.position)
    }

    private func matches(_ query: Query, _ language: Language, _ species: Species?) -> [(rank: Rank, position: Int)] {
        entries.enumerated().compactMap { position, entry in
            guard species == nil || species == entry.species else { return nil }
            return rank(entry, query, language).map { ($0, position) }
        }
    }

    private func rank(_ entry: Entry, _ query: Query, _ language: Language) -> Rank? {
        if query.words.isEmpty { return Rank(quality: 0, otherLanguage: false) }
        return entry.names.compactMap { name in
            quality(name, query).map { Rank(quality: $0, otherLanguage: name.language != language) }
        }.min()
    }

    private func quality(_ name: Name, _ query: Query) -> Int? {
        if name.folded == query.text { return 0 }
        if name.folded.hasPrefix(query.text) { return 1 }
        var errors = 0
        for word in query.words {
            guard let fewest = query.minErrors(word, name.words) else { return joinedQuality(name, query) }
            errors += fewest
        }
        return 2 + errors
    }

    /// Compares the joined words: "shi tzu" has one error compared with "shihtzu", although "shi" and "tzu" do not
    /// match words of the name.
    private func joinedQuality(_ name: Name, _ query: Query) -> Int? {
        query.words.count > 1 ? query.minErrors(query.joined, name.words).map { $0 + 2 } : nil
    }
}

/// The typed text, without the words that only say that an animal is a cross.
private struct Query {
    let text: String
    let words: [Word]
    let joined: Word
    var allowsMisspelling = false

    private static func isOfCross(_ word: Substring) -> Bool {
        word == "type" || BreedReader.mixedWords.contains(String(word))
    }

    init(_ typed: String) {
        let all = typed.folded.split(separator: " ")
        let naming = all.filter { !Self.isOfCross($0) && !BreedReader.joiningWords.contains(String($0)) }
        let parts = all.contains(where: Self.isOfCross) && !naming.isEmpty ? naming : all
        text = parts.joined(separator: " ")
        words = parts.map { Word(Array($0.utf8)) }
        joined = Word(parts.flatMap(\.utf8))
    }

    func minErrors(_ word: Word, _ words: [Word]) -> Int? {
        let count = word.bytes.count
        let allowed = !allowsMisspelling || count < 4 ? 0 : count < 7 ? 1 : 2
        var fewest: Int?
        for candidate in words {
            if candidate.bytes.starts(with: word.bytes) { return 0 }
            guard allowed > 0, word.mayBegin(candidate, errors: allowed) else { continue }
            let distance = word.bytes.distance(toBeginningOf: candidate.bytes)
            if distance <= allowed, distance < fewest ?? .max { fewest = distance }
        }
        return fewest
    }
}

private struct Word: Sendable {
    let bytes: [UInt8]
    /// One bit for each letter that occurs.
    private let letters: UInt32

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        letters = bytes.reduce(0) { $0 | 1 << UInt32($1 & 31) }
    }

    /// A fast test before the distance is computed: each error can explain one letter that is missing in the other
    /// word.
    func mayBegin(_ other: Word, errors: Int) -> Bool {
        other.bytes.count + errors >= bytes.count && (letters & ~other.letters).nonzeroBitCount <= errors
    }
}

extension [UInt8] {
    /// Returns the minimum number of insertions, deletions, replacements and transpositions of adjacent letters that
    /// turn this word into a beginning of the other.
    fileprivate func distance(toBeginningOf word: [UInt8]) -> Int {
        let letters = Array(word.prefix(count + 2))
        var beforeLast: [Int] = []
        var last = [Int](0...letters.count)
        for (row, letter) in enumerated() {
            var next = [row + 1]
            for (column, other) in letters.enumerated() {
                var cost = Swift.min(last[column] + (letter == other ? 0 : 1), last[column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, letter == letters[column - 1], self[row - 1] == other {
                    cost = Swift.min(cost, beforeLast[column - 1] + 1)
                }
                next.append(cost)
            }
            (beforeLast, last) = (last, next)
        }
        return last.min() ?? count
    }
}
