import CGEOS
import Domain
import MapDatabase

/// Land and sea by the coastlines of OpenStreetMap, which have the land on their left.
///
/// The coastlines are not closed where an extract ends, so that they are not joined to islands and continents: they cut
/// the box of a tile into pieces, and the direction of a coastline tells which of them are land.
final class Coast {
    private let context = GEOS_init_r()
    private let maps: [MapDatabase]
    /// The margins around a tile without a coast in which one is looked for, in widths of the tile.
    private static let margins = [0, 1.5, 7.5, 31.5]
    /// The greatest margin in degrees. Further from the coast the outlines are right, also about land that no extract has.
    private static let reach = 0.1

    init(_ maps: [MapDatabase]) {
        self.maps = maps
    }

    deinit {
        GEOS_finish_r(context)
    }

    /// Returns the polygons of land in a box. Returns nil if no coast is near, or if it ends in the box.
    ///
    /// - Parameter box: does not cross the antimeridian.
    func land(in box: BoundingBox, zoom: Int) throws -> [[[Coordinate]]]? {
        let width = box.northEast.lon - box.southWest.lon
        for margin in Self.margins.map({ min(Self.reach, $0 * width) }) {
            let area = box.expanded(by: margin)
            // A larger area only tells on which side of the coast the tile is, so that simplified lines suffice.
            let lines = try maps.flatMap { try $0.coast(in: area, zoom: margin == 0 ? zoom : min(zoom, 11)) }
            // The boxes of long lines contain tiles that no coast crosses.
            let parts = lines.flatMap { clipped($0, to: area) }
            if !parts.isEmpty { return pieces(of: area, cutBy: parts, lines) }
            if margin == Self.reach { return nil }
        }
        return nil
    }

    /// - Parameter parts: of the coast in the box, which are consumed.
    private func pieces(
        of box: BoundingBox,
        cutBy parts: [OpaquePointer?],
        _ coast: [[Coordinate]]
    ) -> [[[Coordinate]]]? {
        var lines = parts + [lineString(box.corners)]
        guard
            let collection = GEOSGeom_createCollection_r(
                context,
                Int32(GEOS_MULTILINESTRING.rawValue),
                &lines,
                UInt32(lines.count)
            )
        else { return nil }
        defer { GEOSGeom_destroy_r(context, collection) }
        guard let noded = GEOSUnaryUnion_r(context, collection) else { return nil }
        defer { GEOSGeom_destroy_r(context, noded) }
        var (cuts, dangles, invalid): (OpaquePointer?, OpaquePointer?, OpaquePointer?)
        guard let polygons = GEOSPolygonize_full_r(context, noded, &cuts, &dangles, &invalid) else { return nil }
        defer { for shape in [polygons, cuts, dangles, invalid] { GEOSGeom_destroy_r(context, shape) } }
        guard GEOSGetNumGeometries_r(context, dangles) == 0 else { return nil }
        let segments = coast.flatMap { zip($0, $0.dropFirst()) }
        return (0..<GEOSGetNumGeometries_r(context, polygons)).compactMap { index in
            let rings = rings(of: GEOSGetGeometryN_r(context, polygons, index))
            return isLand(rings, in: box, segments) ? rings : nil
        }
    }

    /// Whether a piece is on the left of the coast along it.
    private func isLand(_ rings: [[Coordinate]], in box: BoundingBox, _ coast: [(Coordinate, Coordinate)]) -> Bool {
        for (number, ring) in rings.enumerated() {
            // The inside of the polygon is on the left of an outer ring to the left, and of holes to the right.
            let isLeft = (ring.signedArea > 0) == (number == 0)
            for (start, end) in zip(ring, ring.dropFirst()) {
                let middle = ((start.lon + end.lon) / 2, (start.lat + end.lat) / 2)
                guard !box.hasOnBorder(middle), let along = coast.first(where: { contains($0, middle) }) else {
                    continue
                }
                let (east, north) = (end.lon - start.lon, end.lat - start.lat)
                let product = east * (along.1.lon - along.0.lon) + north * (along.1.lat - along.0.lat)
                return (product > 0) == isLeft
            }
        }
        return false
    }

