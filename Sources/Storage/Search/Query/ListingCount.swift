package import Domain

/// The number of listings that fulfil a query, computed with a bounded number of steps.
package struct ListingCount: Equatable, Sendable {
    package var count = 0
    /// If false, `count` is a lower bound, because exact counting would have taken too long.
    package var isExact = true
}

/// An area of the map and the number of listings in it.
package struct ListingCluster: Equatable, Sendable {
    package let count: ListingCount
    /// The mean position of the listings.
    package let centre: Coordinate
    package let extent: BoundingBox
}
