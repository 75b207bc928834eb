package import Foundation

/// A saved search, or a listing, whose owner is told about other listings.
package struct Alert: Equatable, Sendable {
    /// The key of the row.
    package let key: Int64
    package let id: UUID
    package let name: String?
    package let subject: Subject
    package let isPaused: Bool
    package let version: Int
    package let createdAt: Timestamp
    package let updatedAt: Timestamp

    package static let maxNameLength = 80
    /// The most searches of one account. Each listing can have an alert besides.
    package static let maxCount = 20
    /// The greatest number of readers of a listing that are counted.
    package static let maxCountedReaders = 1_000
    /// The range of the least probability to which an alert for matches can be limited.
    package static let probabilities = 0.02...1.0

    package enum Subject: Equatable, Sendable {
        /// The parameters of the search of listings.
        case search([String: String])
        /// The possible matches of a listing of the account, from a probability on.
        case matches(listing: UUID, minProbability: Double)

        package var search: [String: String]? {
            if case .search(let values) = self { values } else { nil }
        }

        package var listing: UUID? {
            if case .matches(let listing, _) = self { listing } else { nil }
        }
    }

    package init(
        key: Int64,
        id: UUID,
        name: String?,
        subject: Subject,
        isPaused: Bool,
        version: Int,
        createdAt: Timestamp,
        updatedAt: Timestamp
    ) {
        (self.key, self.id, self.name, self.subject, self.isPaused) = (key, id, name, subject, isPaused)
        (self.version, self.createdAt, self.updatedAt) = (version, createdAt, updatedAt)
    }
}

extension Alert {
    /// The radii in metres, smaller than its own, that a mail offers for it; none without a circle.
    package var narrowerRadii: [Int] {
        guard let search = subject.search, search["lon"] != nil, let radius = search["radius"].flatMap(Double.init)
        else { return [] }
        return [1_000, 2_000, 5_000, 10_000, 25_000].filter { Double($0) < radius }
    }
}

/// A listing that an alert has found.
package struct AlertFinding<Value> {
    /// The `Listing.key`.
    package let listing: Int64
    /// The status that the listing had then.
    package let status: Listing.Status
    /// That of a match.
    package let probability: Double?
    package let foundAt: Timestamp
    package let value: Value

    package init(listing: Int64, status: Listing.Status, probability: Double?, foundAt: Timestamp, value: Value) {
        (self.listing, self.status, self.probability) = (listing, status, probability)
        (self.foundAt, self.value) = (foundAt, value)
    }
}
