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
