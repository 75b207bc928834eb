import CQL2
import Domain
import SQL

/// The values on which a query's conditions depend.
extension ListingQuery {
    var hasWindow: Bool { since != nil || until != nil }

    var hasWords: Bool { !clauses.isEmpty || breed?.text != nil }

    /// Whether the query has conditions only on status, species and area, which are columns of `board`.
    var isPlain: Bool { conditions == (species == nil ? 0 : 1) && isOpen }

    /// Whether all results are in the `board` table.
    package var isOpen: Bool { !includesHidden && statuses.allSatisfy(\.isOpen) }

    /// The number of conditions other than status and area.
    var conditions: Int {
        [
            species != nil, breed != nil, !places.isEmpty, !clauses.isEmpty, owner != nil, hasWindow,
            rowCondition != nil,
        ].count { $0 }
    }

    /// Returns whether the listing comes after the cursor in the order of distance.
    func isAfterCursor(_ hit: ListingHit) -> Bool {
        guard let cursor, let distance = Double(cursor.value) else { return true }
        return (distance, cursor.key) < (hit.distance, hit.key)
    }
}

extension ListingQuery {
    /// For each condition that has facets: the suffixes of their names, the probably most selective condition first.
    /// The most common species (dog) has no facet, because its list would contain nearly all listings.
    var facetSuffixes: [[String]] {
        var suffixes: [[String]] = []
        // Listings that only a text finds have no facet.
        if case .keys(let keys)? = breed {
            suffixes.append(
                keys.sorted().flatMap { includesCrosses ? ["breed:\($0)", "cross:\($0)"] : ["breed:\($0)"] })
        }
        if !places.isEmpty { suffixes.append(places.sorted().map { "place:\($0)" }) }
        if let species, species != .dog { suffixes.append(["species:\(species.rawValue)"]) }
        return suffixes
    }

    /// The names of the facets that have the suffixes, for all statuses of the query.
    func facetNames(_ suffixes: [String]) -> [String] {
        statuses.flatMap { status in
            (includesHidden ? ["", "hidden "] : [""]).flatMap { prefix in
                suffixes.map { prefix + status.rawValue + ($0.isEmpty ? "" : " " + $0) }
            }
        }
    }
}

extension ListingQuery.Breed {
    /// The folded text, where it is the only condition on the breed.
    var text: String? { if case .text(let text) = self { text } else { nil } }
}

extension ListingQuery {
    /// The conditions on columns that no index of the search contains.
    var rowCondition: SQLCondition? {
        var (parts, values) = ([String](), [SQLValue]())
        if let country { (parts, values) = (["listing.country_code = ?"], [.text(country)]) }
        if let code { (parts, values) = (parts + ["listing.code = ?"], values + [.text(code.text)]) }
        if !includesCrosses, breed == nil || breed?.text != nil {
            parts.append("NOT coalesce(listing.mixed, listing.breed_key = '\(Domain.Breed.mixedKey)', FALSE)")
        }
        if let sex { parts.append("coalesce(listing.sex = '\(sex.rawValue)', TRUE)") }
        if let size { parts.append("coalesce(listing.size = '\(size.rawValue)', TRUE)") }
        if fit != .any {
            let condition = preference.condition
            parts.append(fit == .exact ? condition.sql : "NOT \(condition.sql)")
            values += condition.values
        }
        if let filter { (parts, values) = (parts + ["(\(filter.sql))"], values + filter.values) }
        return parts.isEmpty
            ? nil : SQLCondition(sql: parts.joined(separator: " AND "), values: values, box: filter?.box)
    }
}

extension ListingQuery {
    /// Removes time bounds that include all open listings, so that the precomputed counts can be used.
    func removingIneffectiveBounds(_ db: SQLConnection) throws -> ListingQuery {
        guard hasWindow, isOpen else { return self }
        let scan = try PreparedStatement(
            db,
            "SELECT (SELECT min(last_seen_at) FROM board), (SELECT max(last_seen_at) FROM board)"
        )
        guard try scan.next(), let first = scan.row.string(0), let last = scan.row.string(1) else { return self }
        var query = self
        if let since, since.text <= first { query.since = nil }
        if let until, until.text > last { query.until = nil }
        return query
    }
}
