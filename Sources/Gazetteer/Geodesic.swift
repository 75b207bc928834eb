import Domain
import Foundation

/// Distances on the WGS 84 ellipsoid.
enum Geodesic {
    private static let equatorialRadius = 6_378_137.0
    private static let flattening = 1 / 298.257_223_563

    /// Returns the distance in metres by Lambert's formula for long lines (1942), with reduced latitudes.
    ///
    /// The result differs from the geodesic by at most about 10 m over thousands of kilometres and by centimetres over
    /// tens of kilometres. Near antipodes the function uses the great circle.
    static func metres(from a: Coordinate, to b: Coordinate) -> Double {
        let beta1 = reduced(a.lat)
        let beta2 = reduced(b.lat)
        let sigma = centralAngle(beta1, beta2, (b.lon - a.lon) * .pi / 180)
        guard sigma > 0, sigma < 3.1 else { return equatorialRadius * sigma }
        let p = (beta1 + beta2) / 2
        let q = (beta2 - beta1) / 2
        let x = (sigma - sin(sigma)) * pow(sin(p) * cos(q) / cos(sigma / 2), 2)
        let y = (sigma + sin(sigma)) * pow(cos(p) * sin(q) / sin(sigma / 2), 2)
        return equatorialRadius * (sigma - flattening / 2 * (x + y))
    }

    private static func reduced(_ lat: Double) -> Double {
        atan((1 - flattening) * tan(lat * .pi / 180))
    }

    private static func centralAngle(_ phi1: Double, _ phi2: Double, _ deltaLambda: Double) -> Double {
        let h = pow(sin((phi2 - phi1) / 2), 2) + cos(phi1) * cos(phi2) * pow(sin(deltaLambda / 2), 2)
        return 2 * asin(min(1, h.squareRoot()))
    }
}
