package import Domain
import Foundation

extension SearchArea.Circle {
    package static let corners = 64

    /// Returns the circle as polygons on the WGS 84 ellipsoid, each a closed ring, counterclockwise. A circle across the
    /// antimeridian consists of two (RFC 7946, section 3.1.9).
    package var rings: [[Coordinate]] {
        let corners = (0..<Self.corners).map { number in
            corner(bearing: -2 * .pi * Double(number) / Double(Self.corners))
        }
        if let pole = poleInside { return [Self.ring(around: pole, corners)] }
        return [-360.0, 0, 360].compactMap { shift in
            let ring = Self.clip(corners.map { Corner(lon: $0.lon + shift, lat: $0.lat) })
            return ring.count < 3 ? nil : Self.closed(ring)
        }
    }

    /// A corner whose longitude may be outside of the valid range.
    private struct Corner: Equatable {
        let lon: Double
        let lat: Double
    }

    /// In degrees north; nil if the circle contains no pole.
    private var poleInside: Double? {
        let reach = radiusMetres / Self.radiusOfCurvature(centre.lat, bearing: 0) * 180 / .pi
        return 90 - abs(centre.lat) < reach ? (centre.lat < 0 ? -90 : 90) : nil
    }

    private func corner(bearing: Double) -> Corner {
        let angle = radiusMetres / Self.radiusOfCurvature(centre.lat, bearing: bearing)
        let lat = centre.lat * .pi / 180
        let sine = sin(lat) * cos(angle) + cos(lat) * sin(angle) * cos(bearing)
        let north = asin(max(-1, min(1, sine)))
        let east = atan2(sin(bearing) * sin(angle) * cos(lat), cos(angle) - sin(lat) * sin(north))
        return Corner(lon: centre.lon + east * 180 / .pi, lat: north * 180 / .pi)
    }

    /// The radius of curvature of the ellipsoid in a direction (Euler), in metres.
    private static func radiusOfCurvature(_ degrees: Double, bearing: Double) -> Double {
        let (equator, eccentricity) = (6_378_137.0, 0.006_694_379_990_14)
        let root = 1 - eccentricity * pow(sin(degrees * .pi / 180), 2)
        let meridian = equator * (1 - eccentricity) / pow(root, 1.5)
        let across = equator / root.squareRoot()
        return 1 / (pow(cos(bearing), 2) / meridian + pow(sin(bearing), 2) / across)
    }

    /// Returns the ring from one end of the world to the other, and back along the pole.
    private static func ring(around pole: Double, _ corners: [Corner]) -> [Coordinate] {
        let around = corners.map { Corner(lon: $0.lon - 360 * (($0.lon + 180) / 360).rounded(.down), lat: $0.lat) }
            .sorted { $0.lon < $1.lon }
        guard let first = around.first else { return [] }
        let outline = [Corner(lon: -180, lat: first.lat)] + around + [Corner(lon: 180, lat: first.lat)]
        let ring = outline + [Corner(lon: 180, lat: pole), Corner(lon: -180, lat: pole)]
        return closed(pole > 0 ? ring : ring.reversed())
    }

    /// Cuts off what lies beyond the antimeridian (Sutherland and Hodgman).
    private static func clip(_ ring: [Corner]) -> [Corner] {
        [(-180.0, 1.0), (180.0, -1.0)].reduce(ring) { ring, edge in
            let (limit, side) = edge
            return zip(ring, ring.dropFirst() + ring.prefix(1)).flatMap { from, to -> [Corner] in
                let (isFromInside, isToInside) = (side * (from.lon - limit) >= 0, side * (to.lon - limit) >= 0)
                let kept = isFromInside ? [from] : []
                guard isFromInside != isToInside else { return kept }
                let part = (limit - from.lon) / (to.lon - from.lon)
                return kept + [Corner(lon: limit, lat: from.lat + part * (to.lat - from.lat))]
            }
        }
    }

    private static func closed(_ ring: [Corner]) -> [Coordinate] {
        (ring + ring.prefix(1)).compactMap { corner in
            Coordinate(lon: max(-180, min(180, corner.lon)), lat: max(-90, min(90, corner.lat)))
        }
    }
}
