import CQL2
package import Domain
import SQL

/// The properties of exact matches. Listings with all of them come first; the search finds others as well.
package struct ListingPreference: Equatable, Sendable {
    /// Empty for no preference.
    package var statuses: Set<Listing.Status> = []
    package var sex: Listing.Sex?
    package var size: Listing.Size?
    /// Sets of facets, of each of which a listing has to have one.
    package var facets: [Set<String>] = []

    package init() {}

    var isEmpty: Bool { self == ListingPreference() }

    /// Whether all of it holds for a row, in SQL. It is never NULL.
    var condition: SQLCondition {
        var (parts, values) = ([String](), [SQLValue]())
        if !statuses.isEmpty {
            parts.append("listing.status IN (\(statuses.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")))")
        }
        if let sex { parts.append("listing.sex = '\(sex.rawValue)'") }
        if let size { parts.append("listing.size = '\(size.rawValue)'") }
        for set in facets {
            let conditions = set.sorted().map(Self.condition)
            parts.append("(\(conditions.map(\.sql).joined(separator: " OR ")))")
            values += conditions.map { .text($0.pattern) }
        }
        return SQLCondition(sql: "coalesce(\(parts.joined(separator: " AND ")), FALSE)", values: values, box: nil)
    }

    /// Returns the condition that a listing has a facet. The columns are JSON arrays of texts without quotes.
    private static func condition(_ facet: String) -> (sql: String, pattern: String) {
        let parts = facet.split(separator: ":", maxSplits: 1).map(String.init)
        func like(_ column: String, _ value: String) -> (sql: String, pattern: String) {
            let escaped = value.replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_")
            return ("listing.\(column) LIKE ? ESCAPE '\\'", "%\"\(escaped)\"%")
        }
        switch parts[0] {
        case "place": return like("place_names", parts[1])
        case "breed", "cross":
            let found = like("breed_facets", parts[1])
            return (
                "\(parts[0] == "breed" ? "NOT " : "")coalesce(listing.mixed, FALSE) AND \(found.sql)", found.pattern
            )
        default: return like("facets", facet)
        }
    }
}

extension ListingQuery {
    /// The parts of a search, in the order in which they are shown: what fits exactly, the rest, and what only has the words in
    /// its texts. Most pages are full before the last part, which only the text index finds.
    package var parts: [ListingQuery] {
        // Listings with some words in their texts come in the order of the preference, if there is one.
        let byFacets = { [preference] (clause: SearchClause) in
            preference.isEmpty || !clause.isPlain ? clause.byFacets : nil
        }
        let split = clauses.compactMap(byFacets)
        guard !split.isEmpty else { return partsByPreference }
        var (texts, facets) = (self, self)
        facets.clauses = clauses.map { byFacets($0) ?? $0 }
        (texts.preference, texts.exceptClauses) = (ListingPreference(), split)
        return facets.partsByPreference + [texts]
    }

    private var partsByPreference: [ListingQuery] {
        var (exact, rest) = (self, self)
        // "Cane trovato" among lost ones.
        if preference.statuses.isDisjoint(with: statuses) {
            exact.preference.statuses = []
            rest.preference.statuses = []
        }
        let preference = exact.preference
        guard !preference.isEmpty else { return [self] }
        (exact.fit, rest.fit) = (.exact, .loose)
        // Indexes find these. `rowCondition` decides.
        if !preference.statuses.isEmpty { exact.statuses = statuses.filter(preference.statuses.contains) }
        exact.clauses =
            clauses.filter { clause in !preference.facets.contains(where: clause.follows(from:)) }
            + preference.facets.map { SearchClause(facets: $0) }
        return [exact, rest]
    }

    /// Returns the page of a search, plus one more listing if there are more: first what fits exactly, then the rest.
    ///
    /// - Parameter find: returns the page of one part.
    func page(_ find: (ListingQuery) throws -> HitPage) throws -> HitPage {
        let parts = parts
        return try parts.count > 1 ? HitPage(parts, of: self, find) : find(self)
    }
}
