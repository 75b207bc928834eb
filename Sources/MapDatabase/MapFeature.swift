package import Domain

/// An area, a line or a point of a map, with the zoom levels at which it is drawn.
package struct MapFeature: Sendable {
    /// The kinds in the order in which they are drawn.
    package enum Kind: String, CaseIterable, Sendable {
        case coastline
        case residential, farmland, grass, wood, sand, wetland, water, stream, river, square, building
        case path, track, service, street, tertiary, secondary, primary, trunk, motorway, rail
        case houseNumber = "house_number"
        case landmark, locality, hamlet, quarter, village, town, city
    }

    package enum Geometry: Sendable {
        case point(Coordinate)
        case line([Coordinate])
        /// Rings, of which the first contains the others.
        case area([[Coordinate]])
    }

    package let kind: Kind
    package let zooms: ClosedRange<Int>
    package let name: String?
    package let geometry: Geometry

    package init(_ kind: Kind, zooms: ClosedRange<Int>, name: String? = nil, _ geometry: Geometry) {
        (self.kind, self.zooms, self.name, self.geometry) = (kind, zooms, name, geometry)
    }
}

extension MapFeature.Geometry {
    /// Nil if there are no points.
    package var box: BoundingBox? {
        let points =
            switch self {
            case .point(let point): [point]
            case .line(let points): points
            case .area(let rings): rings.first ?? []
            }
        guard let first = points.first else { return nil }
        var (west, south, east, north) = (first.lon, first.lat, first.lon, first.lat)
        for point in points.dropFirst() {
            (west, east) = (min(west, point.lon), max(east, point.lon))
            (south, north) = (min(south, point.lat), max(north, point.lat))
        }
        return BoundingBox(west: west, south: south, east: east, north: north)
    }
}
