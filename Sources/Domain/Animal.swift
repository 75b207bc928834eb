/// An animal of which several listings of one side tell, as one reader sees it.
package struct Animal: Sendable {
    /// One place where the animal was seen: that of a listing, or of a confirmed sighting of it.
    package struct Step: Sendable {
        package let listing: Listing
        /// Nil for the place that the listing itself tells.
        package let sighting: Sighting?

        package var at: Timestamp { sighting?.seenAt ?? listing.seenAt }
        package var coordinate: Coordinate { sighting?.point ?? listing.location.coordinate }
        /// Whether the coordinate is only the centre of a cell or of a town.
        package var isApproximate: Bool { sighting?.isApproximate ?? listing.location.approximate }
        package var place: String? { sighting.map(\.place) ?? listing.location.place }
    }

    /// In the order in which the animal was seen.
    package let listings: [Listing]
    /// The maximum number of steps of a way. The newest are kept.
    package static let maxSteps = 200

    /// The way of the animal, in the order of time.
    package let way: [Step]

    /// - Parameter sightings: of each listing. Those that its owner has not confirmed are left out.
    package init(_ listings: [(listing: Listing, sightings: [Sighting])]) {
        self.listings = listings.map(\.listing)
        let steps = listings.flatMap { listing, sightings in
            [Step(listing: listing, sighting: nil)]
                + sightings.filter { $0.state == .confirmed }.map { Step(listing: listing, sighting: $0) }
        }
        way = steps.sorted { ($0.at, $0.listing.key) < ($1.at, $1.listing.key) }.suffix(Self.maxSteps)
    }
}
