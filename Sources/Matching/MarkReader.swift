import Domain

/// Reads the words that tell marks and collars apart, such as "scar", "microfibra" and "red harness".
struct MarkReader: Sendable {
    static let maxWords = 16
    /// Words that say nothing of one animal, of all languages.
    private static let plainWords = Set(
        Language.tables("plain-words").flatMap(\.table.rows).flatMap { $0[1].split(separator: "|").map(String.init) })

    func read(_ texts: [String]) -> SIMD16<UInt32> {
        var hashes = Set<UInt32>()
        for text in texts {
            for word in text.foldedWords(maxLength: 700, maxCount: 100)
            where word.utf8.count >= 3 && !Self.plainWords.contains(word) && hashes.count < Self.maxWords {
                // Endings of number and gender differ between two people.
                hashes.insert(max(1, stableHash(word.utf8.count > 4 ? word.dropLast().utf8 : word[...].utf8)))
            }
        }
        var marks = SIMD16<UInt32>()
        for (index, hash) in hashes.sorted().enumerated() { marks[index] = hash }
        return marks
    }
}
