/// The list of breeds, with look-ups by key, by name and in what people write.
package struct Breeds: Sendable {
    /// In the order of the table.
    package let all: [Breed]
    /// The position of a breed by each of its folded names.
    let positions: [String: Int]
    private let keys: [String: Int]
    let search: BreedSearch
    package let reader: BreedReader
    private let nameIndex: BreedNameIndex
    /// The positions of the types of each breed.
    private var types: [[Int]]

    init(_ breeds: [Breed], keys: [String: Int], positions: [String: Int]) {
        all = breeds
        self.keys = keys
        self.positions = positions
        search = BreedSearch(breeds)
        reader = BreedReader(breeds)
        nameIndex = BreedNameIndex(breeds)
        types = Array(repeating: [], count: breeds.count)
        for (type, breed) in breeds.enumerated() where breed.isType {
            let named = Set(breed.typeNames.flatMap { nameIndex.positions(of: $0, asBeginnings: false) })
            for position in named where !breeds[position].isType { types[position].append(type) }
        }
    }

    func position(key: String) -> Int? { keys[key] }

    func types(of position: Int) -> [Int] { types[position] }

    package func breed(key: String) -> Breed? {
        keys[key].map { all[$0] }
    }

    /// Returns the breed with exactly this name, ignoring case, accents and punctuation.
    ///
    /// Returns nil for "Labrador mix": a cross does not belong to its parent's breed, so such a text stays free text.
    package func breed(named name: String) -> Breed? {
        positions[name.folded].map { all[$0] }
    }

    /// Returns the breeds that a text finds by which listings are filtered.
    ///
    /// The text finds the breed that it names and every breed whose English or Italian name contains its words. Words of
    /// a text that names no breed may be beginnings. A text without such a breed is read as those of listings are.
    package func group(named text: String) -> BreedGroup {
        let named = breed(key: text) ?? breed(named: text)
        var found = Set(named.flatMap { keys[$0.key] }.map { [$0] } ?? [])
        if named?.isType != true, named?.key != Breed.mixedKey {
            found.formUnion(nameIndex.positions(of: text.folded, asBeginnings: named == nil))
        }
        if found.isEmpty { found = Set(reader.read(text).breeds.map(Int.init)) }
        let whole = found.filter { position in !types[position].contains { found.contains($0) } }
        return BreedGroup(named: named, breeds: whole.sorted().map { all[$0] }, text: found.isEmpty ? text.folded : nil)
    }

    /// Returns the only breed of a species with all words of a text in its name.
    func breed(with text: String, of species: Species) -> Breed? {
        let found = nameIndex.positions(of: text.folded, asBeginnings: false).map { all[$0] }.filter {
            $0.species == species
        }
        return found.count == 1 ? found.first : nil
    }

    /// Whether a folded word occurs in names of breeds, and says something of an animal on its own.
    package func isPartOfNames(_ word: String) -> Bool {
        word.utf8.count >= 4 && !BreedReader.plainWords.contains(word)
            && !nameIndex.positions(of: word, asBeginnings: false).isEmpty
    }

    /// Returns breeds for a partly typed name, best matches first: whole names, then beginnings of words, then
    /// misspellings. Among equal matches, names in the given language come first, then frequent breeds. An empty text
    /// returns the most frequent breeds.
    package func search(_ text: String, language: Language, species: Species? = nil, limit: Int) -> [Breed] {
        search.positions(of: text, language: language, species: species, limit: limit).map { all[$0] }
    }
}
