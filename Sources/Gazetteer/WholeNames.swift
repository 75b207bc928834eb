public import Domain

/// Looks up whole names only, in some microseconds, for texts in which any words may be a name.
extension Gazetteer {
    private static let named = SearchFilter(levels: [.comune, .province, .region, .country])

    public func places(called name: String, language: Language) throws -> [Place] {
        let words = name.nameWords
        guard !words.isEmpty else { return [] }
        let names = names(in: language)
        let bundled = Set(names.names(of: words).map(names.place(ofName:)))
            .filter { Self.named.allows($0, of: places) }.sorted()
            .map { BundledMatch(place: $0, score: 0, isWhole: true) }
        var ranking = Ranking(
            near: nil, home: nil, language: language, names: names, limit: 100, filter: Self.named)
        let asked = NameQuery(words, in: [], mustBegin: false)
        ranking.preferred = asked.kind
        let key = words.joined(separator: " ")
        let imported = try findImported(asked, ranking, isStrict: true).filter { $0.found.key == key }
        guard !bundled.isEmpty || !imported.isEmpty else { return [] }
        return try merge(bundled, imported, ranking)
            .sorted { Self.weight($0, language) > Self.weight($1, language) }
    }
}

extension NameIndex {
    /// Returns the names that consist of exactly these words.
    func names(of words: [String]) -> [Int] {
        let found = words.map { exact($0).map(\.postings) }
        return [false, true].flatMap { added in
            named(by: found.map { ranges in ranges.first { areAdded($0) == added } ?? 0..<0 })
        }
    }

    /// - Parameter ranges: the postings of each word.
    private func named(by ranges: [Range<Int>]) -> [Int] {
        guard let rarest = ranges.indices.min(by: { ranges[$0].count < ranges[$1].count }) else { return [] }
        return ranges[rarest].compactMap { index in
            let posting = posting(index)
            guard posting.position == rarest, wordCount(ofName: posting.name) == ranges.count else { return nil }
            let hasOthers = ranges.indices.allSatisfy { position in
                position == rarest || contains(UInt32(posting.name << 4 | position), in: ranges[position])
            }
            return hasOthers ? posting.name : nil
        }
    }

    /// The postings of a word are sorted.
    private func contains(_ value: UInt32, in postings: Range<Int>) -> Bool {
        let number = postings.partitioningIndex { posting($0).value >= value }
        return number < postings.upperBound && posting(number).value == value
    }
}
