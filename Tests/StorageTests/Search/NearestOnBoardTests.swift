import Domain
import Foundation
import RandomSupport
import SpatiaLite
import Testing

@testable import Storage

@Suite("Nearest listings by degrees")
struct NearestOnBoardTests {
    @Test("No point beyond a distance in degrees is nearer than the bound, also at the poles and the antimeridian")
    func leastDistance() throws {
        var random = SeededGenerator(seed: 5)
        var tightest = 0.0
        for round in 0..<200_000 {
            let lat =
                round.isMultiple(of: 4)
                ? 89.99 : round.isMultiple(of: 7) ? 0 : Double.random(in: -90...90, using: &random)
            let lon = round.isMultiple(of: 3) ? 179.99 : Double.random(in: -180...180, using: &random)
            let centre = try #require(Coordinate(lon: lon, lat: lat))
            let reach = Double.random(in: -4...2.5, using: &random)
            let (degrees, angle) = (pow(10, reach), Double.random(in: 0...(2 * .pi), using: &random))
            // On the edge, where the bound is tightest; some across the antimeridian are farther in degrees.
            guard let point = Coordinate(lon: lon + degrees * cos(angle), lat: lat + degrees * sin(angle)) else {
                continue
            }
            let (east, north) = (point.lon - lon, point.lat - lat)
            let away = (east * east + north * north).squareRoot()
            let bound = NearestOnBoard.leastDistance(from: centre, beyond: away)
            let distance = centre.distance(to: point)
            #expect(bound <= distance)
            if abs(lat) < 60, away < 0.1 { tightest = max(tightest, bound / distance) }
            guard let other = Coordinate(lon: -lon, lat: lat) else { continue }
            #expect(NearestOnBoard.leastDistance(from: centre, beyond: 2 * abs(lon)) <= centre.distance(to: other))
        }
        // A bound that is much too low would only make searches slow.
        #expect(tightest > 0.98)
    }
}
