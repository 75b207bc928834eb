import Foundation

/// What a text tells of the colour of the coat.
package struct ColourReading: Equatable, Sendable {
    /// One bit for each colour of `ColourReader.names`.
    package var colours: UInt16 = 0
    /// The colours that others may call one of these.
    package var close: UInt16 = 0
    /// The number of the first colour, counted from 1; 0 if no colour is said.
    package var first: UInt8 = 0
}

/// Reads the colours of coats in English and Italian. A compound such as "tricolore" or "salt and pepper" is the set of its
/// parts.
package struct ColourReader: Sendable {
    /// The first one is black, the second one white.
    package let names: [String]
    /// The colours of each word and phrase, as positions in `names`.
    private let phrases: [String: [UInt8]]
    private let maxPhraseWords: Int
    /// The words that may be misspelt.
    private let long: [(letters: [UInt8], colours: [UInt8])]
    /// For each colour, those that others may call it.
    private let close: [UInt16]

    private static let table = Bundle.module.table("colours")

    /// The bytes of the table, which change with what is read.
    package static var bytes: [UInt8] { table.bytes }

    package init() {
        let single = Self.table.rows.filter { !$0[0].contains(" ") }
        let names = single.map { String($0[0]) }
        func positions(_ list: Substring) -> [UInt8] {
            list.split(separator: " ").compactMap { name in names.firstIndex { $0 == name }.map(UInt8.init) }
        }
        var phrases: [String: [UInt8]] = [:]
        for row in Self.table.rows {
            for phrase in row[1].split(separator: "|") { phrases[String(phrase)] = positions(row[0]) }
        }
        close = single.map { row in positions(row[2]).reduce(0) { $0 | 1 << UInt16($1) } }
        maxPhraseWords = phrases.keys.map { $0.split(separator: " ").count }.max() ?? 1
        // Sorted, so that of two words that are equally like a misspelt one the same is taken in all runs.
        long = phrases.filter { !$0.key.contains(" ") && $0.key.utf8.count >= 4 }.sorted { $0.key < $1.key }
            .map { (Array($0.key.utf8), $0.value) }
        (self.names, self.phrases) = (names, phrases)
    }

    package func read(_ text: String) -> ColourReading {
        var reading = ColourReading()
        var rest = text.foldedWords()[...]
        while let word = rest.first {
            let length = length(ofPhraseIn: rest)
            let found = length > 0 ? phrases[rest.prefix(length).joined(separator: " ")] : colours(ofUnknown: word)
            for colour in found ?? [] {
                reading.colours |= 1 << UInt16(colour)
                if reading.first == 0 { reading.first = colour + 1 }
            }
            rest = rest.dropFirst(max(1, length))
        }
        for (colour, mask) in close.enumerated() where reading.colours & 1 << UInt16(colour) != 0 {
            reading.close |= mask
        }
        return reading
    }

    /// Returns the number of words of the longest phrase at the beginning; 0 if there is none.
    private func length(ofPhraseIn words: ArraySlice<String>) -> Int {
        stride(from: min(words.count, maxPhraseWords), to: 0, by: -1).first { length in
            phrases[words.prefix(length).joined(separator: " ")] != nil
        } ?? 0
    }

    private func colours(ofUnknown word: String) -> [UInt8]? {
        guard word.utf8.count >= 5 else { return nil }
        // "Greyish" and "tannish" are grey and tan.
        for length in [3, 4] where word.hasSuffix("ish") {
            if let colours = phrases[String(word.dropLast(length))] { return colours }
        }
        let bytes = Array(word.utf8)
        return long.lazy.filter { isOneEdit(bytes, $0.letters) }.map(\.colours)
            .min { ($0.first ?? 0, $0.count) < ($1.first ?? 0, $1.count) }
    }
}
