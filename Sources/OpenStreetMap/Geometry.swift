import CGEOS
import Domain

/// Reduces lines and areas to one point in them, with GEOS.
final class Geometry {
    private let context = GEOS_init_r()

    deinit {
        GEOS_finish_r(context)
    }

    /// Returns a point inside a closed line or the middle of an open line, or nil if the line has no points.
    func point(of line: [Coordinate]) -> Coordinate? {
        let isClosed = line.count > 3 && line.first == line.last
        let inside = isClosed ? pointOnSurface(boundary: [line]) : nil
        return inside ?? middle(of: line)
    }

    /// Returns a point in the area that the lines enclose, outside of holes. The lines may be in any order and
    /// direction.
    func pointOnSurface(boundary: [[Coordinate]]) -> Coordinate? {
        // The union splits lines where they cross, so that a ring that crosses itself still encloses areas.
        guard let lines = multiLineString(boundary), let union = consume(lines, GEOSUnaryUnion_r),
            let area = consume(union, GEOSBuildArea_r), let point = consume(area, GEOSPointOnSurface_r)
        else { return nil }
        return coordinate(consuming: point)
    }

    /// Returns the polygons that the lines enclose, each of closed rings of which the first contains the others.
    func polygons(boundary: [[Coordinate]]) -> [[[Coordinate]]] {
        guard let lines = multiLineString(boundary), let union = consume(lines, GEOSUnaryUnion_r),
            let area = consume(union, GEOSBuildArea_r)
        else { return [] }
        defer { GEOSGeom_destroy_r(context, area) }
        return (0..<max(0, GEOSGetNumGeometries_r(context, area))).compactMap { index in
            let polygon = GEOSGetGeometryN_r(context, area, index)
            let holes = (0..<max(0, GEOSGetNumInteriorRings_r(context, polygon))).map {
                GEOSGetInteriorRingN_r(context, polygon, $0)
            }
            let rings = ([GEOSGetExteriorRing_r(context, polygon)] + holes).map(points)
            return rings[0].isEmpty ? nil : rings
        }
    }

    /// Returns the line with fewer points; it deviates by no more than a number of degrees.
    func simplified(_ line: [Coordinate], tolerance: Double) -> [Coordinate] {
        guard let shape = lineString(line), let simple = consume(shape, { GEOSSimplify_r($0, $1, tolerance) }) else {
            return line
        }
        defer { GEOSGeom_destroy_r(context, simple) }
        let points = points(of: simple)
        // A small ring would become a line.
        return points.count < min(line.count, 4) && line.first == line.last ? line : points
    }

    private func points(of line: OpaquePointer?) -> [Coordinate] {
        guard let sequence = GEOSGeom_getCoordSeq_r(context, line) else { return [] }
        var count: UInt32 = 0
        GEOSCoordSeq_getSize_r(context, sequence, &count)
        return (0..<count).compactMap { index in
            var (lon, lat) = (0.0, 0.0)
            GEOSCoordSeq_getXY_r(context, sequence, index, &lon, &lat)
            return Coordinate(lon: lon, lat: lat)
        }
    }

    private func middle(of line: [Coordinate]) -> Coordinate? {
        guard Set(line).count > 1, let shape = lineString(line) else { return line.first }
        guard let point = consume(shape, { GEOSInterpolateNormalized_r($0, $1, 0.5) }) else { return line.first }
        return coordinate(consuming: point)
    }

    private typealias Operation = (GEOSContextHandle_t?, OpaquePointer?) -> OpaquePointer?

    private func consume(_ shape: OpaquePointer, _ operation: Operation) -> OpaquePointer? {
        defer { GEOSGeom_destroy_r(context, shape) }
        return operation(context, shape)
    }

    private func coordinate(consuming point: OpaquePointer) -> Coordinate? {
        defer { GEOSGeom_destroy_r(context, point) }
        var lon = 0.0
        var lat = 0.0
        guard GEOSisEmpty_r(context, point) == 0, GEOSGeomGetX_r(context, point, &lon) == 1,
            GEOSGeomGetY_r(context, point, &lat) == 1
        else { return nil }
        return Coordinate(lon: lon, lat: lat)
    }

    private func multiLineString(_ lines: [[Coordinate]]) -> OpaquePointer? {
        var shapes: [OpaquePointer?] = lines.withoutRepeatedSegments.compactMap(lineString)
        return GEOSGeom_createCollection_r(context, Int32(GEOS_MULTILINESTRING.rawValue), &shapes, UInt32(shapes.count))
    }

    private func lineString(_ line: [Coordinate]) -> OpaquePointer? {
        guard line.count > 1, let sequence = GEOSCoordSeq_create_r(context, UInt32(line.count), 2) else { return nil }
        for (index, coordinate) in line.enumerated() {
            GEOSCoordSeq_setXY_r(context, sequence, UInt32(index), coordinate.lon, coordinate.lat)
        }
        return GEOSGeom_createLineString_r(context, sequence)
    }
}

/// A segment without a direction.
private struct Segment: Hashable {
    let first: Coordinate
    let second: Coordinate

    init(_ start: Coordinate, _ end: Coordinate) {
        (first, second) = (start.lon, start.lat) < (end.lon, end.lat) ? (start, end) : (end, start)
    }
}

extension [[Coordinate]] {
    /// The lines, each segment only once, in any direction. GEOS takes quadratic time and memory for a line that runs
    /// along itself again and again.
    fileprivate var withoutRepeatedSegments: [[Coordinate]] {
        var seen: Set<Segment> = []
        return flatMap { line in
            var parts = [[line.first].compactMap(\.self)]
            for (start, end) in zip(line, line.dropFirst()) where start != end {
                if seen.insert(Segment(start, end)).inserted {
                    parts[parts.count - 1].append(end)
                } else {
                    parts.append([end])
                }
            }
            return parts
        }
    }
}
