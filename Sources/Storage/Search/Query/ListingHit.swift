import Domain

/// A listing that a search has found.
struct ListingHit {
    let key: Int64
    /// The distance from the centre in metres on the ellipsoid; 0 without a centre.
    let distance: Double
    /// The index of the listing's group in the query's `photo`.
    var rank = 0
    /// How the listing fits the photo of the search; nil without one.
    var photo: ListingMatch.Photo?
    /// The prepared feature of the listing for `ListingSearch.findFeatures`, if the search has read it.
    var feature: [UInt8]?
}

extension ListingHit: Comparable {
    /// Nearest first; at equal distance, the older listing first.
    static func < (a: ListingHit, b: ListingHit) -> Bool { (a.distance, a.key) < (b.distance, b.key) }
}
