import Domain
import Testing

@Suite("Coordinates")
struct CoordinateTests {
    @Test("No animal is at 0, 0 or at a pole", arguments: [(0, 0, "lon"), (14, 89.5, "lat"), (14, -90, "lat")])
    func impossible(lon: Double, lat: Double, field: String) throws {
        let point = try #require(Coordinate(lon: lon, lat: lat))
        #expect(#expect(throws: ServiceError.self) { try point.expectPossible() }?.field == field)
    }

    @Test(
        "Animals are on the equator, on the meridian and in the far north",
        arguments: [(0.1, 0), (0, 51.5), (25, 71.2)])
    func possible(lon: Double, lat: Double) throws {
        try #require(Coordinate(lon: lon, lat: lat)).expectPossible()
    }
}
