import Foundation

/// The colours of the coat that a text names.
package struct ColourReading: Equatable, Sendable {
    /// One bit for each colour of `ColourReader.names`.
    package var colours: UInt16 = 0
    /// The colours that others may call one of these.
    package var close: UInt16 = 0
    /// The number of the first colour, counted from 1; 0 if no colour is said.
    package var first: UInt8 = 0
}

/// Reads the colours of coats in all languages. A compound such as "tricolore" or "salt and pepper" is the set of its
/// parts.
package struct ColourReader: Sendable {
    /// The first one is black, the second one white.
    package let names: [String]
    /// The colours of each word and phrase, as positions in `names`.
    private let phrases: [String: [UInt8]]
    /// The words with which phrases begin.
    private let firstWords: Set<String>
    private let maxPhraseWords: Int
    /// The phrases that tell the whole coat, such as "black and tan".
    package let compounds: Set<String>
    /// The words that mean one of several colours, such as "beige".
    package let choices: Set<String>
    /// The words that may be misspelt.
    private let long: [(letters: [UInt8], colours: [UInt8])]
    /// Words that are like those for colours by chance, and mean none: the German "grosse" is not "rosse".
    private let others: Set<String>
    private let tan, fawn: UInt8
    /// For each colour, those that others may call it.
    private let close: [UInt16]

    private static let table = Bundle.module.table("colours")
    private static let words = Language.tables("colours").map(\.table)

    /// The bytes of the tables, which change with what is read.
    package static var bytes: [UInt8] { table.bytes + words.flatMap(\.bytes) }

    package init() {
        let names = Self.table.rows.map { String($0[0]) }
        func positions(_ list: Substring) -> [UInt8] {
            list.split { " /".contains($0) }.compactMap { name in names.firstIndex { $0 == name }.map(UInt8.init) }
        }
        var phrases: [String: [UInt8]] = [:]
        var compounds: Set<String> = []
        var choices: Set<String> = []
        var others: Set<String> = []
        for words in Self.words {
            // A word of several languages means what it does in the first of them.
            let known = Set(phrases.keys)
            for row in words.rows {
                let own = row[1].split(separator: "|").map(String.init).filter { !known.contains($0) }
                if row[0] == "none" {
                    others.formUnion(own)
                    continue
                }
                for phrase in own { phrases[phrase] = positions(row[0]) }
                if row[0].contains(" ") { compounds.formUnion(own) }
                if row[0].contains("/") { choices.formUnion(own) }
            }
        }
        (self.compounds, self.choices, self.others) = (compounds, choices, others)
        (tan, fawn) = (positions("tan").first ?? 0, positions("fawn").first ?? 0)
        close = Self.table.rows.map { row in positions(row[1]).reduce(0) { $0 | 1 << UInt16($1) } }
        firstWords = Set(phrases.keys.compactMap { $0.split(separator: " ").first.map(String.init) })
        maxPhraseWords = phrases.keys.map { $0.split(separator: " ").count }.max() ?? 1
        // Sorted, so that of two words that are equally like a misspelt one the same is taken in all runs.
        long = phrases.filter { !$0.key.contains(" ") && $0.key.utf8.count >= 4 }.sorted { $0.key < $1.key }
            .map { (Array($0.key.utf8), $0.value) }
        (self.names, self.phrases) = (names, phrases)
    }

    /// Reads the colours for matches, for which fawn is tan.
    package func read(_ text: String) -> ColourReading {
        var reading = ColourReading()
        for found in found(in: text) {
            for colour in found {
                let colour = colour == fawn ? tan : colour
                reading.colours |= 1 << UInt16(colour)
                if reading.first == 0 { reading.first = colour + 1 }
            }
        }
        for (colour, mask) in close.enumerated() where reading.colours & 1 << UInt16(colour) != 0 {
            reading.close |= mask
        }
        return reading
    }

    /// Returns the names of all colours that a text tells. A word for one of several colours tells all of them.
    package func names(in text: String) -> Set<String> {
        Set(found(in: text, withChoices: true).flatMap { $0.map { names[Int($0)] } })
    }

    /// Returns the colours of each word or phrase.
    ///
    /// - Parameter withChoices: whether words for one of several colours give all of them, or the last one.
    private func found(in text: String, withChoices: Bool = false) -> [[UInt8]] {
        var all: [[UInt8]] = []
        var rest = text.foldedWords()[...]
        while let word = rest.first {
            let known = phrase(in: rest)
            let found = known.flatMap { phrases[$0.text] } ?? colours(ofUnknown: word) ?? []
            let isChoice = known.map { choices.contains($0.text) } ?? false
            all.append(!withChoices && isChoice ? Array(found.suffix(1)) : found)
            rest = rest.dropFirst(known?.length ?? 1)
        }
        return all
    }

    /// The folded words and phrases for colours.
    package var allPhrases: [String] { Array(phrases.keys) }

    /// Returns the names of the colours that a folded phrase means; nil if it means none.
    package func colours(ofPhrase phrase: String) -> Set<String>? {
        phrases[phrase].map { Set($0.map { names[Int($0)] }) }
    }

    /// Returns the colours of the longest phrase at the beginning of folded words, with its number of words.
    package func longestPhrase(_ words: some Collection<String>) -> (colours: Set<String>, length: Int)? {
        guard let (phrase, length) = phrase(in: words) else { return nil }
        return colours(ofPhrase: phrase).map { ($0, length) }
    }

    /// Returns the longest phrase at the beginning.
    private func phrase(in words: some Collection<String>) -> (text: String, length: Int)? {
        guard let word = words.first, firstWords.contains(word) else { return nil }
        for length in stride(from: min(words.count, maxPhraseWords), to: 0, by: -1) {
            let phrase = words.prefix(length).joined(separator: " ")
            if phrases[phrase] != nil { return (phrase, length) }
        }
        return nil
    }

    private func colours(ofUnknown word: String) -> [UInt8]? {
        guard word.utf8.count >= 5, !others.contains(word) else { return nil }
        // "Greyish" and "tannish" are grey and tan.
        for length in [3, 4] where word.hasSuffix("ish") {
            if let colours = phrases[String(word.dropLast(length))] { return colours }
        }
        let bytes = Array(word.utf8)
        return long.lazy.filter { isOneEdit(bytes, $0.letters) }.map(\.colours)
            .min { ($0.first ?? 0, $0.count) < ($1.first ?? 0, $1.count) }
    }
}
