import CSpatiaLite
package import Domain

extension Coordinate {
    /// Returns the geodesic distance on WGS 84 in metres. The error is well below a millimetre, even near antipodes.
    package func distance(to other: Coordinate) -> Double {
        geodesic_distance(lon, lat, other.lon, other.lat)
    }

    /// Returns a lower bound of `distance(to:)` in metres.
    package func lowerBound(of other: Coordinate) -> Double {
        geodesic_lower_bound(lon, lat, other.lon, other.lat)
    }

    /// Returns a lower bound of the distance in metres to a box in degrees that does not cross the antimeridian.
    package func lowerBound(ofBox west: Double, _ south: Double, _ east: Double, _ north: Double) -> Double {
        geodesic_lower_bound_to_box(lon, lat, west, south, east, north)
    }
}
