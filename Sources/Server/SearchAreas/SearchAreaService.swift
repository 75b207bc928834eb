import Domain
import SearchAreas

/// Computes the search areas of listings, for the API and the page of a listing alike.
struct SearchAreaService: Sendable {
    let now: @Sendable () -> Timestamp

    /// Returns the circles as the viewer may see them.
    ///
    /// - Parameter isExact: whether the viewer may see the exact point (see `Listing.isFullyVisible`). For others, the
    ///   circles are computed from the public cell only.
    /// - Throws: `conflict` if there is no search area.
    func area(of listing: Listing, isExact: Bool) throws(ServiceError) -> SearchArea {
        guard listing.content.status == .lost else {
            throw ServiceError(.conflict, "only open listings of lost animals have a search area", field: "status")
        }
        let location = listing.location
        guard location.exact != nil || !location.approximate else {
            throw ServiceError(
                .conflict,
                "the listing names only a town: its owner has to mark the place on the map",
                field: "lon"
            )
        }
        let area = SearchArea(
            of: MissingAnimal(listing.content),
            lost: SearchArea.Observation(
                isExact ? location.exact ?? location.coordinate : location.coordinate,
                at: listing.content.lastSeenAt ?? listing.createdAt,
                isCell: !isExact && location.exact != nil
            ),
            sightings: sightings(of: listing).map { coordinate, time in
                let isCell = !isExact
                return .init(isCell ? coordinate.cellCentre : coordinate, at: time, isCell: isCell)
            },
            now: now(),
            calibration: Calibration(reunions(of: listing.content.species))
        )
        guard let area else {
            throw ServiceError(.conflict, "only dogs and cats have a search area", field: "species")
        }
        return area
    }

    /// The confirmed sightings of the animal, with their exact points. No sightings are stored yet.
    private func sightings(of listing: Listing) -> [(coordinate: Coordinate, time: Timestamp)] { [] }

    /// The service's own reunions of which both places are known. No listings are linked yet.
    private func reunions(of species: Species) -> [Calibration.Reunion] { [] }
}
