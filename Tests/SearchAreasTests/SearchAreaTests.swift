import Domain
import Foundation
import RandomSupport
import SearchAreas
import SpatiaLite
import Testing

@Suite("Search areas")
struct SearchAreaTests {
    private static let dog = MissingAnimal(species: .dog)
    private static let start = Timestamp(parsing: "2026-11-01T12:00:00Z") ?? .now

    private static func at(
        _ lon: Double,
        _ lat: Double,
        hours: Double = 0,
        isCell: Bool = false
    ) throws -> SearchArea.Observation {
        let point = try #require(Coordinate(lon: lon, lat: lat))
        return SearchArea.Observation(point, at: start.adding(seconds: 3_600 * hours), isCell: isCell)
    }

    private static func area(
        _ lost: SearchArea.Observation,
        _ sightings: [SearchArea.Observation] = [],
        hours: Double,
        of animal: MissingAnimal = dog
    ) throws -> SearchArea {
        let now = start.adding(seconds: 3_600 * hours)
        return try #require(SearchArea(of: animal, lost: lost, sightings: sightings, now: now))
    }

    @Test("Without a sighting, three circles grow around the place of the loss until two days have passed")
    func growing() throws {
        let lost = try Self.at(14.79, 40.77)
        let radii = try [0, 3, 6, 24, 48, 500].map { hours in
            try Self.area(lost, hours: hours).circles.map(\.radiusMetres)
        }
        #expect(radii[0] == [90, 280, 1_143] && radii[0] == radii[1])
        #expect(radii[4] == [357, 1_120, 4_572] && radii[4] == radii[5])
        for (before, after) in zip(radii.dropFirst(), radii.dropFirst(2)) {
            #expect(zip(before, after).allSatisfy { $0 <= $1 })
        }
        let area = try Self.area(lost, hours: 7.9)
        #expect(area.hours == 7 && area.circles.map(\.probability) == SearchArea.shares)
        #expect(area.circles.allSatisfy { $0.around == .lost && $0.centre == lost.coordinate })
        #expect(SearchArea(of: MissingAnimal(species: .other), lost: lost, now: Self.start) == nil)
    }

    @Test("Circles around a cell are never smaller than the cell, and hold the share that they promise")
    func cells() throws {
        let cell = try Self.at(14.79, 40.77, isCell: true)
        #expect(try Self.area(cell, hours: 0).circles.map(\.radiusMetres) == [354, 354, 1_161])
        var random = SeededGenerator(seed: 7)
        for hours in [3.0, 12, 48] {
            let area = try Self.area(cell, hours: hours)
            let offsets = (0..<100_000).map { _ in
                let distance = Self.distance(&random) * Growth.factor(hours: hours)
                let angle = Double.random(in: 0..<2 * .pi, using: &random)
                let (x, y) = (
                    Double.random(in: -250...250, using: &random), Double.random(in: -250...250, using: &random)
                )
                return hypot(x + distance * cos(angle), y + distance * sin(angle))
            }
            for circle in area.circles {
                let share = Double(offsets.count { $0 <= circle.radiusMetres }) / Double(offsets.count)
                #expect(share >= circle.probability - 0.02, "\(hours) h: \(circle.radiusMetres) m hold \(share)")
            }
        }
    }

    /// A distance of a dog after days in metres.
    static func distance(_ random: inout SeededGenerator) -> Double {
        let isNear = Double.random(in: 0..<1, using: &random) < 0.67
        let (first, second) = (Double.random(in: 0..<1, using: &random), Double.random(in: 0..<1, using: &random))
        let normal = (-2 * log(1 - first)).squareRoot() * cos(2 * .pi * second)
        return isNear ? 168 * exp(1.83 * normal) : 984 * exp(1.09 * normal)
    }

