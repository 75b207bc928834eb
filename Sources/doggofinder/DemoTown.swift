import Domain
import Gazetteer
import MapDatabase

/// Valletta and what is around its harbours, of which the program has an extract of OpenStreetMap, so that a demo has
/// streets and addresses.
struct DemoTown: DemoArea {
    /// The name of the map that the extract becomes.
    static let mapName = "demo"
    /// The address of the map of the town.
    static let page = "/map?lon=14.5125&lat=35.8985&zoom=16"
    /// Inside the box of the extract, which `geodata/demo/valletta.py` tells.
    private static let (west, south, east, north) = (14.498, 35.888, 14.523, 35.905)
    /// In metres from the middle of a street.
    private static let besideStreet = 25.0
    private static let tries = 200

    let openDays = 20.0
    let closedDays = 60.0

    private let map: MapDatabase
    private let gazetteer: Gazetteer
    private let language: Language

    init(map: MapDatabase, _ gazetteer: Gazetteer, _ language: Language) {
        (self.map, self.gazetteer, self.language) = (map, gazetteer, language)
    }

    /// Returns how many of the listings of a demo are in the town. More would hide those of large boards.
    static func count(of listings: Int) -> Int { min(listings / 2, 100, max(10, listings / 20)) }

    /// The box of the listings in the town; those of finders may be outside.
    static var box: BoundingBox? {
        guard let low = Coordinate(lon: west, lat: south), let high = Coordinate(lon: east, lat: north) else {
            return nil
        }
        return BoundingBox(southWest: low, northEast: high)
    }

    func spot(_ random: inout SplitMix64) throws -> DemoSpot {
        for _ in 0..<Self.tries {
            let lon = Double.random(in: Self.west...Self.east, using: &random)
            let lat = Double.random(in: Self.south...Self.north, using: &random)
            guard let point = Coordinate(roundedLon: lon, lat: lat), let spot = try spot(at: point) else { continue }
            return spot
        }
        let name = Self.mapName
        throw ServiceError.invalid(
            "demo", "the map \(name) has no streets in Valletta: `osm remove \(name)` removes it")
    }

    /// Returns nil in the sea and on other maps, where no street is near.
    func spot(at point: Coordinate) throws -> DemoSpot? {
        guard let found = try map.address(at: point, within: Self.besideStreet) else { return nil }
        return try DemoSpot(point, street: found.address.text, gazetteer, language)
    }
}