    private func contains(_ segment: (Coordinate, Coordinate), _ point: (lon: Double, lat: Double)) -> Bool {
        let (start, end) = segment
        let reach = 1e-9
        guard point.lon >= min(start.lon, end.lon) - reach, point.lon <= max(start.lon, end.lon) + reach,
            point.lat >= min(start.lat, end.lat) - reach, point.lat <= max(start.lat, end.lat) + reach
        else { return false }
        let (east, north) = (end.lon - start.lon, end.lat - start.lat)
        let away = abs(east * (point.lat - start.lat) - north * (point.lon - start.lon))
        return away <= reach * max(abs(east) + abs(north), reach)
    }

    // MARK: - GEOS

    /// Returns the parts of a line in a box.
    private func clipped(_ line: [Coordinate], to box: BoundingBox) -> [OpaquePointer?] {
        guard line.count > 1, let shape = lineString(line) else { return [] }
        defer { GEOSGeom_destroy_r(context, shape) }
        let (low, high) = (box.southWest, box.northEast)
        guard let parts = GEOSClipByRect_r(context, shape, low.lon, low.lat, high.lon, high.lat) else { return [] }
        defer { GEOSGeom_destroy_r(context, parts) }
        guard GEOSisEmpty_r(context, parts) == 0 else { return [] }
        return (0..<GEOSGetNumGeometries_r(context, parts)).map { index in
            GEOSGeom_clone_r(context, GEOSGetGeometryN_r(context, parts, index))
        }
    }

    private func lineString(_ line: [Coordinate]) -> OpaquePointer? {
        guard let sequence = GEOSCoordSeq_create_r(context, UInt32(line.count), 2) else { return nil }
        for (index, point) in line.enumerated() {
            GEOSCoordSeq_setXY_r(context, sequence, UInt32(index), point.lon, point.lat)
        }
        return GEOSGeom_createLineString_r(context, sequence)
    }

    private func rings(of polygon: OpaquePointer?) -> [[Coordinate]] {
        let holes = (0..<max(0, GEOSGetNumInteriorRings_r(context, polygon))).map {
            GEOSGetInteriorRingN_r(context, polygon, $0)
        }
        return ([GEOSGetExteriorRing_r(context, polygon)] + holes).map(points)
    }

    private func points(of ring: OpaquePointer?) -> [Coordinate] {
        guard let sequence = GEOSGeom_getCoordSeq_r(context, ring) else { return [] }
        var count: UInt32 = 0
        GEOSCoordSeq_getSize_r(context, sequence, &count)
        return (0..<count).compactMap { index in
            var (lon, lat) = (0.0, 0.0)
            GEOSCoordSeq_getXY_r(context, sequence, index, &lon, &lat)
            return Coordinate(lon: lon, lat: lat)
        }
    }
}

extension [Coordinate] {
    /// Twice the area in square degrees; positive if the ring runs to the left.
    fileprivate var signedArea: Double {
        zip(self, dropFirst()).reduce(0) { $0 + $1.0.lon * $1.1.lat - $1.1.lon * $1.0.lat }
    }
}

extension BoundingBox {
    /// A closed line around the box.
    fileprivate var corners: [Coordinate] {
        let (low, high) = (southWest, northEast)
        let points = [
            (low.lon, low.lat), (high.lon, low.lat), (high.lon, high.lat), (low.lon, high.lat), (low.lon, low.lat),
        ]
        return points.compactMap { Coordinate(lon: $0.0, lat: $0.1) }
    }

    fileprivate func hasOnBorder(_ point: (lon: Double, lat: Double)) -> Bool {
        point.lon == southWest.lon || point.lon == northEast.lon || point.lat == southWest.lat
            || point.lat == northEast.lat
    }
}
