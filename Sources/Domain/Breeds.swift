/// The breed list: finds breeds by key, by any name people type, and in what people describe.
package struct Breeds: Sendable {
    /// In the order of the table.
    package let all: [Breed]
    /// Every folded name with the position of its breed.
    let positions: [String: Int]
    private let keys: [String: Int]
    private let maxNameLength: Int
    let search: BreedSearch

    init(_ breeds: [Breed], keys: [String: Int], positions: [String: Int]) {
        all = breeds
        self.keys = keys
        self.positions = positions
        maxNameLength = positions.keys.map { $0.split(separator: " ").count }.max() ?? 0
        search = BreedSearch(breeds)
    }

    package func breed(key: String) -> Breed? {
        keys[key].map { all[$0] }
    }

    /// The breed that has exactly this name, whatever the case, accents and punctuation.
    ///
    /// "Labrador mix" has none: a cross is not of its parent's breed, and stays free text.
    package func breed(named name: String) -> Breed? {
        positions[name.folded].map { all[$0] }
    }

    /// The breeds a free text speaks of, for filtering: "Labrador mix" and "incrocio di labrador" mention the Labrador,
    /// "Lab X Shep" and "Boxer/Beagle" two breeds each.
    package func breeds(mentionedIn text: String) -> [Breed] {
        if let breed = breed(named: text) { return [breed] }
        var found: [Int] = []
        for piece in text.split(whereSeparator: { "/+&,;()".contains($0) }) {
            for position in mentions(in: piece.folded.split(separator: " ")) where !found.contains(position) {
                found.append(position)
            }
        }
        return found.map { all[$0] }
    }

    /// What is typed into a field, best first: whole names before beginnings of words, these before misspellings; names
    /// of the language before others, then the frequent before the rare. An empty text finds the most frequent.
    package func search(_ text: String, language: Language, species: Species? = nil, limit: Int) -> [Breed] {
        search.positions(of: text, language: language, species: species, limit: limit).map { all[$0] }
    }

    /// The longest names in a row of words, from the left.
    private func mentions(in words: [Substring]) -> [Int] {
        var found: [Int] = []
        var start = words.startIndex
        while start < words.endIndex {
            let match =
                crossWords.contains(words[start]) ? nil : maxMentionLength(in: words[start...].prefix(maxNameLength))
            if let match { found.append(match.position) }
            start += match?.length ?? 1
        }
        return found
    }

    private func maxMentionLength(in words: ArraySlice<Substring>) -> (position: Int, length: Int)? {
        for length in stride(from: words.count, to: 0, by: -1) {
            if let position = positions[words.prefix(length).joined(separator: " ")] { return (position, length) }
        }
        return nil
    }
}

/// What says that an animal is a cross, folded.
let crossWords: Set<Substring> = [
    "mix", "mixed", "x", "cross", "crossed", "crossbreed", "incrocio", "incrociato", "incrociata", "simil", "tipo",
    "type", "meticcio", "meticcia",
]

/// What stands between such a word and a cross's parents, folded.
let joiningWords: Set<Substring> = ["di", "tra", "con", "e", "of", "with", "and", "a", "un", "una", "breed"]
