/// A range of longitudes and latitudes in degrees. If west is greater than east, it crosses the antimeridian (RFC 7946,
/// section 5.2).
public struct BoundingBox: Equatable, Sendable {
    package let southWest: Coordinate
    package let northEast: Coordinate

    package static let expectation: ErrorMessage = "expected minLon,minLat,maxLon,maxLat in degrees"

    /// Returns nil if south is greater than north.
    package init?(southWest: Coordinate, northEast: Coordinate) {
        guard southWest.lat <= northEast.lat else { return nil }
        self.southWest = southWest
        self.northEast = northEast
    }

    /// Returns nil if the sides are no coordinates, or if south is greater than north.
    package init?(west: Double, south: Double, east: Double, north: Double) {
        guard let southWest = Coordinate(lon: west, lat: south), let northEast = Coordinate(lon: east, lat: north)
        else { return nil }
        self.init(southWest: southWest, northEast: northEast)
    }

    /// Creates a box that extends `reach` degrees from a point to each side, limited to valid coordinates.
    package init(around point: Coordinate, reach: Double) {
        southWest = Coordinate(lon: max(-180, point.lon - reach), lat: max(-90, point.lat - reach)) ?? point
        northEast = Coordinate(lon: min(180, point.lon + reach), lat: min(90, point.lat + reach)) ?? point
    }

    /// Parses four numbers separated by commas. Longitudes may go once around the Earth, as those of maps do that were
    /// moved across the antimeridian: 170 to 190 is 170 to -170.
    package init(parsing text: String) throws(ServiceError) {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmed.decimalNumber }
        guard numbers.count == 4, let west = numbers[0], let south = numbers[1], let east = numbers[2],
            let north = numbers[3], [west, east].allSatisfy({ (-540...540).contains($0) })
        else { throw .invalid("bbox", Self.expectation) }
        let isAllRound = east - west >= 360
        guard let southWest = Coordinate(lon: isAllRound ? -180 : Self.longitude(west), lat: south),
            let northEast = Coordinate(lon: isAllRound ? 180 : Self.longitude(east), lat: north),
            let box = BoundingBox(southWest: southWest, northEast: northEast)
        else { throw .invalid("bbox", Self.expectation) }
        self = box
    }

    /// The same longitude from -180 to 180 degrees.
    private static func longitude(_ degrees: Double) -> Double {
        (-180...180).contains(degrees) ? degrees : degrees - 360 * ((degrees + 180) / 360).rounded(.down)
    }

    /// The four numbers separated by commas, from west to north.
    package var text: String {
        [southWest.lon, southWest.lat, northEast.lon, northEast.lat].map { String($0) }.joined(separator: ",")
    }

    /// Returns the box with its sides moved outwards, limited to valid coordinates.
    package func expanded(by degrees: Double) -> BoundingBox {
        let isAcrossAntimeridian = southWest.lon > northEast.lon
        let (west, east) = (southWest.lon - degrees, northEast.lon + degrees)
        let isAllRound = isAcrossAntimeridian && west <= east
        guard
            let low = Coordinate(lon: isAllRound ? -180 : max(-180, west), lat: max(-90, southWest.lat - degrees)),
            let high = Coordinate(lon: isAllRound ? 180 : min(180, east), lat: min(90, northEast.lat + degrees))
        else { return self }
        return BoundingBox(southWest: low, northEast: high) ?? self
    }

    /// The centre of the box.
    package var middle: Coordinate {
        let width = northEast.lon - southWest.lon + (southWest.lon > northEast.lon ? 360 : 0)
        let lat = (southWest.lat + northEast.lat) / 2
        return Coordinate(lon: Self.longitude(southWest.lon + width / 2), lat: lat) ?? southWest
    }

    package func contains(_ point: Coordinate) -> Bool {
        guard (southWest.lat...northEast.lat).contains(point.lat) else { return false }
        if southWest.lon <= northEast.lon { return (southWest.lon...northEast.lon).contains(point.lon) }
        return point.lon >= southWest.lon || point.lon <= northEast.lon
    }
}
