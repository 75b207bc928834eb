package import CQL2
package import Domain
import SQL
import SpatiaLite

/// The open listings as a collection of features, in the order in which they were posted.
extension ListingSearch {
    /// The properties that filters can use: all public properties except contacts, so that nobody can search for a
    /// person by contact.
    package static let queryables: [Queryable] =
        [
            Queryable(name: "geometry", type: .geometry, sql: "listing.geom"),
            Queryable(name: "id", type: .text, sql: "listing.uuid"),
            Queryable(name: "approximate", type: .boolean, sql: "listing.approximate"),
            Queryable(name: "breed_keys", type: .texts, sql: "listing.breed_keys"),
            Queryable(name: "mixed", type: .boolean, sql: "listing.mixed"),
        ]
        + ListingField.allCases.filter(\.definition.isQueryable).map { field in
            Queryable(name: field.name, type: field.kind == .time ? .timestamp : .text, sql: "listing.\(field.name)")
        }
        + [
            "code", "breed_key", "locality", "province", "province_code", "region", "country", "country_code",
            "postal_code",
        ]
        .map { Queryable(name: $0, type: .text, sql: "listing.\($0)") }
        + ["created_at", "updated_at"].map { Queryable(name: $0, type: .timestamp, sql: "listing.\($0)") }

    /// Passes the prepared public form of each listing of a page to `body`, as `findFeatures` does.
    ///
    /// - Returns: the key of the last listing of the page if more listings follow; otherwise nil.
    package func findItems(
        _ query: ItemQuery,
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws -> Int64? {
        try findFeatures(ListingQuery(query)) { feature, _ in try body(feature) }?.key
    }

    /// Returns the total number of results. Returns nil if a filter would require reading every listing, or if the
    /// count is not exact.
    package func countItems(_ query: ItemQuery) throws -> Int? {
        let query = ListingQuery(query)
        guard query.filter == nil else { return nil }
        let count = try self.count(query)
        return count.isExact ? count.count : nil
    }

    /// Passes the row of an open listing that is not hidden to `read`; returns nil if there is no such listing.
    package func findItem<Value>(uuid: String, _ read: (ListingRow) throws -> Value) throws -> Value? {
        try database.readNow { db in
            let condition = "listing.uuid = ? AND NOT listing.hidden AND listing.status IN ('lost', 'found', 'sighted')"
            return try db.row("\(ListingRow.select) WHERE \(condition)", [uuid]) { row in try read(ListingRow(row)) }
        }
    }

    /// Returns the bounding box of the open listings and their earliest `last_seen_at`; nil if there are none.
    package func extent() throws -> (box: BoundingBox, since: Timestamp)? {
        try database.readNow { db in
            guard let since: Timestamp = try db.value("SELECT min(last_seen_at) FROM board"),
                let box = try db.searchEngine.extent(db)
            else { return nil }
            return (box, since)
        }
    }
}

extension ListingQuery {
    fileprivate init(_ items: ItemQuery) {
        self = items.words ?? ListingQuery()
        // The order of the items is that of their keys.
        preference = ListingPreference()
        var items = items
        // The indexes of open listings support conditions on status and species. Any other status remains a filter
        // condition, which no open listing fulfils.
        if case .text(let name)? = items.equals["status"], let status = Listing.Status(rawValue: name), status.isOpen {
            statuses = [status]
            items.equals["status"] = nil
        }
        if species == nil, case .text(let name)? = items.equals["species"], let one = Species(rawValue: name) {
            species = one
            items.equals["species"] = nil
        }
        // Another box that the words have is that of a country, which is a condition of its own.
        box = items.bounds ?? box
        since = items.since
        until = items.until
        filter = items.condition(over: ListingSearch.queryables)
        order = .oldest
        limit = items.limit
        cursor = items.after.map { Cursor(order: .oldest, value: "", key: $0) }
    }
}