    @Test("A sighting restarts the centre and the clock, and leaves a fifth at the place of the loss")
    func sighting() throws {
        let lost = try Self.at(14.79, 40.77)
        let seen = try [Self.at(14.9, 40.8, hours: 40), Self.at(14.85, 40.8, hours: 20)]
        let area = try Self.area(lost, seen, hours: 43)
        #expect(area.hours == 3)
        let newest = area.circles.filter { $0.around == .sighting }
        #expect(newest.count == 3 && newest.allSatisfy { $0.centre == seen[0].coordinate })
        let dogs = try #require(Self.dog.distances)
        let (moved, home) = (dogs.scaled(by: 0.25), dogs.scaled(by: Growth.factor(hours: 43)))
        for share in SearchArea.shares {
            let radii = area.circles.filter { $0.probability == share }
            let held = radii.reduce(0) { sum, circle in
                sum
                    + (circle.around == .sighting
                        ? 0.8 * moved.share(within: circle.radiusMetres)
                        : 0.2 * home.share(within: circle.radiusMetres))
            }
            #expect(held >= share && held < share + 0.02, "\(share): \(held)")
            // No other split of the share has a smaller area.
            let area = radii.reduce(0) { $0 + $1.radiusMetres * $1.radiusMetres }
            for part in stride(from: 0.01, to: 0.99, by: 0.02) {
                let rest = (share - 0.2 * part) / 0.8
                guard rest > 0, rest < 1 else { continue }
                let other = pow(moved.radius(holding: rest), 2) + pow(home.radius(holding: part), 2)
                #expect(area <= other * 1.02 + 2_000, "\(share): \(part) at home")
            }
        }
    }

    @Test("Sightings before the loss and in the future do not count")
    func times() throws {
        let lost = try Self.at(14.79, 40.77)
        let seen = try [Self.at(15, 41, hours: -1), Self.at(15, 41, hours: 0), Self.at(15, 41, hours: 11)]
        #expect(try Self.area(lost, seen, hours: 10) == Self.area(lost, hours: 10))
        let early = try Self.area(lost, hours: -5)
        #expect(early.hours == 0 && early.circles[0].radiusMetres == 90)
    }

    @Test("Polygons follow the circle on the ellipsoid", arguments: [0.0, 40.77, -33.9, 69.6])
    func polygon(lat: Double) throws {
        let lost = try Self.at(14.79, lat)
        for circle in try Self.area(lost, hours: 48).circles {
            let ring = try #require(circle.rings.first)
            #expect(circle.rings.count == 1 && ring.count == 65 && ring.first == ring.last)
            for corner in ring {
                #expect(abs(corner.distance(to: lost.coordinate) / circle.radiusMetres - 1) < 0.000_1)
            }
            #expect(Self.signedArea(ring) > 0, "counterclockwise")
        }
    }

    private static func signedArea(_ ring: [Coordinate]) -> Double {
        zip(ring, ring.dropFirst()).reduce(0) { $0 + $1.0.lon * $1.1.lat - $1.1.lon * $1.0.lat }
    }

    @Test("Circles across the antimeridian are two polygons", arguments: [179.99, -179.99, 180, -180])
    func antimeridian(lon: Double) throws {
        let circle = try #require(try Self.area(Self.at(lon, -17), hours: 48).circles.last)
        let rings = circle.rings
        #expect(rings.count == 2)
        for ring in rings {
            let longitudes = ring.map(\.lon)
            #expect((longitudes.max() ?? 0) - (longitudes.min() ?? 0) < 1 && ring.first == ring.last)
            #expect(longitudes.contains { abs($0) == 180 } && Self.signedArea(ring) > 0)
        }
        let areas = rings.map(Self.signedArea).reduce(0, +)
        let plain = try #require(try Self.area(Self.at(10, -17), hours: 48).circles.last?.rings.first)
        #expect(abs(areas / Self.signedArea(plain) - 1) < 0.000_1)
    }

    @Test("Circles around a pole reach from one end of the world to the other", arguments: [90, 89.99, -90, -89.99])
    func poles(lat: Double) throws {
        let circle = try #require(try Self.area(Self.at(14.79, lat), hours: 48).circles.last)
        let ring = try #require(circle.rings.first)
        #expect(circle.rings.count == 1 && ring.first == ring.last && Self.signedArea(ring) > 0)
        #expect(ring.map(\.lon).min() == -180 && ring.map(\.lon).max() == 180)
        #expect(ring.contains { $0.lat == (lat < 0 ? -90 : 90) })
        #expect(ring.allSatisfy { abs($0.lat) > 89.9 })
    }
}
