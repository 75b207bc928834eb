import Domain
import Foundation

/// An imported place and its score; a perfect match of the name scores 4.
struct ImportedMatch {
    let found: ImportedPlace
    var score: Float
}

/// Search by name among imported places, with the same ranking as for the tables.
extension Gazetteer {
    /// The maximum number of places that one query of the source returns.
    private static let importedPool = 100
    /// The radius in metres of the additional search near the user, made if a prefix has more matches than the pool
    /// holds.
    private static let nearReach = 50_000.0
    /// The maximum number of matches whose enclosing areas are looked up.
    private static let maxPlaced = 50
    /// The maximum number of words that a misspelt word is replaced by.
    private static let maxSpellings = 20
    /// The maximum number of words in a postal code that stands beside a name.
    private static let wordsOfCode = 2
    /// The quality of a word that matches only another name of the place.
    private static let otherName: Float = 0.85

    func findImported(_ asked: NameQuery, _ ranking: Ranking, isStrict: Bool) throws -> [ImportedMatch] {
        guard let imported else { return [] }
        let coded = try isStrict ? byCode(asked, imported, ranking) : []
        guard coded.isEmpty, !asked.name.isEmpty, !asked.isSign else { return coded }
        let found = try isStrict ? asWritten(asked.name, imported, ranking) : misspelt(asked.name, imported)
        return try sift(found, asked, ranking, mustMatch: isStrict)
    }

    /// Returns matches for a postal code, either alone or before or after a name: `1012 AB Amsterdam`.
    private func byCode(_ asked: NameQuery, _ source: any PlaceSource, _ ranking: Ranking) throws -> [ImportedMatch] {
        let whole = try byCode(asked.words[...], besides: asked.areas, source, ranking)
        if !whole.isEmpty { return whole }
        for count in stride(from: Self.wordsOfCode, to: 0, by: -1) where count < asked.words.count {
            for code in [asked.words.prefix(count), asked.words.suffix(count)] {
                let rest = code.startIndex == 0 ? asked.words.dropFirst(count) : asked.words.dropLast(count)
                let found = try byCode(code, besides: rest + asked.areas, source, ranking)
                if !found.isEmpty { return found }
            }
        }
        return []
    }

    private func byCode(
        _ words: ArraySlice<String>,
        besides areas: [String],
        _ source: any PlaceSource,
        _ ranking: Ranking
    ) throws -> [ImportedMatch] {
        let typed = words.joined()
        guard typed.utf8.count >= 2, typed.utf8.contains(where: { (48...57).contains($0) }) else { return [] }
        var matcher = AreaMatcher(self, areas.filter { !words.contains($0) }, ranking.names)
        return try source.places(withPostalCode: typed, atMost: Self.importedPool).compactMap { found in
            guard try areas.isEmpty || matcher.missing(present(found, ranking)) == 0 else { return nil }
            let code = found.place.postalCode?.nameWords.joined() ?? ""
            return ImportedMatch(
                found: found,
                score: Ranking.worth(ofCode: code, typed: typed) + importance(found, ranking)
            )
        }
    }

    private func asWritten(_ words: [String], _ source: any PlaceSource, _ ranking: Ranking) throws -> [ImportedPlace] {
        let spellings = words.enumerated().map { position, word in
            [word] + (position == words.count - 1 ? [] : SearchQuery.expansions[word] ?? [])
        }
        let whole = try source.places(called: words.joined(separator: " "), atMost: Self.importedPool)
        let begun = try source.places(bearing: spellings, isUnfinished: true, atMost: Self.importedPool)
        guard let near = ranking.centre?.0, begun.count >= Self.importedPool else { return whole + begun }
        // The pool holds the most populous places, so a small place nearby may be missing.
        let around = try source.settlements(near: near, within: Self.nearReach, atMost: Self.importedPool)
        return whole + begun + around.filter { $0.bears(spellings) }
    }

    private func misspelt(_ words: [String], _ source: any PlaceSource) throws -> [ImportedPlace] {
        let near = try words.map { try spellings(of: $0, source) }
        return try source.places(bearing: near, isUnfinished: false, atMost: Self.importedPool)
    }

