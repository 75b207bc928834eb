import Domain
import SQL

/// The words on the board, for errors of typing and suggestions.
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

    /// The names of which the most frequent are returned: some hundred have the same two letters at the beginning.
    private static let maxNames = 500
    /// The number of listings up to which names are compared.
    private static let maxCounted = 20

    /// Returns folded words of animals' names on the board that begin with a folded text, the most frequent first.
    package func names(beginningWith beginning: String, limit: Int) throws -> [String] {
        var counts: [String: Int] = [:]
        try database.readNow { db in
            for status in Listing.Status.open {
                let kind = "\(status.rawValue) name:"
                // A facet stays when its last listing has gone.
                let found = try db.rows(
                    """
                    SELECT name, (
                        SELECT count(*) FROM (
                            SELECT 1 FROM listing_facet WHERE facet_id = known.id LIMIT \(Self.maxCounted)) AS few) AS listings
                    FROM (
                        SELECT id, name FROM facet WHERE name >= ? AND name < ? ORDER BY name LIMIT \(Self.maxNames)) AS known
                    """,
                    [kind + beginning, kind + beginning + "\u{10FFFF}"]
                ) { row in (name: try row[0] as String, count: try row[1] as Int) }
                for one in found where one.count > 0 {
                    counts[String(one.name.dropFirst(kind.count)), default: 0] += one.count
                }
            }
        }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(limit).map(\.key)
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
