public import Domain
import Foundation

extension Gazetteer {
    /// Places by name: comuni, hamlets, provinces, regions, countries, towns abroad, and postal codes: Italy's and imported ones.
    ///
    /// Case, accents and punctuation do not matter, the last word may be unfinished, longer words may have a typo or two,
    /// and what follows a comma or stands in brackets says where: `Fisciano (SA)`. Any text is safe; of a long one the
    /// beginning counts.
    ///
    /// - Parameter near: nearer places rank higher, and their `distance` in metres is filled in.
    /// - Returns: the best first; none where nothing matches.
    /// - Throws: what the source of imported places throws; nothing without one.
    public func search(_ text: String, near: Coordinate? = nil, language: Language, limit: Int = 10) throws -> [Place] {
        try search(text, within: SearchFilter(), near: near, language: language, limit: limit)
    }

    /// The same among the places that a filter lets through: as many of those as there are, however few of the name.
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
            language: language,
            limit: min(limit, 100),
            filter: filter
        )
        let query = SearchQuery(text)
        let found = try results(query, ranking, isStrict: true)
        guard found.isEmpty else { return found }
        if filter.isLimiting {
            // What is there elsewhere is no misspelling.
            ranking.filter = SearchFilter(isFirstPiece: filter.isFirstPiece)
            guard try results(query, ranking, isStrict: true).isEmpty else { return [] }
            ranking.filter = filter
        }
        return try results(query, ranking, isStrict: false)
    }

    /// - Parameter isStrict: no typos, and every area named must hold the place.
    private func results(_ query: SearchQuery, _ ranking: Ranking, isStrict: Bool) throws -> [Place] {
        let pieces = query.pieces
        for start in ranking.filter.isFirstPiece ? pieces.indices.prefix(1) : pieces.indices {
            let context = pieces[(start + 1)...].flatMap { $0 }
            // What follows a comma is a place itself only where a name begins so: not IL, not Bayern.
            let asked = NameQuery(pieces[start], in: context, mustBegin: start > 0)
            let found = try results(asked, ranking, isStrict: isStrict)
            if !found.isEmpty { return found }
        }
        return []
    }

    private func results(_ asked: NameQuery, _ ranking: Ranking, isStrict: Bool) throws -> [Place] {
        for reading in isStrict ? [asked] + splits(of: asked) : [asked] {
            var ranking = ranking
            ranking.preferred = reading.kind
            let bundled = try find(reading, ranking, isStrict: isStrict)
            let found = try merge(bundled, findImported(reading, ranking, isStrict: isStrict), ranking)
            if !found.isEmpty { return found }
        }
        return []
    }

    /// Takes the last words for an area without a comma before it: `Fisciano SA`.
    private func splits(of asked: NameQuery) -> [NameQuery] {
        // Bundled areas' names are in the index, so a word that is not there names none; signs of provinces are not in it.
        guard let last = asked.name.last, last.utf8.count < 3 || imported != nil || !names.prefixed(last).isEmpty
        else { return [] }
        return stride(from: asked.name.count - 1, to: 0, by: -1).map(asked.split)
    }
}

/// What results are ranked by besides the match.
struct Ranking {
    let near: (Coordinate, UnitVector)?
    let language: Language
    let limit: Int
    var filter: SearchFilter
    /// The kind of place the query names: "provincia di".
    var preferred: PlaceTable.Kind?

    /// How many candidates are kept before areas named in the query sort them.
    var pool: Int { max(400, limit) }

    /// What a place is worth besides its name, in points of a match.
    func importance(of kind: PlaceTable.Kind, population: Int, _ isItalian: Bool, _ kilometres: Double?) -> Float {
        var result = 0.22 * log10(Float(population + 1))
        if kind == preferred { result += 1 }
        switch kind {
        case .comune, .country: result += 0.3
        case .region: result += 0.2
        case .town: break
        case .locality: result -= 0.1
        case .province, .admin: result -= 0.3
        }
        if isItalian { result += language == .italian ? 0.5 : 0.1 }
        if let kilometres { result -= 0.35 * log1p(Float(kilometres) / 20) }
        return result
    }

    /// What a postal code is worth of which so much was typed: whole, it is surer than any name.
    static func worth(ofCode code: String, typed: String) -> Float {
        let share = Float(typed.utf8.count) / Float(max(1, code.utf8.count))
        return share < 1 ? 2 * share : 6
    }
}
