import Domain

/// The countries in which telephone numbers without a country code are read, and that of the site, which decides on units.
struct Countries: Sendable {
    private let finder: any PlaceFinder
    /// The country of the site (ISO 3166-1 alpha-2); nil if the operator has set no map area, or if it is on the sea.
    let site: String?

    /// - Parameter area: where the maps of the site start.
    init(finder: any PlaceFinder, area: BoundingBox?) throws {
        self.finder = finder
        site = try area.flatMap { try Self.mainCountry(of: $0, finder) }
    }

    /// Returns the country at a point; that of the site for an unknown point or one on the sea.
    func country(at point: Coordinate?) -> String? {
        let place = point.flatMap { try? finder.place(at: $0, language: .english) }
        return place?.countryCode ?? site
    }

    /// The country at most of the points of a grid.
    private static func mainCountry(of area: BoundingBox, _ finder: any PlaceFinder) throws -> String? {
        let codes = try area.grid(of: 5).compactMap { try finder.place(at: $0, language: .english)?.countryCode }
        return Dictionary(grouping: codes) { $0 }.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }?.key
    }
}

extension BoundingBox {
    /// `side` times `side` points inside the box, at equal distances in degrees.
    fileprivate func grid(of side: Int) -> [Coordinate] {
        let width = northEast.lon - southWest.lon + (northEast.lon < southWest.lon ? 360 : 0)
        let steps = (0..<side).map { (Double($0) + 0.5) / Double(side) }
        return steps.flatMap { y in
            steps.compactMap { x in
                let lon = southWest.lon + x * width
                return Coordinate(
                    lon: lon > 180 ? lon - 360 : lon,
                    lat: southWest.lat + y * (northEast.lat - southWest.lat)
                )
            }
        }
    }
}