    /// Returns the words within the edit distance, nearest first: those with the same first two letters, otherwise
    /// those with the same first letter.
    private func spellings(of word: String, _ source: any PlaceSource) throws -> [String] {
        let limit = EditDistance.limit(forWord: word)
        guard limit > 0 else { return [word] }
        for letters in [2, 1] {
            let start = String(String.UnicodeScalarView(word.unicodeScalars.prefix(letters)))
            let near = try spellings(of: word, beginning: start, limit, source)
            if !near.isEmpty { return near }
        }
        return []
    }

    private func spellings(
        of word: String,
        beginning start: String,
        _ limit: Int,
        _ source: any PlaceSource
    ) throws -> [String] {
        var distance = EditDistance(Array(word.utf8), limit: limit)
        var near: [(edits: Int, word: String)] = []
        let count = word.unicodeScalars.count
        try source.words(beginning: start, lengths: count - limit...count + limit) { other in
            guard let edits = distance.move(to: other) else { return }
            near.append((edits, String(decoding: other, as: UTF8.self)))
        }
        return near.sorted { $0 < $1 }.prefix(Self.maxSpellings).map(\.word)
    }

    private struct Identity: Hashable {
        let key: String
        let point: Coordinate
    }

    private func sift(
        _ found: [ImportedPlace],
        _ asked: NameQuery,
        _ ranking: Ranking,
        mustMatch: Bool
    ) throws -> [ImportedMatch] {
        var seen: Set<Identity> = []
        var matches = found.filter { place in
            (!asked.mustBegin || place.key.hasPrefix(asked.name[0]))
                && seen.insert(Identity(key: place.key, point: place.place.coordinate)).inserted
        }
        .map { ImportedMatch(found: $0, score: score($0, asked.name, ranking)) }
        .sorted { $0.score > $1.score }
        guard !asked.areas.isEmpty else { return matches }
        var matcher = AreaMatcher(self, asked.areas, ranking.names)
        // Looking up the enclosing areas costs a query for each place.
        matches = try matches.prefix(Self.maxPlaced).compactMap { match in
            let missing = try matcher.missing(present(match.found, ranking))
            if missing > 0, mustMatch { return nil }
            return ImportedMatch(found: match.found, score: match.score - 2 * Float(missing))
        }
        return matches.sorted { $0.score > $1.score }
    }

    private func score(_ found: ImportedPlace, _ words: [String], _ ranking: Ranking) -> Float {
        let own = found.key.split(separator: " ").map(String.init)
        var quality: Float = own.first == words.first ? 0.1 : 0
        for word in words { quality += self.quality(of: word, in: own) }
        let coverage = Float(words.count) / Float(max(words.count, own.count))
        return 3 * quality / Float(words.count) + coverage + importance(found, ranking)
    }

    private func quality(of word: String, in own: [String]) -> Float {
        if own.contains(word) { return 1 }
        guard let longer = own.first(where: { $0.hasPrefix(word) }) else { return Self.otherName }
        return 0.6 + 0.3 * Float(word.utf8.count) / Float(longer.utf8.count)
    }

    private func importance(_ found: ImportedPlace, _ ranking: Ranking) -> Float {
        let kilometres = ranking.centre.map { Geodesic.metres(from: $0.0, to: found.place.coordinate) / 1_000 }
        let isItalian = found.place.countryCode == "IT"
        let kind: PlaceTable.Kind =
            switch found.level {
            case .country: .country
            case .region: .region
            case .province: .province
            case .comune: .comune
            case .settlement where !isItalian: .town
            case .settlement, .locality, .postalCode: .locality
            }
        return ranking.importance(
            of: kind, population: found.place.population ?? 0, found.place.countryCode ?? "", kilometres)
    }
}

extension ImportedPlace {
    /// Returns whether the place's name has one of the spellings of each word; the last word may be a prefix.
    fileprivate func bears(_ words: [[String]]) -> Bool {
        let own = key.split(separator: " ")
        return words.enumerated().allSatisfy { position, spellings in
            let isLast = position == words.count - 1
            return spellings.contains { spelling in
                own.contains { isLast ? $0.hasPrefix(spelling) : $0 == spelling }
            }
        }
    }
}
