/// The places of a gazetteer for a site that has an area.
package struct SitePlaces: PlaceFinderWrapper {
    package let finder: any PlaceFinder
    private let addresses: any AddressFinder
    package let region: BoundingBox?

    package init(_ finder: any PlaceFinder, addresses: any AddressFinder, region: BoundingBox?) {
        (self.finder, self.addresses, self.region) = (finder, addresses, region)
    }

    package func position(of whereabouts: String, in town: Place) throws -> Coordinate? {
        try addresses.position(of: whereabouts, in: town)
    }

    package var knowsStreets: Bool { !addresses.isEmpty }
}
