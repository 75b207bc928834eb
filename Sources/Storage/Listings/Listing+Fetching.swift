import Domain
import SQL

extension Listing {
    /// - Parameter condition: can end with an order and a limit.
    static func fetch(_ db: SQLConnection, _ condition: String, _ values: [any SQLBindable]) throws -> [Listing] {
        try db.rows("\(ListingRow.select) WHERE \(condition)", values) { row in try Listing(ListingRow(row)) }
    }

    static func fetch(_ db: SQLConnection, key: Int64) throws -> Listing? {
        try fetch(db, "listing.id = ?", [key]).first
    }
}
