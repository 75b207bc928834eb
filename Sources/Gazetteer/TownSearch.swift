public import Domain

/// Decides whether a name is that of one town. Nothing is guessed here: what is misspelt or ambiguous becomes a question.
extension Gazetteer {
    /// How many times as important as the next town of the same name a town has to be to be taken without a question:
    /// Paris is the capital of France, and Syracuse could be in Sicily or in New York.
    private static let dominance = 5.0
    /// How much more important a town in Italy is for readers of Italian than a town abroad of the same population.
    private static let home = 100.0
    /// In metres.
    private static let homeRadius = 60_000.0
    private static let maxCandidates = 8
    private static let towns = SearchFilter(levels: [.locality, .comune])
    private static let enclosing = SearchFilter(levels: [.comune, .province, .region, .country])
    private static let areas = SearchFilter(levels: [.province, .region, .country])

    /// Finds the town that listings mean by a name such as "Fisciano", "Fisciano (SA)" or "Fisciano, Salerno".
    ///
    /// A complete name, without typos, is taken if it has one bearer or if one of them is by far the most important.
    /// Municipalities come before hamlets of the same name. Names and codes of countries, regions and provinces are not
    /// those of towns elsewhere: Salerno is a town in its province, but Lombardia is not the town in Mexico.
    public func town(named name: String, language: Language) throws -> TownMatch {
        var exact = try exactMatches(name, Self.towns, language)
        let areas = try areas(called: name, language)
        if !areas.isEmpty { exact.removeAll { town in town.level != .comune || !areas.contains { $0.contains(town) } } }
        let municipalities = exact.filter { $0.level == .comune }
        let bearers = (municipalities.isEmpty ? exact : municipalities)
            .sorted { Self.weight($0, language) > Self.weight($1, language) }
        if let first = bearers.first {
            let next = bearers.dropFirst().first.map { Self.weight($0, language) }
            let dominates = next.map { Self.weight(first, language) >= Self.dominance * $0 } ?? true
            if bearers.count == 1 || dominates && !municipalities.isEmpty { return .town(first) }
        }
        return .unclear(candidates: try candidates(nearestFirst(bearers, of: exact), in: areas, name, language))
    }

    /// Returns the bearers of a name near the site's users, hamlets as well, and then the other ones that are compared.
    private func nearestFirst(_ bearers: [Place], of all: [Place]) -> [Place] {
        guard let home else { return bearers }
        let isNear = { (town: Place) in Geodesic.metres(from: home, to: town.coordinate) <= Self.homeRadius }
        let near = bearers.filter(isNear)
        return near + all.filter { isNear($0) && !near.contains($0) } + bearers.filter { !isNear($0) }
    }

    static func weight(_ place: Place, _ language: Language) -> Double {
        Double(max(place.population ?? 0, 1))
            * (place.countryCode.map { $0 == language.properties.country } == true ? home : 1)
    }

    /// Returns the places of this name, followed by the results of a search that allows typos and beginnings of names, and by
    /// places that have the name besides their own: San Giovanni Rotondo comes before Samo, a part of which is San Giovanni.
    /// The name or code of areas is followed by towns in them, those that give their names to provinces first.
    private func candidates(
        _ exact: [Place],
        in areas: [Place],
        _ name: String,
        _ language: Language
    ) throws -> [Place] {
        let typed = name.folded
        let isOwnName = { (place: Place) in place.name.map { typed.hasPrefix($0.folded) } ?? false }
        var found = exact.filter(isOwnName)
        for area in areas.prefix(Self.maxCandidates) where area.level == .province {
            found += try exactMatches(area.name ?? "", Self.towns, language).filter(area.contains)
        }
        let similar = try search(name, within: Self.towns, near: nil, language: language, limit: Self.maxCandidates)
        found += areas.isEmpty ? similar : similar.filter { town in areas.contains { $0.contains(town) } }
        found += exact.filter { !isOwnName($0) }
        var names: Set<String> = []
        return Array(found.filter { names.insert($0.fullName).inserted }.prefix(Self.maxCandidates))
    }

    /// Returns the places with exactly this name, in any language of the index; words after a comma, in brackets or at
    /// the end may name areas that contain them.
    private func exactMatches(_ name: String, _ filter: SearchFilter, _ language: Language) throws -> [Place] {
        let pieces = SearchQuery(name).pieces
        guard let first = pieces.first else { return [] }
        let asked = NameQuery(first, in: pieces.dropFirst().flatMap { $0 }, mustBegin: false)
        // "Provincia di Salerno" is not the town.
        if let kind = asked.kind, filter.levels?.contains(kind.level) == false { return [] }
        // All bearers of a name are compared.
        var ranking = Ranking(
            near: nil, home: nil, language: language, names: names(in: language), limit: 100, filter: filter)
        for reading in readings(of: asked, ranking) {
            ranking.preferred = reading.kind
            let bundled = try findWhole(reading, ranking)
            let key = reading.name.joined(separator: " ")
            let imported = try findImported(reading, ranking, isStrict: true).filter { $0.found.key == key }
            let found = try inside(
                asked.name.dropFirst(reading.name.count), try merge(bundled, imported, ranking), language)
            if !found.isEmpty { return found }
        }
        return []
    }

    /// Returns the places in areas whose whole names or codes are the words behind their name, without a comma: the first one of
    /// "Del Valle" is no hamlet in the Valle d'Aosta.
    private func inside(_ words: ArraySlice<String>, _ found: [Place], _ language: Language) throws -> [Place] {
        guard !words.isEmpty, !found.isEmpty else { return found }
        func areas(_ name: String) throws -> [Place] {
            if Self.code(name).utf8.count == 2 { return try self.areas(called: name, language) }
            return try exactMatches(name, Self.enclosing, language)
        }
        let whole = try areas(words.joined(separator: " "))
        if !whole.isEmpty { return found.filter { place in whole.contains { $0.contains(place) } } }
        let each = try words.map(areas)
        return found.filter { place in each.allSatisfy { $0.contains { $0.contains(place) } } }
    }

    /// Returns the countries, regions and provinces with this name or code.
    private func areas(called name: String, _ language: Language) throws -> [Place] {
        let code = Self.code(name)
        guard code.utf8.count == 2 else { return try exactMatches(name, Self.areas, language) }
        let all = [PlaceTable.Kind.province, .country].flatMap(places.range).compactMap { places.place($0, language) }
        return all.filter { $0.provinceCode == code || $0.level == .country && $0.countryCode == code }
    }

    private static func code(_ name: String) -> String { name.nameWords.joined(separator: " ").uppercased() }
}

extension Place {
    /// Returns whether the area contains a place, by the names of areas.
    fileprivate func contains(_ place: Place) -> Bool {
        guard countryCode == place.countryCode else { return false }
        return switch level {
        case .country: true
        case .region: region == place.region
        case .province, .comune, .locality: provinceCode == place.provinceCode && province == place.province
        }
    }
}
