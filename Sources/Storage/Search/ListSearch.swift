import Domain
package import SearchText

/// A search in a list that is not the board: one's own listings, the inbox, the queue of moderators. It finds what belongs to
/// a listing that the query describes, closed and hidden ones too, and texts with all typed words.
package struct ListSearch: Sendable {
    /// The maximum number of entries of a list that one page reads.
    package static let maxRead = 5000

    /// As it was typed.
    package let text: String
    private let query: ListingQuery
    private let matcher: ListingMatcher
    private let words: [SearchWord]

    /// - Parameter query: how the text was read. It is applied to listings of any status.
    package init(_ query: ListingQuery, text: String) {
        var query = query
        query.statuses = Listing.Status.allCases
        query.includesHidden = true
        (self.text, self.query, words) = (text, query, SearchWord.all(text.folded))
        matcher = ListingMatcher(query)
    }

    /// How the text was read.
    package var reading: SearchReading? { query.reading }

    /// - Parameter row: with `ListingRow.checkedColumns` at least.
    func finds(_ row: ListingRow) throws -> Bool { try matcher.distance(of: row) != nil }

    /// Returns whether the texts together contain all words.
    func finds(_ texts: [String?]) -> Bool { FoldedWords(texts).contain(words) }
}
