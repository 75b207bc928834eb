import Foundation

/// Decides whether a listing fulfils a clause of a query.
struct ClauseMatcher: Sendable {
    /// A facet, split into its kind and its value.
    private struct Facet {
        let kind: Substring
        let value: Substring
        /// The whole name and the value as they are in a JSON array, as C strings. Names contain no quotes.
        let quoted, quotedValue: ContiguousArray<CChar>

        init(_ name: String) {
            let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            (kind, value) = (parts[0], parts.count > 1 ? parts[1] : "")
            (quoted, quotedValue) = ("\"\(name)\"".utf8CString, "\"\(value)\"".utf8CString)
        }
    }

    private let facets: [Facet]
    private let phrases: [[SearchWord]]

    init(_ clause: SearchClause) {
        facets = clause.facets.sorted().map(Facet.init)
        phrases = clause.words
    }

    /// - Parameter words: those of the row.
    func holds(for row: ListingRow, _ words: ListingWords) -> Bool {
        facets.contains { Self.has($0, row) } || phrases.contains { words.all.contain(phrase: $0) }
    }

    // The same facets as in the view `listing_tags`.
    private static func has(_ facet: Facet, _ row: ListingRow) -> Bool {
        switch facet.kind {
        case "species": row.string(.species).map { $0 == facet.value } ?? false
        case "place": row.text(.placeNames)?.contains(facet.quotedValue) ?? false
        case "breed", "cross":
            if let breeds = row.text(.breedFacets) {
                row.flag(.mixed) == (facet.kind == "cross") && breeds.contains(facet.quotedValue)
            } else {
                facet.kind == "breed" && row.string(.breedKey).map { $0 == facet.value } ?? false
            }
        default: row.text(.facets)?.contains(facet.quoted) ?? false
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns whether the text of a column, which ends with a zero, contains another one. `String.contains` takes ten times as
    /// long, and would be most of the cost of a check.
    fileprivate func contains(_ text: ContiguousArray<CChar>) -> Bool {
        withMemoryRebound(to: CChar.self) { own in
            text.withUnsafeBufferPointer { text in
                guard let own = own.baseAddress, let text = text.baseAddress else { return false }
                return strstr(own, text) != nil
            }
        }
    }
}
