/// The list of breeds, with look-ups by key, by name and in descriptions.
package struct Breeds: Sendable {
    /// In the order of the table.
    package let all: [Breed]
    /// The position of a breed by each of its folded names.
    let positions: [String: Int]
    private let keys: [String: Int]
    private let maxNameLength: Int
    let search: BreedSearch
    private let nameIndex: BreedNameIndex

    init(_ breeds: [Breed], keys: [String: Int], positions: [String: Int]) {
        all = breeds
        self.keys = keys
        self.positions = positions
        maxNameLength = positions.keys.map { $0.split(separator: " ").count }.max() ?? 0
        search = BreedSearch(breeds)
        nameIndex = BreedNameIndex(breeds)
    }

    package func breed(key: String) -> Breed? {
        keys[key].map { all[$0] }
    }

    /// Returns the breed with exactly this name, ignoring case, accents and punctuation.
    ///
    /// Returns nil for "Labrador mix": a cross does not belong to its parent's breed, so such a text stays free text.
    package func breed(named name: String) -> Breed? {
        positions[name.folded].map { all[$0] }
    }

    /// Returns the breeds and the texts of breeds that a text finds by which listings are filtered.
    ///
    /// The text finds the breed that it names and every breed whose English or Italian name contains its words. Words of
    /// a text that names no breed may be beginnings. A type is found by its name in each language.
    package func group(named text: String) -> BreedGroup {
        let named = breed(key: text) ?? breed(named: text)
        var texts = named?.typeNames ?? []
        let isType = !texts.isEmpty
        if !isType { texts = [text.folded] }
        let positions = texts.reduce(into: Set<Int>()) { found, text in
            found.formUnion(nameIndex.positions(of: text, asBeginnings: named == nil))
        }
        var found = positions.sorted().map { all[$0] }
        if let named, !found.contains(named) { found.append(named) }
        let isSingle = named != nil && found.count == 1 && !isType
        return BreedGroup(named: named, breeds: found, texts: isSingle ? [] : texts)
    }

    /// Returns the breeds that a free text mentions, for filtering. "Labrador mix" and "incrocio di labrador" mention
    /// the Labrador; "Lab X Shep" and "Boxer/Beagle" mention two breeds each.
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

    /// Returns breeds for a partly typed name, best matches first: whole names, then beginnings of words, then
    /// misspellings. Among equal matches, names in the given language come first, then frequent breeds. An empty text
    /// returns the most frequent breeds.
    package func search(_ text: String, language: Language, species: Species? = nil, limit: Int) -> [Breed] {
        search.positions(of: text, language: language, species: species, limit: limit).map { all[$0] }
    }

    /// Returns the longest breed names in a sequence of words, from left to right.
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

/// Words that say that an animal is a cross, folded.
let crossWords: Set<Substring> = [
    "mix", "mixed", "x", "cross", "crossed", "crossbreed", "incrocio", "incrociato", "incrociata", "simil", "tipo",
    "type", "meticcio", "meticcia",
]

/// Words that connect such a word with the names of the parents' breeds, folded.
let joiningWords: Set<Substring> = ["di", "tra", "con", "e", "of", "with", "and", "a", "un", "una", "breed"]
