package import Domain
import SQL

/// The listings of one account for the table view, which sorts and filters them in memory.
package struct ListingTable: Sendable {
    package enum Column: String, CaseIterable, Sendable {
        case name, status, species, place, created, expires
    }

    /// The filters, the order and the page.
    package struct Query: Sendable {
        package var search: ListSearch?
        package var status: Listing.Status?
        package var species: Species?
        /// Only animals that arrived then.
        package var arrived: Arrivals?
        /// Only animals in this kennel.
        package var kennel: String?
        package var column = Column.created
        package var isDescending = true
        package var page = 1

        package init() {}
    }

    package static let pageSize = 200

    /// The animals that came on a day: by their records, or else those whose listings were posted.
    package struct Arrivals: Sendable {
        /// For example `2026-11-12`.
        let day: String
        /// When the day began.
        let since: Timestamp

        package init(day: String, since: Timestamp) { (self.day, self.since) = (day, since) }
    }

    /// How many of the newest listings are open, and how many animals arrived on a day.
    package struct Figures: Equatable, Sendable {
        package let open: Int
        package let new: Int
    }

    package let rows: [Listing]
    package let count: Int
    package let hasMore: Bool
}

extension ListingStore {
    /// Returns a page of the listings of one account, of which the newest are read. It takes about 0.1 s for thousands of listings.
    package func findTable(of account: Account, _ query: ListingTable.Query) throws -> ListingTable {
        var conditions = ["account_id = ?1 AND (status = ?2 OR ?2 IS NULL) AND (species = ?3 OR ?3 IS NULL)"]
        var values: [any SQLBindable] = [account.key, query.status?.rawValue, query.species?.rawValue]
        if let arrived = query.arrived {
            conditions.append(Self.arrival("?\(values.count + 1)", "?\(values.count + 2)"))
            values += [arrived.day, arrived.since.text]
        }
        if let kennel = query.kennel {
            conditions.append("?\(values.count + 1) = (SELECT kennel FROM animal_record WHERE listing_id = listing.id)")
            values.append(kennel)
        }
        let (condition, bound) = (conditions.joined(separator: " AND "), values)
        let matching = try database.readNow { db in
            try db.rows(
                """
                \(ListingRow.select)
                WHERE \(condition) ORDER BY listing.id DESC LIMIT \(ListSearch.maxRead)
                """,
                bound
            ) { row -> Listing? in
                let row = ListingRow(row)
                let isFound =
                    try query.search.map { search in
                        try search.finds(row) || search.finds([row.string(.reference), row.string(.microchip)])
                    } ?? true
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

    /// Whether an animal arrived on a day.
    private static func arrival(_ day: String, _ since: String) -> String {
        """
        coalesce((SELECT intake_on FROM animal_record WHERE listing_id = listing.id) = \(day),
            listing.created_at >= \(since))
        """
    }

    package func countTable(of account: Account, arrived: ListingTable.Arrivals) throws -> ListingTable.Figures {
        try database.readNow { db in
            try db.row(
                """
                SELECT count(*) FILTER (WHERE status IN ('lost', 'found', 'sighted')),
                    count(*) FILTER (WHERE is_new)
                FROM (
                    SELECT status, \(Self.arrival("?2", "?3")) AS is_new FROM listing
                    WHERE account_id = ?1 ORDER BY id DESC LIMIT \(ListSearch.maxRead)) AS newest
                """,
                [account.key, arrived.day, arrived.since.text]
            ) { row in ListingTable.Figures(open: Int(row.integer(0)), new: Int(row.integer(1))) }
                ?? ListingTable.Figures(open: 0, new: 0)
        }
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
