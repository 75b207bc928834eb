import Domain
import Foundation

/// A result and how well it matches; a perfect match of the name is worth 4.
struct ScoredPlace {
    let place: Place
    let score: Float
}

/// Names of what was imported, matched and ranked as those of the tables are.
extension Gazetteer {
    /// How many of the most populous are looked at, of those whose names begin alike.
    private static let importedPool = 100
    /// How many words near a misspelt one are looked up.
    private static let mostSpellings = 20
    /// Metres within which a place of one name is one place.
    private static let sameReach = 15_000.0
    /// What a word is worth that stands in another of the place's names.
    private static let otherName: Float = 0.85

    func findImported(
        _ words: [String],
        in context: [String],
        _ ranking: Ranking,
        isStrict: Bool
    ) throws -> [ScoredPlace] {
        guard let imported else { return [] }
        let codes = words.filter(isNumber)
        let (name, kind) = withoutGeneric(words.filter { !isNumber($0) })
        var ranking = ranking
        ranking.preferred = kind
        guard !name.isEmpty else { return try byImportedCode(codes.first, ranking) }
        let areas = (context + codes).filter { !isNumber($0) || $0.utf8.count == 5 }
        let found = try isStrict ? asWritten(name, imported) : misspelt(name, imported)
        return try sift(found, words: name, areas, ranking, mustMatch: isStrict)
    }

    /// The better of both; of one place in both, the tables' tells more.
    func merge(_ bundled: [ScoredPlace], _ imported: [ScoredPlace], _ limit: Int) -> [Place] {
        var seen = Dictionary(grouping: bundled.map(\.place), by: \.identity)
        var result = bundled
        for found in imported {
            let identity = found.place.identity
            let isKnown = seen[identity, default: []].contains { known in
                // A city has many postal codes.
                (known.postalCode == nil || found.place.postalCode == nil || known.postalCode == found.place.postalCode)
                    && Geodesic.metres(from: known.coordinate, to: found.place.coordinate) < Self.sameReach
            }
            guard !isKnown else { continue }
            seen[identity, default: []].append(found.place)
            result.append(found)
        }
        return result.sorted { $0.score > $1.score }.prefix(limit).map(\.place)
    }

    private func byImportedCode(_ digits: String?, _ ranking: Ranking) throws -> [ScoredPlace] {
        guard let digits, digits.utf8.count >= 2, let imported else { return [] }
        return try imported.places(withPostalCode: digits, atMost: Self.importedPool)
            .map { ScoredPlace(place: present($0, ranking), score: importance($0, ranking)) }
    }

    private func asWritten(_ words: [String], _ source: any PlaceSource) throws -> [ImportedPlace] {
        let spellings = words.enumerated().map { position, word in
            [word] + (position == words.count - 1 ? [] : SearchQuery.expansions[word] ?? [])
        }
        return try source.places(called: words.joined(separator: " "), atMost: Self.importedPool)
            + source.places(bearing: spellings, isUnfinished: true, atMost: Self.importedPool)
    }

    private func misspelt(_ words: [String], _ source: any PlaceSource) throws -> [ImportedPlace] {
        let near = try words.map { try spellings(of: $0, source) }
        return try source.places(bearing: near, isUnfinished: false, atMost: Self.importedPool)
    }

    /// The words that begin with the same letter and are spelt nearly so, the nearest first.
    private func spellings(of word: String, _ source: any PlaceSource) throws -> [String] {
        let key = Array(word.utf8)
        guard let letter = word.unicodeScalars.first, key.count > 3 else { return [word] }
        let limit = key.count < 8 ? 1 : 2
        var distance = EditDistance(key, limit: limit)
        var near: [(edits: Int, word: String)] = []
        try source.words(beginning: String(letter)) { other in
            guard abs(other.count - key.count) <= limit, distance.advance(to: other, shared: 0) == nil else { return }
            guard distance.distance <= limit else { return }
            near.append((distance.distance, String(decoding: other, as: UTF8.self)))
        }
        return near.sorted { $0 < $1 }.prefix(Self.mostSpellings).map(\.word)
    }

    private struct Identity: Hashable {
        let key: String
        let point: Coordinate
    }

    private func sift(
        _ found: [ImportedPlace],
        words: [String],
        _ areas: [String],
        _ ranking: Ranking,
        mustMatch: Bool
    ) throws -> [ScoredPlace] {
        var seen: Set<Identity> = []
        let matches = found.filter { seen.insert(Identity(key: $0.key, point: $0.place.coordinate)).inserted }
            .map { (place: $0, score: score($0, words, ranking)) }
        let best = matches.sorted { $0.score > $1.score }
        // What a place is part of costs a look-up, so without areas to match only the best are completed.
        let wanted = areas.isEmpty ? best.prefix(2 * ranking.limit) : best[...]
        return wanted.compactMap { match in
            let place = present(match.place, ranking)
            let missing = areas.count { !place.lies(in: $0) }
            if missing > 0, mustMatch { return nil }
            return ScoredPlace(place: place, score: match.score - 2 * Float(missing))
        }
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
        let kilometres = ranking.near.map { Geodesic.metres(from: $0.0, to: found.place.coordinate) / 1_000 }
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
        return ranking.importance(of: kind, population: found.place.population ?? 0, isItalian, kilometres)
    }

    /// With what the tables tell of its surroundings.
    private func present(_ found: ImportedPlace, _ ranking: Ranking) -> Place {
        var place = found.place
        let around = tables(place.coordinate, ranking.language, 0).place
        let isSure = found.level == .settlement || found.level == .postalCode || found.agrees(with: around)
        if isSure, place.countryCode == nil || place.countryCode == around.countryCode {
            place.country = around.country
            place.countryCode = around.countryCode
            if found.level < .region { place.region = place.region ?? around.region }
            if found.level < .province {
                place.province = place.province ?? around.province
                place.provinceCode = place.provinceCode ?? around.provinceCode
            }
        } else if let country = place.countryCode.flatMap(places.country(code:)) {
            places.describeCountry(country, ranking.language, of: &place)
        }
        if found.level == .settlement || found.level == .postalCode { name(found, around, &place) }
        if let near = ranking.near { place.distance = Geodesic.metres(from: near.0, to: place.coordinate) }
        return place
    }

    /// A settlement of Italy is part of a comune; elsewhere it is the town itself.
    private func name(_ found: ImportedPlace, _ around: Place, _ place: inout Place) {
        guard around.countryCode == "IT", let comune = around.comune else {
            place.comune = found.name
            return
        }
        place.comune = comune
        place.comuneCode = around.comuneCode
        place.postalCode = place.postalCode ?? around.postalCode
        place.locality = found.name.folded == comune.folded ? nil : found.name
    }
}

extension Place {
    /// Its country and the name it goes by: alike for two places only where they may be one.
    fileprivate var identity: [String] {
        [countryCode ?? "", (locality ?? comune ?? province ?? region ?? country ?? "").folded]
    }

    /// Whether a folded word names an area it lies in; an area may be abbreviated, but not to a letter or two.
    fileprivate func lies(in word: String) -> Bool {
        let names = [locality, comune, province, provinceCode, region, country, countryCode, postalCode]
        return names.compactMap { $0 }.flatMap(SearchQuery.words).contains { known in
            known == word || word.utf8.count >= 3 && known.hasPrefix(word)
        }
    }
}
