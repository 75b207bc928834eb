import Domain
import Foundation

/// The words of texts, folded, for looking up several.
struct FoldedWords {
    /// In UTF-8, with a space before and after each word, a line feed between texts, and a zero at the end.
    private let bytes: [UInt8]

    private static let space = UInt8(ascii: " ")
    private static let lineFeed = UInt8(ascii: "\n")
    /// The number of other words that may stand among those of a phrase: "il labrador di mio zio, nero".
    private static let gap = 3

    init(_ texts: [String?]) {
        var bytes = [Self.space]
        for folded in texts.compactMap({ $0?.folded }) where !folded.isEmpty {
            bytes += folded.utf8
            bytes += [Self.space, Self.lineFeed, Self.space]
        }
        bytes.append(0)
        self.bytes = bytes
    }

    /// Returns whether the texts contain all words, anywhere.
    func contain(_ words: [SearchWord]) -> Bool { words.allSatisfy(contains) }

    /// Returns whether one of the texts contains all words of a phrase near each other, in any order.
    func contain(phrase: [SearchWord]) -> Bool {
        guard contain(phrase) else { return false }
        guard phrase.count > 1 else { return true }
        return Stemmer.with { stemmer in
            var recent: [Int?] = Array(repeating: nil, count: phrase.count)
            for (position, word) in bytes.split(separator: Self.space).enumerated() {
                if word.first == Self.lineFeed { recent = recent.map { _ in nil } }
                for (index, wanted) in phrase.enumerated() where wanted.isFound(in: word, stemmer) {
                    recent[index] = position
                }
                let oldest = recent.reduce(Int?.some(position)) { first, one in one.flatMap { min(first ?? $0, $0) } }
                if !recent.contains(nil), let oldest, position - oldest < phrase.count + Self.gap { return true }
            }
            return false
        }
    }

    private func contains(_ word: SearchWord) -> Bool {
        contains(" " + word.text + (word.isBeginning ? "" : " ")) || word.stem.map(containsWord(withStem:)) ?? false
    }

    private func contains(_ part: String) -> Bool {
        bytes.withUnsafeBytes { bytes in
            bytes.assumingMemoryBound(to: CChar.self).baseAddress.flatMap { strstr($0, part) } != nil
        }
    }

    /// Returns whether a word has the stem. Only words that begin like the stem have to be stemmed.
    private func containsWord(withStem stem: String) -> Bool {
        let stem = Array(stem.utf8)
        return bytes.withUnsafeBufferPointer { bytes in
            Stemmer.with { stemmer in
                // The last byte is the zero.
                let end = bytes.count - 1
                var start = 0
                while start < end {
                    var next = start
                    while next < end, bytes[next] != Self.space { next += 1 }
                    let word = UnsafeBufferPointer(rebasing: bytes[start..<next])
                    if Stemmer.mayBeStem(stem, of: word), stemmer.stem(of: word)?.elementsEqual(stem) == true {
                        return true
                    }
                    start = next + 1
                }
                return false
            }
        }
    }
}

extension SearchWord {
    /// Returns whether a folded word of a text is this one.
    fileprivate func isFound(in word: ArraySlice<UInt8>, _ stemmer: Stemmer) -> Bool {
        let own = text.utf8
        if isBeginning ? word.starts(with: own) : word.elementsEqual(own) { return true }
        guard let stem, Stemmer.mayBeStem(stem.utf8, of: word) else { return false }
        return stemmer.stem(of: word)?.elementsEqual(stem.utf8) ?? false
    }
}

/// The folded words of a listing's texts, computed on first use.
package final class ListingWords {
    private static let searched = ListingField.allCases.filter(\.definition.isSearched)

    private let row: ListingRow
    private(set) lazy var all = FoldedWords(Self.searched.map(row.string) + [row.string(.province)])
    private(set) lazy var breed = FoldedWords([row.string(.breed)])

    /// - Parameter row: must remain the current row of its statement as long as words are read.
    package init(_ row: ListingRow) {
        self.row = row
    }
}
