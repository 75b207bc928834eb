/// The places of a gazetteer for a site that has an area.
package struct SitePlaces: PlaceFinder {
    private let finder: any PlaceFinder
    package let region: BoundingBox?

    package init(_ finder: any PlaceFinder, region: BoundingBox?) {
        (self.finder, self.region) = (finder, region)
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

    package func isOpenSea(at coordinate: Coordinate) throws -> Bool { try finder.isOpenSea(at: coordinate) }
}
