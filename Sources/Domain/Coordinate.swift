/// A position on the WGS 84 ellipsoid, in degrees. Longitude precedes latitude, as in RFC 7946.
public struct Coordinate: Hashable, Sendable {
    /// Degrees east, -180...180.
    public let lon: Double
    /// Degrees north, -90...90.
    public let lat: Double

    /// In metres: an upper bound of the distance between two points, slightly more than half of the equator's length.
    package static let maxDistance = 20_100_000.0

    /// Returns nil if a value is not a number or out of range.
    public init?(lon: Double, lat: Double) {
        guard (-180.0...180.0).contains(lon), (-90.0...90.0).contains(lat) else { return nil }
        self.lon = lon
        self.lat = lat
    }
}

extension Coordinate {
    /// In degrees. No animal is lost nearer to a pole; points there come from mistakes.
    private static let maxLatitude = 89.0

    /// Throws `invalid` for a point where no animal can be: at a pole, and at 0, 0, which is in the sea.
    package func expectPossible() throws(ServiceError) {
        guard lon != 0 || lat != 0 else {
            throw .invalid("lon", "0, 0 lies in the sea, and is what a device without a position writes")
        }
        guard abs(lat) <= Self.maxLatitude else { throw .invalid("lat", "expected a point away from the poles") }
    }
}
