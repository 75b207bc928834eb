import Domain

/// The words by which columns of files are recognised, those of all languages: `import-columns.tsv`.
enum ImportWords {
    private static let rows = Language.tables("import-columns").flatMap(\.table.rows)

    /// Returns the words of a kind with what they mean, in the order of the languages. Of a word with several meanings, the first
    /// counts.
    static func meanings(_ kind: String) -> [(word: String, meaning: String)] {
        var seen: Set<Substring> = []
        return rows.filter { $0[0] == kind }.flatMap { row in
            row[2].split(separator: "|").filter { seen.insert($0).inserted }.map { (String($0), String(row[1])) }
        }
    }

    /// Returns the words of a kind by what they mean, in the order of the rows.
    static func groups(_ kind: String) -> [(meaning: String, words: Set<String>)] {
        var groups: [(meaning: String, words: Set<String>)] = []
        for (word, meaning) in meanings(kind) {
            if let index = groups.firstIndex(where: { $0.meaning == meaning }) {
                groups[index].words.insert(word)
            } else {
                groups.append((meaning, [word]))
            }
        }
        return groups
    }

    static func words(_ kind: String) -> Set<String> { Set(meanings(kind).map(\.word)) }
}
