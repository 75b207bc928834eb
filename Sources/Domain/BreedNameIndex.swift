/// Finds breeds by words of their names in all languages.
struct BreedNameIndex: Sendable {
    private struct Entry: Sendable {
        let word: String
        /// The numbers of the names that contain the word; a breed has one number for each language.
        var names: Set<Int>
    }

    /// Sorted by word.
    private let entries: [Entry]
    /// The number of names that a breed can have.
    private static let most = Language.allCases.count

    init(_ breeds: [Breed]) {
        var words: [String: Set<Int>] = [:]
        for (position, breed) in breeds.enumerated() {
            for (number, name) in breed.names.enumerated() {
                for word in name.folded.split(separator: " ") {
                    words[String(word), default: []].insert(Self.most * position + number)
                }
            }
        }
        entries = words.map { Entry(word: $0.key, names: $0.value) }.sorted { $0.word < $1.word }
    }

    /// Returns the positions of the breeds of which a name contains all words of a folded text.
    ///
    /// - Parameter asBeginnings: whether words of three letters and more may be beginnings.
    func positions(of text: String, asBeginnings: Bool) -> Set<Int> {
        var found: Set<Int>?
        for word in text.split(separator: " ") {
            let isBeginning = asBeginnings && word.unicodeScalars.count >= 3
            let names = names(with: word, isBeginning: isBeginning)
            found = found?.intersection(names) ?? names
        }
        return Set((found ?? []).map { $0 / Self.most })
    }

    private func names(with word: Substring, isBeginning: Bool) -> Set<Int> {
        let start = entries.partitioningIndex { $0.word >= word }
        return entries[start...].prefix { isBeginning ? $0.word.hasPrefix(word) : $0.word == word }
            .reduce(into: []) { $0.formUnion($1.names) }
    }
}

extension RandomAccessCollection where Index == Int {
    /// Returns the index of the first element that fulfils a condition which all later elements fulfil, too; the end if none does.
    @inlinable
    package func partitioningIndex(where isBehind: (Element) throws -> Bool) rethrows -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if try isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
