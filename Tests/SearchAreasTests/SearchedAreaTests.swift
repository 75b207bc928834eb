import Domain
import Foundation
import Testing

@testable import SearchAreas

@Suite("Searched areas")
struct SearchedAreaTests {
    private static let home = Coordinate(lon: 14.79, lat: 40.77) ?? origin
    private static let origin = unsafeBitCast((0.0, 0.0), to: Coordinate.self)

    /// A search area after so many hours.
    private static func area(_ centre: Coordinate = home, hours: Double = 72) throws -> SearchArea {
        let now = Timestamp.now
        let lost = SearchArea.Observation(centre, at: now.adding(seconds: -3600 * hours), isCell: false)
        return try #require(SearchArea(of: MissingAnimal(species: .dog), lost: lost, now: now))
    }

    /// A line through points some metres east and north of a centre.
    private static func line(_ metres: [(Double, Double)], around centre: Coordinate = home) -> [Coordinate] {
        let plane = LocalPlane(around: centre)
        return metres.compactMap { plane.coordinate(.init(x: $0.0, y: $0.1), shift: 0) }
    }

    private static func share(_ searched: SearchedArea, _ probability: Double) -> Double {
        searched.shares.first { $0.probability == probability }?.share ?? -1
    }

    @Test("A straight walk through the centre has searched a strip of 100 m")
    func strip() throws {
        let area = try Self.area()
        let walk = stride(from: -8000.0, through: 8000, by: 20).map { ($0, 0.0) }
        let searched = SearchedArea(of: area, lines: [Self.line(walk)])
        for circle in area.circles {
            let radius = circle.radiusMetres
            let half = min(50, radius)
            // The part of a disc between two parallel lines.
            let part = 2 * (half * (radius * radius - half * half).squareRoot() + radius * radius * asin(half / radius))
            let expected = part / (.pi * radius * radius)
            #expect(abs(Self.share(searched, circle.probability) - expected) < 0.02 * expected + 0.005)
        }
        #expect(searched.polygons.count == 1 && searched.polygons[0].count == 1)
        #expect(searched.polygons[0][0].first == searched.polygons[0][0].last)
    }

    @Test("A walk around a block leaves a hole")
    func hole() throws {
        let corners = [(-300.0, -300.0), (300, -300), (300, 300), (-300, 300), (-300, -300)]
        let searched = SearchedArea(of: try Self.area(), lines: [Self.line(corners)])
        #expect(searched.polygons.map(\.count) == [2])
    }

    @Test("Nothing, walks elsewhere and gaps in the recording search nothing")
    func nothing() throws {
        let area = try Self.area()
        let far = try #require(Coordinate(lon: 20, lat: 50))
        for lines in [[], [[]], [Self.line([(0, 0), (500, 0)], around: far)]] {
            let searched = SearchedArea(of: area, lines: lines)
            #expect(searched.polygons.isEmpty && searched.shares.map(\.share) == [0, 0, 0])
        }
        #expect(SearchedArea(of: area, lines: [[Self.home]]).polygons.count == 1)
        // Only the ends of a gap.
        #expect(SearchedArea(of: area, lines: [Self.line([(-600, 0), (600, 0)])]).polygons.count == 2)
    }

    @Test("Areas across the antimeridian are cut there", arguments: [179.9999, -179.9999])
    func antimeridian(lon: Double) throws {
        let centre = try #require(Coordinate(lon: lon, lat: -17))
        let line = [179.999, -179.999].compactMap { Coordinate(lon: $0, lat: -17) }
        let searched = SearchedArea(of: try Self.area(centre), lines: [line])
        #expect(searched.polygons.count == 2)
        for ring in searched.polygons.joined() {
            let lons = ring.map(\.lon)
            #expect((lons.max() ?? 0) - (lons.min() ?? 0) < 0.01)
        }
    }

    @Test("Hostile lines take bounded time", .timeLimit(.minutes(5)), arguments: [100.0, 900.0])
    func hostile(reach: Double) throws {
        var generator = SystemRandomNumberGenerator()
        let points = (0..<200_000).map { _ in
            (Double.random(in: -reach...reach, using: &generator), Double.random(in: -reach...reach, using: &generator))
        }
        _ = SearchedArea(of: try Self.area(), lines: [Self.line(points)])
    }

    @Test("A long search is computed", .timeLimit(.minutes(5)))
    func long() throws {
        let steps = stride(from: -1500.0, through: 1500, by: 5)
        let walk: [(Double, Double)] = (0..<40).flatMap { row -> [(Double, Double)] in
            let north = Double(row) * 75 - 1500
            return steps.map { east -> (Double, Double) in (east, north + 10 * sin(east / 40)) }
        }
        let searched = SearchedArea(of: try Self.area(), lines: [Self.line(walk)])
        #expect(Self.share(searched, 0.5) > 0.95)
    }
}
