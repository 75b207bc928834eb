package import Domain
import SpatiaLite

/// Decides whether a single listing fulfils a query. The search plans only propose candidates.
package struct ListingMatcher: Sendable {
    let query: ListingQuery
    let space: SearchArea
    private let polygon: Polygon?
    private let statuses: Set<String>
    private let clauses, exceptClauses: [ClauseMatcher]
    private let breedWords: [SearchWord]

    /// - Parameter polygon: contains the listings, besides what the query says.
    package init(_ query: ListingQuery, within polygon: Polygon? = nil) {
        (self.query, self.polygon) = (query, polygon)
        space = SearchArea(circle: query.circle, box: query.box)
        statuses = Set(query.statuses.map(\.rawValue))
        clauses = query.clauses.map(ClauseMatcher.init)
        exceptClauses = query.exceptClauses.map(ClauseMatcher.init)
        breedWords = query.breed?.text.map { SearchWord.all($0) } ?? []
    }

    /// Returns the distance from the centre in metres, 0 without a centre, or nil if the listing does not fulfil the
    /// query.
    ///
    /// - Parameter found: the words of the row, if several matchers use them.
    package func distance(of row: ListingRow, _ found: ListingWords? = nil) throws -> Double? {
        let point = try row.coordinate()
        guard let distance = space.distance(to: point), polygon?.contains(point) ?? true, isWanted(row, found) else {
            return nil
        }
        return distance
    }

    private func isWanted(_ row: ListingRow, _ found: ListingWords?) -> Bool {
        guard row.string(.status).map(statuses.contains) == true, query.includesHidden || !row.flag(.hidden),
            query.owner.map({ $0 == row.owner }) ?? true,
            query.code.map({ $0.text == row.string(.code) }) ?? true,
            query.species.map({ $0.rawValue == row.string(.species) }) ?? true,
            query.sex.map({ $0.rawValue == row.string(.sex) ?? $0.rawValue }) ?? true,
            query.size.map({ $0.rawValue == row.string(.size) ?? $0.rawValue }) ?? true,
            query.country.map({ $0 == row.string(.countryCode) }) ?? true,
            wasSeenInTime(row.string(.lastSeenAt) ?? "")
        else { return false }
        let found = found ?? ListingWords(row)
        guard isOfBreed(row, found), clauses.allSatisfy({ $0.holds(for: row, found) }),
            exceptClauses.isEmpty || !exceptClauses.allSatisfy({ $0.holds(for: row, found) })
        else { return false }
        guard !query.places.isEmpty else { return true }
        // The column is a JSON array of folded names, which contain no quotes.
        let names = row.string(.placeNames) ?? ""
        return query.places.contains { names.contains("\"\($0)\"") }
    }

    private func isOfBreed(_ row: ListingRow, _ found: ListingWords) -> Bool {
        guard case .keys(let keys)? = query.breed else {
            return breedWords.isEmpty || found.breed.contain(breedWords)
        }
        // A listing of an earlier version whose words have not been read yet.
        guard let facets = row.string(.breedFacets) else {
            return keys.contains(row.string(.breedKey) ?? ListingBreeds.unsaid)
        }
        guard query.includesCrosses || !row.flag(.mixed) else { return false }
        // The column is a JSON array of keys, which contain no quotes.
        return keys.contains { facets.contains("\"\($0)\"") }
    }

    private func wasSeenInTime(_ time: String) -> Bool {
        (query.since.map { $0.text <= time } ?? true) && (query.until.map { time < $0.text } ?? true)
    }
}
