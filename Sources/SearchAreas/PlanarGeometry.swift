import CGEOS
import Foundation

/// Areas on a plane, with GEOS. A shape that cannot be computed is nil, and as such is empty.
final class PlanarGeometry {
    typealias Point = LocalPlane.Point

    /// A geometry, which is freed with its last reference. The context outlives it.
    final class Shape {
        fileprivate let handle: OpaquePointer
        private let geometry: PlanarGeometry

        fileprivate init(_ handle: OpaquePointer, _ geometry: PlanarGeometry) {
            self.handle = handle
            self.geometry = geometry
        }

        deinit { GEOSGeom_destroy_r(geometry.context, handle) }
    }

    private static let discCorners = 16
    fileprivate let context = GEOS_init_r()

    deinit { GEOS_finish_r(context) }

    /// Returns all points within a distance of the shape.
    func buffer(_ shape: Shape?, metres: Double, quadrantCorners: Int) -> Shape? {
        shape.flatMap { made(GEOSBuffer_r(context, $0.handle, metres, Int32(quadrantCorners))) }
    }

    func union(_ rectangles: [(x: ClosedRange<Double>, y: ClosedRange<Double>)]) -> Shape? {
        let shapes = rectangles.compactMap { rectangle($0.x, $0.y) }
        return collection(GEOS_GEOMETRYCOLLECTION, shapes).flatMap { made(GEOSUnaryUnion_r(context, $0.handle)) }
    }

    /// Returns the union of discs.
    func discs(_ discs: [(centre: Point, radius: Double)]) -> Shape? {
        let circles = discs.compactMap { disc -> OpaquePointer? in
            guard let centre = lineString([disc.centre, disc.centre]).flatMap(made) else { return nil }
            return GEOSBuffer_r(context, centre.handle, disc.radius, Int32(Self.discCorners))
        }
        return collection(GEOS_GEOMETRYCOLLECTION, circles).flatMap { made(GEOSUnaryUnion_r(context, $0.handle)) }
    }

    /// Returns everything between two lines from south to north.
    func strip(_ x: ClosedRange<Double>) -> Shape? { rectangle(x, -1e8...1e8).flatMap(made) }

    private func rectangle(_ x: ClosedRange<Double>, _ y: ClosedRange<Double>) -> OpaquePointer? {
        let ring = [
            Point(x: x.lowerBound, y: y.lowerBound), Point(x: x.upperBound, y: y.lowerBound),
            Point(x: x.upperBound, y: y.upperBound), Point(x: x.lowerBound, y: y.upperBound),
            Point(x: x.lowerBound, y: y.lowerBound),
        ]
        guard let outline = sequence(ring).flatMap({ GEOSGeom_createLinearRing_r(context, $0) }) else { return nil }
        return GEOSGeom_createPolygon_r(context, outline, nil, 0)
    }

    func intersection(_ first: Shape?, _ second: Shape?) -> Shape? {
        guard let first, let second else { return nil }
        return made(GEOSIntersection_r(context, first.handle, second.handle))
    }

    func simplified(_ shape: Shape?, metres: Double) -> Shape? {
        shape.flatMap { made(GEOSTopologyPreserveSimplify_r(context, $0.handle, metres)) }
    }

    func area(_ shape: Shape?) -> Double {
        var area = 0.0
        guard let shape, GEOSArea_r(context, shape.handle, &area) == 1 else { return 0 }
        return area
    }

    /// Returns the rings of each polygon of the shape: the outer one counterclockwise and then the holes clockwise, as
    /// in RFC 7946.
    func polygons(_ shape: Shape?) -> [[[Point]]] {
        guard let shape, GEOSisEmpty_r(context, shape.handle) == 0 else { return [] }
        return (0..<max(0, GEOSGetNumGeometries_r(context, shape.handle))).compactMap { number in
            guard let part = GEOSGetGeometryN_r(context, shape.handle, number),
                GEOSGeomTypeId_r(context, part) == Int32(GEOS_POLYGON.rawValue),
                let outer = GEOSGetExteriorRing_r(context, part)
            else { return nil }
            let holes = (0..<max(0, GEOSGetNumInteriorRings_r(context, part))).compactMap {
                GEOSGetInteriorRingN_r(context, part, $0)
            }
            return [points(of: outer, isHole: false)] + holes.map { points(of: $0, isHole: true) }
        }
    }

    private func points(of ring: OpaquePointer, isHole: Bool) -> [Point] {
        guard let corners = GEOSGeom_getCoordSeq_r(context, ring) else { return [] }
        let points = (0..<UInt32(max(0, GEOSGetNumCoordinates_r(context, ring)))).map { index in
            var (x, y) = (0.0, 0.0)
            GEOSCoordSeq_getXY_r(context, corners, index, &x, &y)
            return Point(x: x, y: y)
        }
        let doubled = zip(points, points.dropFirst()).reduce(0) { $0 + $1.0.x * $1.1.y - $1.1.x * $1.0.y }
        return (doubled < 0) == isHole ? points : points.reversed()
    }

    private func made(_ handle: OpaquePointer?) -> Shape? { handle.map { Shape($0, self) } }

    /// Takes over the parts.
    private func collection(_ type: GEOSGeomTypes, _ parts: [OpaquePointer]) -> Shape? {
        var parts: [OpaquePointer?] = parts
        return made(GEOSGeom_createCollection_r(context, Int32(type.rawValue), &parts, UInt32(parts.count)))
    }

    private func lineString(_ line: [Point]) -> OpaquePointer? {
        sequence(line).flatMap { GEOSGeom_createLineString_r(context, $0) }
    }

    private func sequence(_ line: [Point]) -> OpaquePointer? {
        guard let sequence = GEOSCoordSeq_create_r(context, UInt32(line.count), 2) else { return nil }
        for (index, point) in line.enumerated() {
            GEOSCoordSeq_setXY_r(context, sequence, UInt32(index), point.x, point.y)
        }
        return sequence
    }
}
