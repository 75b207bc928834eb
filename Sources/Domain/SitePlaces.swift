/// The places of a gazetteer for a site that has an area.
package struct SitePlaces: PlaceFinder {
    private let finder: any PlaceFinder
    private let addresses: any AddressFinder
    package let region: BoundingBox?

    package init(_ finder: any PlaceFinder, addresses: any AddressFinder, region: BoundingBox?) {
        (self.finder, self.addresses, self.region) = (finder, addresses, region)
    }

    package func place(at coordinate: Coordinate, language: Language) throws -> Place? {
        try finder.place(at: coordinate, language: language)
    }

    package func place(named name: String, language: Language) throws -> Place? {
        try finder.place(named: name, language: language)
    }

    package func extent(of place: Place) -> BoundingBox? { finder.extent(of: place) }

    package func town(named name: String, language: Language) throws -> TownMatch {
        try finder.town(named: name, language: language)
    }

    package func places(called name: String, language: Language) throws -> [Place] {
        try finder.places(called: name, language: language)
    }

    package func position(of whereabouts: String, in town: Place) throws -> Coordinate? {
        try addresses.position(of: whereabouts, in: town)
    }

    package var knowsStreets: Bool { !addresses.isEmpty }

    package func isOpenSea(at coordinate: Coordinate) throws -> Bool { try finder.isOpenSea(at: coordinate) }
}
