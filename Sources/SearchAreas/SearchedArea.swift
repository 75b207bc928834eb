package import Domain
import Foundation

/// The parts of a search area that search parties have walked through.
package struct SearchedArea: Equatable, Sendable {
    /// The distance from a track, in metres, within which people would have seen the animal. An assumption.
    package static let reachMetres = 50.0
    /// Two points farther from each other, in metres, are a gap in the recording.
    package static let maxGapMetres = 1000.0
    private static let quadrantCorners = 4
    /// Corners are left out where the border changes by less than this, in metres.
    private static let toleranceMetres = 4.0

    package struct Share: Equatable, Sendable {
        package let probability: Double
        /// The searched part of the circles of that probability, 0...1.
        package let share: Double
    }

    /// For each polygon its outer ring and its holes, closed. They are inside of the largest circles.
    package let polygons: [[[Coordinate]]]
    /// In ascending order of probability.
    package let shares: [Share]

    /// Computes the area in bounded time, whatever the lines are.
    ///
    /// - Parameter lines: of search parties. What is far from the circles has no effect.
    package init(of area: SearchArea, lines: [[Coordinate]]) {
        guard let largest = area.circles.last?.probability, let centre = area.circles.first?.centre else {
            (polygons, shares) = ([], [])
            return
        }
        let plane = LocalPlane(around: centre)
        let geometry = PlanarGeometry()
        let outer = area.circles.filter { $0.probability == largest }
        let discs = outer.map { ($0.centre, $0.radiusMetres + 2 * Self.reachMetres) }
        var cells = WalkedCells(in: discs.map { (plane.point($0.0), $0.1) })
        for line in lines { cells.add(line.map(plane.point)) }
        let walked = geometry.buffer(
            geometry.union(cells.rectangles),
            metres: Self.reachMetres - WalkedCells.reach,
            quadrantCorners: Self.quadrantCorners
        )
        shares = SearchArea.shares.map { probability in
            let circles = area.circles.filter { $0.probability == probability }
            let region = geometry.discs(circles.map { (plane.point($0.centre), $0.radiusMetres) })
            let (whole, part) = (geometry.area(region), geometry.area(geometry.intersection(region, walked)))
            return Share(probability: probability, share: whole > 0 ? min(1, part / whole) : 0)
        }
        let region = geometry.discs(outer.map { (plane.point($0.centre), $0.radiusMetres) })
        let searched = geometry.simplified(geometry.intersection(region, walked), metres: Self.toleranceMetres)
        polygons = plane.worlds.flatMap { world in
            geometry.polygons(geometry.intersection(searched, geometry.strip(world.x))).map { rings in
                rings.map { $0.compactMap { plane.coordinate($0, shift: world.shift) } }
            }
        }
    }
}

/// Metres east and north of a point, on a plane that touches the ellipsoid there. Some 20 km away, lengths are wrong by
/// less than 1 %.
struct LocalPlane {
    struct Point: Hashable {
        let x: Double
        let y: Double

        func distance(to other: Point) -> Double { hypot(x - other.x, y - other.y) }
    }

    private let origin: Coordinate
    /// In metres per degree.
    private let east: Double
    private let north: Double

    init(around origin: Coordinate) {
        self.origin = origin
        let (equator, eccentricity) = (6_378_137.0, 0.006_694_379_990_14)
        let lat = origin.lat * .pi / 180
        let root = 1 - eccentricity * pow(sin(lat), 2)
        // At the poles a degree of longitude has no length.
        east = max(1, equator / root.squareRoot() * cos(lat) * .pi / 180)
        north = equator * (1 - eccentricity) / pow(root, 1.5) * .pi / 180
    }

    func point(_ coordinate: Coordinate) -> Point {
        let degrees = coordinate.lon - origin.lon
        return Point(x: (degrees - 360 * (degrees / 360).rounded()) * east, y: (coordinate.lat - origin.lat) * north)
    }

    /// - Parameter shift: of the longitude, in degrees.
    func coordinate(_ point: Point, shift: Double) -> Coordinate? {
        Coordinate(
            lon: max(-180, min(180, origin.lon + point.x / east + shift)),
            lat: max(-90, min(90, origin.lat + point.y / north))
        )
    }

    /// The parts of the plane on both sides of the antimeridian, and what makes their longitudes valid.
    var worlds: [(x: ClosedRange<Double>, shift: Double)] {
        [0.0, 360, -360].map { shift in
            ((-180 - origin.lon - shift) * east...(180 - origin.lon - shift) * east, shift)
        }
    }
}

extension SearchedArea {
    /// The cells of 500 m around their centres, each as a polygon. They say nothing of the shares.
    package init(cells: [Coordinate]) {
        shares = []
        var seen: Set<Coordinate> = []
        polygons = cells.filter { seen.insert($0).inserted }.map { centre in
            let cell = centre.cellSize
            let (west, east) = (centre.lon - cell.lon / 2, centre.lon + cell.lon / 2)
            let (south, north) = (centre.lat - cell.lat / 2, centre.lat + cell.lat / 2)
            let corners = [(west, south), (east, south), (east, north), (west, north), (west, south)]
            return [corners.compactMap { Coordinate(lon: max(-180, min(180, $0.0)), lat: max(-90, min(90, $0.1))) }]
        }
    }
}
