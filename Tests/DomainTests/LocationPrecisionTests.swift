import Domain
import Testing

@Suite("Approximate positions")
struct LocationPrecisionTests {
    /// Points all over the Earth, including the poles and the antimeridian.
    private static let points: [Coordinate] = {
        // Multiples of irrational numbers are uniformly distributed (Weyl, 1916).
        let anywhere = (0..<20_000).map(Double.init).compactMap { number in
            Coordinate(
                lon: (number * 2.0.squareRoot()).truncatingRemainder(dividingBy: 1) * 360 - 180,
                lat: (number * 3.0.squareRoot()).truncatingRemainder(dividingBy: 1) * 180 - 90
            )
        }
        let edges = [-180, -179.999_999, 0, 179.999_999, 180].flatMap { lon in
            [-90, -89.999, 0, 45, 89.999, 90].compactMap { lat in Coordinate(lon: lon, lat: lat) }
        }
        return anywhere + edges
    }()

    @Test("The centre of a cell lies in the cell")
    func isStable() {
        for point in Self.points { #expect(point.cellCentre.cellCentre == point.cellCentre, "\(point)") }
    }

    @Test("Cells are about 500 m wide and high")
    func isNear() {
        for point in Self.points where abs(point.lat) < 89 {
            let centre = point.cellCentre
            let north = abs(centre.lat - point.lat) * 111_195
            let turn = abs(centre.lon - point.lon).truncatingRemainder(dividingBy: 360)
            let east = min(turn, 360 - turn) * 111_195 * cosine(centre.lat)
            #expect(north <= 251 && east <= 270, "\(point): \(north) m, \(east) m")
        }
    }

    @Test("All points of a cell have the same centre")
    func isOneForAll() throws {
        let centre = try #require(Coordinate(lon: 14.793, lat: 40.7722)).cellCentre
        for step in -20...20 {
            let (lon, lat) = (centre.lon + Double(step) * 0.000_13, centre.lat + Double(step) * 0.000_1)
            #expect(try #require(Coordinate(lon: lon, lat: lat)).cellCentre == centre)
        }
    }

    private func cosine(_ degrees: Double) -> Double {
        // The series is exact enough for metres. It is independent of the cosine that the tested function uses.
        let x = degrees * .pi / 180
        return stride(from: 12, through: 1, by: -1).reduce(1.0) { sum, n in
            1 - sum * x * x / Double((2 * n - 1) * (2 * n))
        }
    }
}
