import Domain

/// The words by which people describe what they look for, in all languages. The tables are files, one for each language.
struct SearchWords: Sendable {
    enum Kind: String {
        case species, status, sex, size, age, mixed
        /// Words for the coat, which lead to its colour.
        case coat
        /// The breeds that a word for several means, by their keys.
        case breeds
        /// Words before the name of an animal.
        case name
        /// A word between a thing and its colour.
        case material
        /// Things and parts of the body, whose colour is not that of the coat.
        case thing
        /// Colours that only things have.
        case tint
        /// Words that name no breed on their own, though they occur in names.
        case plain
        case joint
        case near, within, unit, from, province
        case `in`
        case nearBehind = "near-behind"
        case inBehind = "in-behind"
        case provinceBehind = "province-behind"
        /// Words that say nothing.
        case empty
    }

    /// A row of a table with one of its phrases.
    struct Entry: Sendable {
        let kind: Kind
        let value: String
        /// That of the phrase; nil if it is a word of crosses, which can be of several.
        let language: Language?

        /// Whether another one says the same in the same language.
        func says(_ other: Entry) -> Bool {
            kind == other.kind && value == other.value && language == other.language
        }
    }

    /// The entries of each folded phrase.
    let entries: [String: [Entry]]
    /// The number of words of the longest phrase.
    let longest: Int
    /// Names of marks, with phrases that mean them.
    let synonyms: [(name: String, phrases: [String])]

    /// Words that may stand within a mark: "il pelo molto lungo".
    let intensifiers: Set<String>
    /// How a distance from a place is written: "entro {n} km da {place}".
    let distances: [Language: String]

    static let shared = SearchWords()

    private init() {
        var entries: [String: [Entry]] = [:]
        var intensifiers: Set<String> = []
        var distances: [Language: String] = [:]
        for (language, table) in Language.tables("search-words") {
            for row in table.rows {
                let phrases = row[2].split(separator: "|").map(String.init)
                switch row[0] {
                case "intensifier": intensifiers.formUnion(phrases)
                case "distance": distances[language] = phrases.first
                default:
                    guard let kind = Kind(rawValue: String(row[0])) else {
                        preconditionFailure("search-words.tsv of \(language.code): \(row[0])")
                    }
                    let entry = Entry(kind: kind, value: String(row[1]), language: language)
                    for phrase in phrases where entries[phrase]?.contains(where: entry.says) != true {
                        entries[phrase, default: []].append(entry)
                    }
                }
            }
        }
        for word in BreedReader.mixedWords where entries[word]?.contains(where: { $0.kind != .plain }) != true {
            entries[word, default: []].append(Entry(kind: .mixed, value: "-", language: nil))
        }
        (self.entries, self.intensifiers, self.distances) = (entries, intensifiers, distances)
        longest = entries.keys.map { $0.split(separator: " ").count }.max() ?? 0
        synonyms = Language.tables("synonyms").flatMap(\.table.rows).map { row in
            (String(row[0]), row[1].split(separator: "|").map(String.init))
        }
    }

    func entries(_ phrase: String, _ kind: Kind) -> [Entry] { entries[phrase]?.filter { $0.kind == kind } ?? [] }
}

extension [SearchWords.Entry] {
    /// Whether a phrase is of a kind in each language in which it says something of an animal. "Cachorro" is no age: it is
    /// a puppy in Spanish, and any dog in Portuguese.
    func agree(on kind: SearchWords.Kind) -> Bool {
        let languages = Set(filter { $0.kind == kind }.map(\.language))
        return allSatisfy { $0.meaning == nil || languages.contains($0.language) }
    }
}
