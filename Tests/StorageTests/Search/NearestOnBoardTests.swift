import Domain
import Foundation
import RandomSupport
import SpatiaLite
import TestSupport
import Testing

@testable import Storage

@Suite("Nearest listings on a map")
struct NearestOnBoardTests {
    @Test("No point beyond a distance on the map is nearer than the bound, also at the poles and the antimeridian")
    func leastDistance() throws {
        var random = SeededGenerator(seed: 5)
        var tightest = 0.0
        for round in 0..<200_000 {
            let lat =
                round.isMultiple(of: 4)
                ? 89.89 : round.isMultiple(of: 7) ? 0 : Double.random(in: -90...90, using: &random)
            let lon = round.isMultiple(of: 3) ? 179.99 : Double.random(in: -180...180, using: &random)
            let centre = try #require(Coordinate(lon: lon, lat: lat))
            let reach = Double.random(in: -6...2.5, using: &random)
            let (degrees, angle) = (pow(10, reach), Double.random(in: 0...(2 * .pi), using: &random))
            // On the edge, where the bound is tightest; some across the antimeridian are farther away on the map.
            let north = Self.mercator(lat) + degrees * sin(angle)
            guard let point = Coordinate(lon: lon + degrees * cos(angle), lat: Self.latitude(north)) else { continue }
            let bound = NearestOnBoard.leastDistance(from: centre, beyond: Self.away(centre, point))
            let distance = centre.distance(to: point)
            #expect(bound <= distance)
            if abs(lat) < 60, (0.0001...0.1).contains(degrees) { tightest = max(tightest, bound / distance) }
            guard let other = Coordinate(lon: -lon, lat: lat) else { continue }
            #expect(NearestOnBoard.leastDistance(from: centre, beyond: 2 * abs(lon)) <= centre.distance(to: other))
        }
        // A bound that is much too low would only make searches slow.
        #expect(tightest > 0.99)
    }

    @Test("The map is that of PostgreSQL, also beyond its ends", .enabled(if: !TestDatabase.isFile, "needs PostgreSQL"))
    func map() async throws {
        let board = try await TestDatabase()
        for lat in [-90.0, -89.99, -45, 0, 1e-9, 41.9, 89.95, 90] {
            let found: Double? = try board.database.readNow { db in
                try db.value("SELECT (mercator(12.5, ?))[1]", [lat])
            }
            #expect(abs(try #require(found) - Self.mercator(max(-89.99, min(89.99, lat)))) < 1e-9, "\(lat)")
        }
    }

    private static func mercator(_ lat: Double) -> Double { asinh(tan(lat * .pi / 180)) * 180 / .pi }

    private static func latitude(_ mercator: Double) -> Double { atan(sinh(mercator * .pi / 180)) * 180 / .pi }

    private static func away(_ a: Coordinate, _ b: Coordinate) -> Double {
        let (east, north) = (b.lon - a.lon, mercator(b.lat) - mercator(a.lat))
        return (east * east + north * north).squareRoot()
    }
}
