package import Domain
import Synchronization

/// All words that have a meaning in searches, made once for a table of breeds.
package struct SearchVocabulary: Sendable {
    package let breeds: Breeds
    let colours: ColourReader
    /// A phrase with a meaning for the stems of its words: "smarrito" for "smarr".
    private let byStems: [String: String]
    /// The words that may be misspelt, sorted.
    private let words: [[UInt8]]

    /// In letters: shorter words are like too many others.
    package static let minMisspeltLength = 5

    private static let made = Mutex<[UInt32: SearchVocabulary]>([:])

    /// Returns the vocabulary with these breeds.
    package static func shared(_ breeds: Breeds) -> SearchVocabulary {
        made.withLock { made in
            if let known = made[breeds.reader.fingerprint] { return known }
            let new = SearchVocabulary(breeds)
            made[breeds.reader.fingerprint] = new
            return new
        }
    }

    private init(_ breeds: Breeds) {
        self.breeds = breeds
        colours = ColourReader()
        let own = SearchWords.shared.entries.filter { $0.value.contains(where: \.kind.isInflected) }.keys
        let phrases = own.sorted() + colours.allPhrases.sorted() + breeds.reader.allNames.sorted()
        // Short words have the stems of others by chance: the name Bella that of "bell".
        let long = phrases.filter { $0.utf8.count >= Self.minMisspeltLength }
        byStems = Dictionary(long.compactMap { phrase in Self.stems(of: phrase).map { ($0, phrase) } }) { first, _ in
            first
        }
        let single = Set(
            (phrases + SearchWords.shared.synonyms.joined()).flatMap { $0.split(separator: " ") }.filter {
                $0.utf8.count >= Self.minMisspeltLength
            })
        words = single.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Returns a phrase with a meaning of which the words have the stems of a folded one.
    ///
    /// - Returns: nil for stems themselves: "ross" is a word that is still being typed.
    func phrase(like phrase: String) -> String? {
        guard let stems = Self.stems(of: phrase), stems != phrase else { return nil }
        return byStems[stems]
    }

    /// Returns nil if a word has no stem.
    private static func stems(of phrase: String) -> String? {
        let stems = phrase.split(separator: " ").map { word in word.utf8.count < 3 ? String(word) : word.stem ?? "" }
        return stems.allSatisfy { !$0.isEmpty } ? stems.joined(separator: " ") : nil
    }

    /// Returns the known word that a folded one stands for with one wrong, missing, added or swapped letter.
    package func correction(of word: String) -> String? {
        guard word.utf8.count >= Self.minMisspeltLength else { return nil }
        if let breed = breeds.reader.correction(of: word) { return breed }
        let letters = Array(word.utf8)
        return words.first { isOneEdit(letters, $0) }.map { String(decoding: $0, as: UTF8.self) }
    }
}

extension SearchWords.Kind {
    /// Whether other endings of the words mean the same.
    fileprivate var isInflected: Bool {
        switch self {
        case .species, .status, .sex, .size, .age, .mixed, .thing, .tint: true
        default: false
        }
    }
}
