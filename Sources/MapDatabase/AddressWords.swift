import SQL

/// The words that the places of an extract have, for searches.
struct AddressWords {
    private static let maxSimilar = 5

    private let db: SQLConnection

    init(_ db: SQLConnection) { self.db = db }

    /// Returns an FTS5 expression for places that have all words, of which one is in their name. Returns nil if no
    /// place has most of them. `left` is the number of words that were left out.
    ///
    /// Words that no place has are replaced by similar ones or left out; the last one may be incomplete.
    ///
    /// - Parameter isTolerant: whether words that a place has may stand for similar ones, too.
    func pattern(_ words: [String], isTolerant: Bool) throws -> (pattern: String, left: Int)? {
        var groups: [String] = []
        for (index, word) in words.enumerated() {
            if try isKnown(word) {
                let others = try isTolerant ? similar(to: word) : []
                groups.append("(" + ([word] + others).map { "\"\($0)\"" }.joined(separator: " OR ") + ")")
            } else if index == words.count - 1, word.count >= 3, try begins(word) {
                groups.append("\"\(word)\"*")
            } else {
                let similar = try similar(to: word)
                if !similar.isEmpty { groups.append("(" + similar.map { "\"\($0)\"" }.joined(separator: " OR ") + ")") }
            }
        }
        let left = words.count - groups.count
        guard groups.count > left else { return nil }
        return ("(names : (\(groups.joined(separator: " OR ")))) AND \(groups.joined(separator: " AND "))", left)
    }

    private func isKnown(_ word: String) throws -> Bool {
        // `place_word` would count the places of frequent words.
        try db.exists("SELECT 1 FROM place_text WHERE place_text MATCH ? LIMIT 1", ["\"\(word)\""])
    }

    private func begins(_ word: String) throws -> Bool {
        try db.exists("SELECT 1 FROM place_word WHERE term > ?1 AND term < ?1 || char(1114111) LIMIT 1", [word])
    }

    /// Returns words with the same first letter that differ in one letter, the most frequent first.
    private func similar(to word: String) throws -> [String] {
        guard word.count >= 4, let first = word.first, first.isLetter else { return [] }
        let candidates: [String] = try db.values(
            """
            SELECT term FROM place_word WHERE term > ?1 AND term < ?1 || char(1114111)
                AND length(term) BETWEEN ?2 AND ?3 ORDER BY doc DESC
            """,
            [String(first), word.count - 1, word.count + 1]
        )
        return Array(candidates.lazy.filter { word.differsByOneLetter(from: $0) }.prefix(Self.maxSimilar))
    }
}

extension String {
    /// Whether one letter is missing, added or another one, or two neighbours have changed places.
    fileprivate func differsByOneLetter(from other: String) -> Bool {
        let (first, second) = (Array(utf8), Array(other.utf8))
        let start = zip(first, second).prefix { $0 == $1 }.count
        let (rest, otherRest) = (first.dropFirst(start), second.dropFirst(start))
        if rest.dropFirst().elementsEqual(otherRest.dropFirst()) { return true }
        if rest.dropFirst().elementsEqual(otherRest) || rest.elementsEqual(otherRest.dropFirst()) { return true }
        return rest.count > 1 && otherRest.count > 1 && rest.prefix(2).elementsEqual(otherRest.prefix(2).reversed())
            && rest.dropFirst(2).elementsEqual(otherRest.dropFirst(2))
    }
}
