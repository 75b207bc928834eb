import CSpatiaLite
package import Domain

extension Coordinate {
    /// Metres along the geodesic on WGS 84; exact to well under a millimetre, antipodes included.
    package func distance(to other: Coordinate) -> Double {
        geodesic_distance(lon, lat, other.lon, other.lat)
    }

    /// Metres that `distance(to:)` never falls short of.
    package func lowerBound(of other: Coordinate) -> Double {
        geodesic_lower_bound(lon, lat, other.lon, other.lat)
    }

    /// The same for the nearest point of a box (degrees) that does not cross the antimeridian.
    package func lowerBound(ofBox west: Double, _ south: Double, _ east: Double, _ north: Double) -> Double {
        geodesic_lower_bound_to_box(lon, lat, west, south, east, north)
    }
}
