public import Domain
import Foundation

extension Gazetteer {
    /// Finds places by name: comuni, hamlets, provinces, regions, countries, towns abroad and postal codes, both
    /// bundled (Italy) and imported.
    ///
    /// Case, accents and punctuation are ignored, the last word may be incomplete, and longer words may contain one or
    /// two typos. Text after a comma or in brackets names an area that contains the place: `Fisciano (SA)`. Any text is
    /// accepted; long text is truncated.
    ///
    /// - Parameter near: A position. Nearer places rank higher, and their `distance` in metres is set.
    /// - Returns: The places, best first; empty if nothing matches.
    /// - Throws: Errors of the source of imported places, if there is one.
    public func search(_ text: String, near: Coordinate? = nil, language: Language, limit: Int = 10) throws -> [Place] {
        try search(text, within: SearchFilter(), near: near, language: language, limit: limit)
    }

    /// Finds places that a filter accepts. The limit applies to the accepted places only.
    package func search(
        _ text: String,
        within filter: SearchFilter,
        near: Coordinate?,
        language: Language,
        limit: Int
    ) throws -> [Place] {
        guard limit > 0 else { return [] }
        var ranking = Ranking(
            near: near.map { ($0, UnitVector($0)) },
            home: home.map { ($0, UnitVector($0)) },
            language: language,
            names: names(in: language),
            limit: min(limit, 100),
            filter: filter
        )
        let query = SearchQuery(text)
        let found = try results(query, ranking, isStrict: true)
        guard found.isEmpty else { return found }
        if filter.isLimiting {
            // If the text matches exactly outside of the filter, it is not misspelt.
            ranking.filter = SearchFilter(isFirstPiece: filter.isFirstPiece)
            guard try results(query, ranking, isStrict: true).isEmpty else { return [] }
            ranking.filter = filter
        }
        return try results(query, ranking, isStrict: false)
    }

    /// - Parameter isStrict: Whether typos are excluded and every area in the query must contain the place.
    private func results(_ query: SearchQuery, _ ranking: Ranking, isStrict: Bool) throws -> [Place] {
        let pieces = query.pieces
        for start in ranking.filter.isFirstPiece ? pieces.indices.prefix(1) : pieces.indices {
            let context = pieces[(start + 1)...].flatMap { $0 }
            // A piece after a comma is taken as a place only if a name begins with it, which excludes codes (IL) and
            // areas (Bayern).
            let asked = NameQuery(pieces[start], in: context, mustBegin: start > 0)
            let found = try results(asked, ranking, isStrict: isStrict)
            if !found.isEmpty { return found }
        }
        return []
    }

    private func results(_ asked: NameQuery, _ ranking: Ranking, isStrict: Bool) throws -> [Place] {
        for reading in isStrict ? try orderedReadings(of: asked, ranking) : [asked] {
            var ranking = ranking
            ranking.preferred = reading.kind
            let bundled = try find(reading, ranking, isStrict: isStrict)
            let found = try merge(bundled, findImported(reading, ranking, isStrict: isStrict), ranking)
            if !found.isEmpty { return found }
        }
        return []
    }

    /// Returns what a text may mean, likeliest first.
    func readings(of asked: NameQuery, _ ranking: Ranking) -> [NameQuery] {
        [asked.unabridged].compactMap(\.self) + [asked] + splits(of: asked, ranking)
    }

    /// Returns the readings, those first that are the whole name of a place in the province whose sign follows: in "Rho MI",
    /// MI is not the beginning of a word of a longer name.
    private func orderedReadings(of asked: NameQuery, _ ranking: Ranking) throws -> [NameQuery] {
        var readings = readings(of: asked, ranking)
        if let whole = asked.unabridged, try findWhole(whole, ranking).isEmpty { readings.removeFirst() }
        guard asked.name.last?.utf8.count == 2, asked.name.count > 1 else { return readings }
        let inProvince = asked.split(asked.name.count - 1)
        guard try findWhole(asked, ranking).isEmpty, try !findWhole(inProvince, ranking).isEmpty else {
            return readings
        }
        return [inProvince] + readings
    }

    /// Returns readings in which the last words name an area although no comma precedes them: `Fisciano SA`.
    private func splits(of asked: NameQuery, _ ranking: Ranking) -> [NameQuery] {
        // The index contains the names of all bundled areas, so an unknown word names no area. Province codes are not
        // in the index.
        guard let last = asked.name.last,
            last.utf8.count < 3 || imported != nil || !ranking.names.prefixed(last).isEmpty
        else { return [] }
        return stride(from: asked.name.count - 1, to: 0, by: -1).map(asked.split)
    }
}

/// The parameters of a search that influence the ranking.
struct Ranking {
    let near: (Coordinate, UnitVector)?
    /// Where the site's users are.
    let home: (Coordinate, UnitVector)?
    let language: Language
    /// The names in this language.
    let names: NameIndex
    let limit: Int
    var filter: SearchFilter
    /// The kind of place that the query names, for example with "provincia di".
    var preferred: PlaceTable.Kind?

    /// The position near which places rank higher.
    var centre: (Coordinate, UnitVector)? { near ?? home }

    /// The number of candidates that are kept before they are sorted by the areas in the query.
    var pool: Int { max(400, limit) }

    /// Returns the score of a place apart from its name, in the unit of match scores.
    func importance(of kind: PlaceTable.Kind, population: Int, _ country: String, _ kilometres: Double?) -> Float {
        var result = 0.22 * log10(Float(population + 1))
        if kind == preferred { result += 1 }
        switch kind {
        case .comune, .country: result += 0.3
        case .region: result += 0.2
        case .town: break
        case .locality: result -= 0.1
        case .province, .admin: result -= 0.3
        }
        if country == language.properties.country {
            result += 0.6
        } else if country == "IT" {
            result += 0.1
        }
        if let kilometres { result -= 0.35 * log1p(Float(kilometres) / 20) }
        return result
    }

    /// Returns the score of a partly typed postal code. A complete code ranks above any name.
    static func worth(ofCode code: String, typed: String) -> Float {
        let share = Float(typed.utf8.count) / Float(max(1, code.utf8.count))
        return share < 1 ? 2 * share : 6
    }
}
