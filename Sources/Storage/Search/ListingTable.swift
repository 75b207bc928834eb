package import Domain
import SQL

/// The listings of one account for the table view, which sorts and filters them in memory.
package struct ListingTable: Sendable {
    package enum Column: String, CaseIterable, Sendable {
        case name, status, species, place, created, expires
    }

    /// The filters, the order and the page.
    package struct Query: Sendable {
        /// What the listings fulfil besides; nil for all.
        package var search: ListingQuery?
        /// Folded words of the search. Listings with a reference or microchip that they begin are found as well.
        package var words: [Substring] = []
        package var status: Listing.Status?
        package var species: Species?
        package var column = Column.created
        package var isDescending = true
        package var page = 1

        package init() {}
    }

    /// The maximum number of listings that are read, the newest ones.
    package static let maxRead = 5000
    package static let pageSize = 200

    package let rows: [Listing]
    package let count: Int
    package let hasMore: Bool
}

extension ListingStore {
    /// Returns a page of the listings of one account. It takes about 0.1 s for thousands of listings.
    package func findTable(of account: Account, _ query: ListingTable.Query) throws -> ListingTable {
        let matcher = query.search.map { ListingMatcher($0) }
        let matching = try database.readNow { db in
            try db.rows(
                """
                \(ListingRow.select)
                WHERE account_id = ?1 AND (status = ?2 OR ?2 IS NULL) AND (species = ?3 OR ?3 IS NULL)
                ORDER BY listing.id DESC LIMIT \(ListingTable.maxRead)
                """,
                [account.key, query.status?.rawValue, query.species?.rawValue]
            ) { row -> Listing? in
                let row = ListingRow(row)
                let isFound = try matcher.map { try $0.distance(of: row) != nil || row.isNumbered(query.words) } ?? true
                return isFound ? try Listing(row) : nil
            }.compactMap(\.self)
        }
        let sorted = matching.sorted(by: query.column, isDescending: query.isDescending)
        let start = (query.page - 1) * ListingTable.pageSize
        return ListingTable(
            rows: Array(sorted.dropFirst(start).prefix(ListingTable.pageSize)),
            count: matching.count,
            hasMore: sorted.count > start + ListingTable.pageSize
        )
    }
}

extension ListingRow {
    /// Returns whether all words begin words of the reference or the microchip.
    fileprivate func isNumbered(_ words: [Substring]) -> Bool {
        let own = [string(.reference), string(.microchip)].compactMap { $0?.folded }.flatMap {
            $0.split(separator: " ")
        }
        return words.allSatisfy { word in own.contains { $0.hasPrefix(word) } }
    }
}

extension Listing {
    fileprivate func sortKey(_ column: ListingTable.Column) -> String {
        switch column {
        case .name: content[.name]?.folded ?? ""
        case .status: content.status?.rawValue ?? ""
        case .species: content.species.rawValue
        case .place: location.place?.folded ?? ""
        case .created: createdAt.text
        case .expires: expiresAt?.text ?? ""
        }
    }
}

extension [Listing] {
    fileprivate func sorted(by column: ListingTable.Column, isDescending: Bool) -> [Listing] {
        let keyed = map { (key: $0.sortKey(column), listing: $0) }
        // Equal ones stay in the order of time, newest first.
        return keyed.sorted { first, second in
            guard first.key != second.key else { return first.listing.key > second.listing.key }
            // Rows without a value come last in both orders.
            guard !first.key.isEmpty, !second.key.isEmpty else { return !first.key.isEmpty }
            return (first.key < second.key) != isDescending
        }.map(\.listing)
    }
}
