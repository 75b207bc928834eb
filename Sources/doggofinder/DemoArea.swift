import Domain
import Foundation
import Gazetteer

/// Where listings of a demo are.
protocol DemoArea {
    /// The greatest ages of listings in days. Open listings expire after 90 days.
    var openDays: Double { get }
    var closedDays: Double { get }

    /// Returns the place of a listing at random.
    func spot(_ random: inout SplitMix64) throws -> DemoSpot
    /// Returns nil if no dog can be at the point.
    func spot(at point: Coordinate) throws -> DemoSpot?
}

struct DemoSpot {
    let location: ListingLocation
    /// The street, if it is known.
    var street: String?

    init(_ point: Coordinate, street: String? = nil, _ gazetteer: Gazetteer, _ language: Language) throws {
        location = ListingLocation(
            coordinate: point,
            approximate: false,
            named: try gazetteer.place(at: point, language: language)
        )
        self.street = street
    }
}

/// The towns of a country, each with as many listings as its population suggests.
struct CountryTowns: DemoArea {
    let openDays = 85.0
    let closedDays = 365.0

    private let gazetteer: Gazetteer
    private let language: Language
    private let towns: Weighted<Place>
    private let country: String?
    private static let maxTries = 20

    /// - Parameters:
    ///   - towns: at least one.
    ///   - country: that of all places. If it is nil, some are on the sea or beyond a border, as they were when seeds made listings
    ///     of Italy only.
    ///   - gazetteer: tells the place of each point.
    ///   - language: that of the names of countries.
    init(_ towns: [Place], in country: String?, _ gazetteer: Gazetteer, _ language: Language) {
        (self.country, self.gazetteer, self.language) = (country, gazetteer, language)
        self.towns = Weighted(towns.map { ($0, Double(max(50, $0.population ?? 0))) })
    }

    func spot(_ random: inout SplitMix64) throws -> DemoSpot {
        var spot = try DemoSpot(towns.pick(&random).point(&random), gazetteer, language)
        var tries = 1
        while let country, spot.location.countryCode != country, tries < Self.maxTries {
            spot = try DemoSpot(towns.pick(&random).point(&random), gazetteer, language)
            tries += 1
        }
        return spot
    }

    func spot(at point: Coordinate) throws -> DemoSpot? { try DemoSpot(point, gazetteer, language) }
}

extension Place {
    /// Most points are near the centre, some in the surroundings. Larger towns have a larger radius.
    func point(_ random: inout SplitMix64) -> Coordinate {
        let core = max(300, 350 * pow(Double(population ?? 0) / 1000, 0.35))  // metres
        let spread = Double.random(in: 0..<1, using: &random) < 0.8 ? core : 3 * core
        let distance = spread * (-2 * log(1 - Double.random(in: 0..<1, using: &random))).squareRoot()
        return coordinate.point(distance, &random)
    }
}

extension Coordinate {
    /// Returns a point at a distance in metres, in a random direction.
    func point(_ distance: Double, _ random: inout SplitMix64) -> Coordinate {
        let angle = Double.random(in: 0..<2 * .pi, using: &random)
        let north = distance * sin(angle) / 111_200
        let east = distance * cos(angle) / (111_200 * cos(lat * .pi / 180))
        return Coordinate(roundedLon: lon + east, lat: lat + north) ?? self
    }

    /// Creates a coordinate with six decimals.
    init?(roundedLon lon: Double, lat: Double) {
        func rounded(_ degrees: Double) -> Double { (degrees * 1e6).rounded() / 1e6 }
        self.init(lon: rounded(lon), lat: rounded(lat))
    }
}
