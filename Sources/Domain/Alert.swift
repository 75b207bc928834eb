package import Foundation

/// A saved search that tells its owner about listings.
package struct Alert: Equatable, Sendable {
    /// The key of the row.
    package let key: Int64
    package let id: UUID
    package let name: String?
    /// The parameters of the search of listings.
    package let search: [String: String]
    package let isPaused: Bool
    package let version: Int
    package let createdAt: Timestamp
    package let updatedAt: Timestamp

    package static let maxNameLength = 80
    /// The most alerts of one account.
    package static let maxCount = 20

    package init(
        key: Int64,
        id: UUID,
        name: String?,
        search: [String: String],
        isPaused: Bool,
        version: Int,
        createdAt: Timestamp,
        updatedAt: Timestamp
    ) {
        (self.key, self.id, self.name, self.search, self.isPaused) = (key, id, name, search, isPaused)
        (self.version, self.createdAt, self.updatedAt) = (version, createdAt, updatedAt)
    }
}

/// A listing that an alert has found.
package struct AlertFinding<Value> {
    /// The `Listing.key`.
    package let listing: Int64
    /// The status that the listing had then.
    package let status: Listing.Status
    package let foundAt: Timestamp
    package let value: Value

    package init(listing: Int64, status: Listing.Status, foundAt: Timestamp, value: Value) {
        (self.listing, self.status, self.foundAt, self.value) = (listing, status, foundAt, value)
    }
}
