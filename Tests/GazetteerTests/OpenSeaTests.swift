import Domain
import Geodata
import Testing

@testable import Gazetteer

@Suite("The open sea")
struct OpenSeaTests {
    private func isOpenSea(_ lon: Double, _ lat: Double) throws -> Bool {
        let gazetteer = try Gazetteer(directory: Geodata.directory)
        return try gazetteer.isOpenSea(at: try #require(Coordinate(lon: lon, lat: lat)))
    }

    @Test(
        "No land is open sea: towns, deserts, ice, lakes, islands far from others, and land at the antimeridian",
        arguments: [
            (14.79, 40.77), (5, 24), (50, 20), (-40, 72), (106.8, -78.46), (-87.5, 47.7), (50.8, 40.25),
            (12.60, 35.51), (12.87, 35.865), (11.99, 36.79), (15.50, 42.12), (12.96, 40.90), (9.90, 43.43),
            (10.31, 42.335), (-155.5, 19.6), (-31.11, 39.70), (12.12, 67.52), (99.84, 10.10), (162.33, 11.35),
            (-12.30, -37.07), (-130.10, -25.07), (73.5, -53.1), (-179.95, -16.85), (179.98, -16.80), (180, 71.2),
            (-180, 71.2), (-178.73, -20.66),
        ]
    )
    func land(lon: Double, lat: Double) throws {
        #expect(try !isOpenSea(lon, lat))
    }

    @Test("Coasts are land up to 20 km out", arguments: [(14.10, 40.60), (12.10, 41.65), (13.62, 43.70)])
    func coast(lon: Double, lat: Double) throws {
        #expect(try !isOpenSea(lon, lat))
    }

    @Test(
        "The open sea is more than 20 km from land",
        arguments: [
            (1, 1), (0.5, 0.5), (12, 39.5), (5, 40), (18, 35), (14.0, 40.3), (13.9, 43.9), (-30, 40), (2.5, 54.8),
            (34, 43.2), (180, 0), (-180, 0), (-140, 30), (0, -60), (180, -90), (0, 90),
        ]
    )
    func sea(lon: Double, lat: Double) throws {
        #expect(try isOpenSea(lon, lat) == (lat > -89))
    }

    @Test("Every settlement of Italy is on land")
    func settlements() throws {
        let gazetteer = try Gazetteer(directory: Geodata.directory)
        let places = gazetteer.towns(of: "IT", language: .italian)
        #expect(places.count > 50_000)
        #expect(try places.filter { try gazetteer.isOpenSea(at: $0.coordinate) }.map(\.fullName) == [])
    }
}
