import Domain
import SQL

/// Whether words are on the board, for errors of typing.
extension ListingSearch {
    /// The maximum number of similar words.
    private static let maxSimilarWords = 8
    /// The lengths of words that are proposed: many short words are one letter apart.
    private static let similarLengths = 5...20

    /// Returns whether a search for a folded word finds an open listing.
    package func isOnBoard(word: String) throws -> Bool {
        var query = ListingQuery()
        query.text = word
        query.limit = 1
        return try !findKeys(query).isEmpty
    }

    /// Returns words in the texts of open listings that differ from a folded word in one letter, which is wrong, missing or
    /// added, or in two neighbours that are swapped: words of 5 to 20 letters from a to z, at most eight, in the order of
    /// the alphabet.
    package func similarWords(to word: String) throws -> [String] {
        let variants = Self.variants(of: Array(word.utf8)).filter { Self.similarLengths.contains($0.utf8.count) }
            .sorted()
        guard !variants.isEmpty else { return [] }
        return try database.readNow { db in
            try Array(db.searchEngine.wordsOnBoard(among: variants, db).sorted().prefix(Self.maxSimilarWords))
        }
    }

    /// Returns all texts of letters that are one edit away, some hundred.
    private static func variants(of word: [UInt8]) -> Set<String> {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard word.count <= similarLengths.upperBound + 1, word.allSatisfy(letters.contains) else { return [] }
        var variants: Set<[UInt8]> = []
        for place in 0...word.count {
            let (start, end) = (word[..<place], word[place...])
            for letter in letters {
                variants.insert(start + [letter] + end)
                if !end.isEmpty { variants.insert(start + [letter] + end.dropFirst()) }
            }
            if !end.isEmpty { variants.insert(Array(start + end.dropFirst())) }
            if end.count > 1 { variants.insert(start + [word[place + 1], word[place]] + end.dropFirst(2)) }
        }
        variants.remove(word)
        return Set(variants.map { String(decoding: $0, as: UTF8.self) })
    }
}
