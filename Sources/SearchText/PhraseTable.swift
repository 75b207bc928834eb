import Domain

/// A folded word with its stem, by which other forms of it are found.
package struct StemmedWord: Sendable {
    package let text: String
    /// The word itself if it is short or has none.
    let stem: String

    init(_ text: String) {
        self.text = text
        stem = text.utf8.count < 3 ? text : text.stem ?? text
    }
}

extension Collection<StemmedWord> {
    /// The words with a space between them.
    var phrase: String { count == 1 ? self[startIndex].text : lazy.map(\.text).joined(separator: " ") }

    var stems: String { count == 1 ? self[startIndex].stem : lazy.map(\.stem).joined(separator: " ") }
}

extension String {
    /// The words of a folded text with their stems.
    package var stemmedWords: [StemmedWord] { split(separator: " ").map { StemmedWord(String($0)) } }
}

/// Phrases with values, found also with other endings of their words.
package struct PhraseTable<Value: Sendable>: Sendable {
    private let exact: [String: Value]
    private let byStems: [String: Value]
    /// The words and stems with which phrases begin, so that most words cost one look-up.
    private let first: Set<String>
    /// In words.
    private let maxLength: Int

    /// In letters: short words have the stems of others by chance: the name Bella that of "bell".
    private static var minInflected: Int { 5 }

    /// - Parameters:
    ///   - values: by folded phrases.
    ///   - exact: by folded phrases that are not found with other endings.
    ///   - combine: joins the values of a phrase of both.
    package init(
        _ values: [String: Value],
        exact: [String: Value] = [:],
        combine: (Value, Value) -> Value = { first, _ in first }
    ) {
        self.exact = values.merging(exact, uniquingKeysWith: combine)
        byStems = Dictionary(
            values.sorted { $0.key < $1.key }.filter { $0.key.utf8.count >= Self.minInflected }
                .map { ($0.key.stemmedWords.stems, $0.value) }
        ) { first, _ in first }
        first = Set(
            (Array(self.exact.keys) + byStems.keys).compactMap { $0.split(separator: " ").first.map(String.init) })
        maxLength = self.exact.keys.map { $0.split(separator: " ").count }.max() ?? 1
    }

    var phrases: [String] { Array(exact.keys) }

    /// Returns the value of the longest phrase at the beginning of the words.
    package func longest(_ words: ArraySlice<StemmedWord>) -> (value: Value, length: Int)? {
        guard let word = words.first, first.contains(word.text) || first.contains(word.stem) else { return nil }
        for length in stride(from: min(words.count, maxLength), to: 0, by: -1) {
            let own = words.prefix(length)
            if let value = self[own] { return (value, length) }
        }
        return nil
    }

    /// The value of a phrase.
    subscript(words: ArraySlice<StemmedWord>) -> Value? {
        let phrase = words.phrase
        return exact[phrase] ?? (phrase.utf8.count >= Self.minInflected ? byStems[words.stems] : nil)
    }
}
