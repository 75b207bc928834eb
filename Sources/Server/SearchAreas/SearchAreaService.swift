import Domain
import SearchAreas
import Storage

/// Computes the search areas of listings, for the API and the page of a listing alike.
struct SearchAreaService: Sendable {
    let stores: Stores
    let calibrations: CalibrationCache
    let now: @Sendable () -> Timestamp

    /// Returns the circles as the viewer may see them: around the exact points that the viewer may see, and around
    /// the centres of the cells of the others. Admins see the exact point of a listing, but not those of sightings.
    ///
    /// - Throws: `conflict` if there is no search area.
    func area(of listing: Listing, seenBy viewer: Account?) throws -> SearchArea {
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
        let isExact = listing.isFullyVisible(to: viewer)
        let isOwner = viewer?.key == listing.owner
        var places = try stores.sightings.findConfirmedPlaces(of: listing)
        // A collar tells the place as a confirmed sighting does. Only its owner knows it.
        if isOwner, let collar = try stores.tracks.findNewestCollarPlace(of: listing) {
            places.append(.init(coordinate: collar.coordinate, isCell: false, time: collar.time))
        }
        let area = SearchArea(
            of: MissingAnimal(listing.content),
            lost: SearchArea.Observation(
                isExact ? location.exact ?? location.coordinate : location.coordinate,
                at: listing.seenAt,
                isCell: !isExact && location.exact != nil
            ),
            sightings: places.map { place in
                .init(
                    isOwner ? place.coordinate : place.coordinate.cellCentre,
                    at: place.time,
                    isCell: place.isCell || !isOwner
                )
            },
            now: now(),
            calibration: try calibrations.calibration(of: listing.content.species) {
                Calibration(try reunions(of: listing.content.species))
            }
        )
        guard let area else {
            throw ServiceError(.conflict, "only dogs and cats have a search area", field: "species")
        }
        return area
    }

    /// The service's own reunions of which both places are known.
    private func reunions(of species: Species) throws -> [Calibration.Reunion] {
        try stores.matches.reunions(of: species, atLeast: Calibration.minReunions).map { reunion in
            Calibration.Reunion(MissingAnimal(reunion.lost), metres: reunion.metres, hours: reunion.hours)
        }
    }
}
