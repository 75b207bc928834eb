package import CQL2
package import Domain
package import SQL

/// A query for a page of a feature collection (OGC API - Features). All conditions must hold; the results are in the
/// order of the keys.
package struct ItemQuery: Sendable {
    package var box: BoundingBox?
    /// Bounds of the time, for features that have one: at or after `since`, and before `until`.
    package var since: Timestamp?
    package var until: Timestamp?
    /// Required values of queryables, by name.
    package var equals: [String: SQLValue] = [:]
    /// The conditions of words, for the collection of listings.
    package var words: ListingQuery?
    /// A condition on the queryables of the collection.
    package var filter: SQLCondition?
    /// The key of the last feature of the previous page.
    package var after: Int64?
    package var limit = 100

    package init() {}

    /// Whether the query has conditions on the rows' contents, so that rows outside of the page must be read, too.

    /// A box that contains all results; nil if there is no such limit.
    var bounds: BoundingBox? { box ?? filter?.box }

    /// Returns the conditions on a row other than place and time; nil if there are none.
    func condition(over queryables: [Queryable]) -> SQLCondition? {
        var (parts, values) = ([String](), [SQLValue]())
        for queryable in queryables {
            guard let value = equals[queryable.name] else { continue }
            parts.append("\(queryable.sql) = ?")
            values.append(value)
        }
        if let filter {
            parts.append("(\(filter.sql))")
            values += filter.values
        }
        return parts.isEmpty ? nil : SQLCondition(sql: parts.joined(separator: " AND "), values: values, box: nil)
    }
}
