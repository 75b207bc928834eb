package import Domain
import Synchronization

/// All words that have a meaning in searches, made once for a table of breeds.
package struct SearchVocabulary: Sendable {
    package let breeds: Breeds
    let colours: ColourReader
    /// A phrase with a meaning for the stems of its words: "smarrito" for "smarr".
    private let byStems: [String: String]
    /// In words: the longest phrase that begins with a word or a stem.
    private let lengths: [String: Int]
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
        let long = phrases.filter { $0.utf8.count >= Self.minMisspeltLength }.map { ($0.stemmedWords.stems, $0) }
        byStems = Dictionary(long) { first, _ in first }
        lengths = Self.lengths(of: phrases + SearchWords.shared.entries.keys, breeds.reader.short)
        let single = Set(
            (phrases + SearchWords.shared.synonyms.flatMap(\.phrases)).flatMap { $0.split(separator: " ") }.filter {
                $0.utf8.count >= Self.minMisspeltLength
            })
        words = single.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// - Parameter short: the words for which short ones stand.
    private static func lengths(of phrases: [String], _ short: [String: [String]]) -> [String: Int] {
        var lengths: [String: Int] = [:]
        func add(_ phrase: String, with others: Int = 0) {
            let words = phrase.stemmedWords
            let length = words.count > 1 ? words.count + others : 1
            for first in words.prefix(1).flatMap({ [$0.text, $0.stem] }) {
                lengths[first] = max(lengths[first] ?? 0, length)
            }
        }
        for phrase in phrases { add(phrase) }
        for phrase in MarkReader.shared.phrases { add(phrase, with: MarkReader.maxIntensifiers) }
        for (word, long) in short { lengths[word] = max(lengths[word] ?? 0, long.first.flatMap { lengths[$0] } ?? 0) }
        return lengths
    }

    /// Returns the number of words that a phrase which begins with the word may have, at least one.
    func maxLength(ofPhraseFrom word: StemmedWord) -> Int {
        max(lengths[word.text] ?? 1, lengths[word.stem] ?? 1)
    }

    /// Returns a phrase with a meaning of which the words have the stems of folded ones.
    ///
    /// - Returns: nil for stems themselves: "ross" is a word that is still being typed.
    func phrase(like words: ArraySlice<StemmedWord>) -> String? {
        let stems = words.stems
        return stems == words.phrase ? nil : byStems[stems]
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
