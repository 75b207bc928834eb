import Domain

/// Reads the words that tell marks and collars apart, such as "scar", "microfibra" and "red harness".
struct MarkReader: Sendable {
    static let maxWords = 16
    /// Words that say nothing of one animal, in English and Italian.
    private static let plainWords: Set<String> = [
        "the", "and", "with", "has", "his", "her", "its", "dog", "cat", "cane", "gatto", "collar", "collare", "very",
        "small", "large", "white", "black", "brown", "mark", "marks", "segni", "segno", "con", "una", "uno", "del",
        "della", "sul", "sulla", "nel", "alla", "non", "per", "che", "was", "not", "from", "wearing", "indossa",
        "porta",
        "ha", "without", "senza", "none", "nessuno", "nessun", "unknown", "name", "nome", "tag", "medaglietta",
        "left", "right", "sinistra", "destra", "front", "back", "little", "piccolo", "piccola", "long", "short",
        "little", "some", "one", "two", "due", "both",
    ]

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
