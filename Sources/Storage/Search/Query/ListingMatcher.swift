package import Domain
import SpatiaLite

/// Decides whether a single listing fulfils a query. The search plans only propose candidates.
package struct ListingMatcher: Sendable {
    let query: ListingQuery
    let space: SearchArea
    private let polygon: Polygon?
    private let statuses: Set<String>
    private let words: [String]
    private let breedWords: [String]

    /// - Parameter polygon: contains the listings, besides what the query says.
    package init(_ query: ListingQuery, within polygon: Polygon? = nil) {
        (self.query, self.polygon) = (query, polygon)
        space = SearchArea(circle: query.circle, box: query.box)
        statuses = Set(query.statuses.map(\.rawValue))
        words = query.text?.split(separator: " ").map(String.init) ?? []
        breedWords = query.breed?.text?.split(separator: " ").map(String.init) ?? []
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
            query.species.map({ $0.rawValue == row.string(.species) }) ?? true,
            query.country.map({ $0 == row.string(.countryCode) }) ?? true,
            wasSeenInTime(row.string(.lastSeenAt) ?? "")
        else { return false }
        let found = found ?? ListingWords(row)
        guard isOfBreed(row, found), words.isEmpty || Self.words(words, occurIn: found.all) else { return false }
        guard !query.places.isEmpty else { return true }
        // The column is a JSON array of folded names, which contain no quotes.
        let names = row.string(.placeNames) ?? ""
        return query.places.contains { names.contains("\"\($0)\"") }
    }

    private func isOfBreed(_ row: ListingRow, _ found: ListingWords) -> Bool {
        guard case .keys(let keys)? = query.breed else {
            return breedWords.isEmpty || Self.words(breedWords, occurIn: found.breed)
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

    /// Returns whether each wanted word is a prefix of a word in the text. Words of fewer than three characters must
    /// match a whole word.
    private static func words(_ wanted: [String], occurIn found: @autoclosure () -> Set<String>) -> Bool {
        wanted.allSatisfy { word in
            found().contains(word) || word.unicodeScalars.count >= 3 && found().contains { $0.hasPrefix(word) }
        }
    }
}

/// The folded words of a listing's texts, computed on first use, because this takes about a millisecond for long texts.
package final class ListingWords {
    private static let searched = ListingField.allCases.filter(\.definition.isSearched)

    private let row: ListingRow
    private(set) lazy var all = Self.words(of: Self.searched.map(row.string) + [row.string(.province)])
    private(set) lazy var breed = Self.words(of: [row.string(.breed)])

    /// - Parameter row: must remain the current row of its statement as long as words are read.
    package init(_ row: ListingRow) {
        self.row = row
    }

    private static func words(of texts: [String?]) -> Set<String> {
        Set(texts.flatMap { $0?.folded.split(separator: " ").map(String.init) ?? [] })
    }
}
