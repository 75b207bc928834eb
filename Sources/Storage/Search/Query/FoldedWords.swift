import Domain
import Foundation

/// The words of texts, folded, for looking up several.
struct FoldedWords {
    /// In UTF-8, with a space before and after each word, and a zero at the end.
    private let bytes: [UInt8]

    private static let space = UInt8(ascii: " ")

    init(_ texts: [String?]) {
        var bytes = [Self.space]
        for folded in texts.compactMap({ $0?.folded }) where !folded.isEmpty {
            bytes += folded.utf8
            bytes.append(Self.space)
        }
        bytes.append(0)
        self.bytes = bytes
    }

    func contain(_ words: [SearchWord]) -> Bool { words.allSatisfy(contains) }

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
        Stemmer.with { stemmer in
            bytes.dropLast().split(separator: Self.space).contains { word in
                Stemmer.mayBeStem(stem.utf8, of: word) && stemmer.stem(of: word)?.elementsEqual(stem.utf8) == true
            }
        }
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
