package import Domain
import Foundation

/// A POLYGON in SpatiaLite's format, valid while its bytes are.
///
/// The byte order is at 1 and the class at 39..42. Then follow the number of rings and, for each ring, the number of
/// its corners and their x and y. Source: SpatiaLite's "BLOB-Geometry" format page.
package struct PolygonBlob {
    private static let polygon: UInt32 = 3
    private static let header = 43
    private static let corner = 16

    private let bytes: UnsafeRawBufferPointer

    /// Returns nil for anything but a two-dimensional little-endian polygon.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > Self.header + 4, bytes[1] == 1, bytes[38] == 0x7C,
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 39, as: UInt32.self)) == Self.polygon
        else { return nil }
        self.bytes = bytes
    }

    /// Returns whether a point lies inside the polygon or on its border, in the plane of degrees, by counting the edges
    /// to the east of it.
    package func covers(_ point: Coordinate) -> Bool {
        var isInside = false
        var offset = Self.header
        guard let rings = count(&offset) else { return false }
        for _ in 0..<rings {
            guard let corners = count(&offset), bytes.count - offset >= corners * Self.corner else { return false }
            switch side(of: point, from: offset, corners) {
            case .border: return true
            case .inside: isInside.toggle()
            case .outside: break
            }
            offset += corners * Self.corner
        }
        return isInside
    }

    /// Returns the distance of a point from the outline. Edges along a meridian or a parallel do not count: they divide
    /// the pieces of an area, or are borders that follow one exactly. Returns nil if there are no other edges.
    package func outlineDistance(of point: Coordinate) -> OutlineDistance? {
        let plane = Plane(around: point)
        var (nearest, length, edges) = (Double.infinity, 0.0, 0)
        var offset = Self.header
        guard let rings = count(&offset) else { return nil }
        for _ in 0..<rings {
            guard let corners = count(&offset), bytes.count - offset >= corners * Self.corner else { return nil }
            for corner in stride(from: offset + Self.corner, to: offset + corners * Self.corner, by: Self.corner) {
                let (lon0, lat0) = (double(corner - Self.corner), double(corner - Self.corner + 8))
                let (lon1, lat1) = (double(corner), double(corner + 8))
                guard lon0 != lon1, lat0 != lat1 else { continue }
                let (start, end) = (plane.metres(lon0, lat0), plane.metres(lon1, lat1))
                nearest = min(nearest, Plane.distance(start, end))
                length += Plane.length(end - start)
                edges += 1
            }
            offset += corners * Self.corner
        }
        return edges > 0 ? OutlineDistance(metres: nearest, spacing: length / Double(edges)) : nil
    }

    /// The plane that touches the Earth at a point, in metres from that point.
    private struct Plane {
        private let point: Coordinate
        private let east: Double
        private static let north = 111_195.0  // metres per degree on the sphere

        init(around point: Coordinate) {
            self.point = point
            east = Self.north * cos(point.lat * .pi / 180)
        }

        func metres(_ lon: Double, _ lat: Double) -> SIMD2<Double> {
            SIMD2((lon - point.lon) * east, (lat - point.lat) * Self.north)
        }

        /// Returns the distance of the origin from an edge.
        static func distance(_ start: SIMD2<Double>, _ end: SIMD2<Double>) -> Double {
            let edge = end - start
            let share = -(start * edge).sum() / (edge * edge).sum()
            return length(start + edge * max(0, min(1, share)))
        }

        static func length(_ vector: SIMD2<Double>) -> Double { (vector * vector).sum().squareRoot() }
    }

    private enum Side { case inside, outside, border }

    private func side(of point: Coordinate, from offset: Int, _ corners: Int) -> Side {
        guard corners > 1 else { return .outside }
        var isInside = false
        var (x0, y0) = (double(offset), double(offset + 8))
        for corner in 1..<corners {
            let start = offset + corner * Self.corner
            let (x1, y1) = (double(start), double(start + 8))
            defer { (x0, y0) = (x1, y1) }
            guard min(y0, y1) <= point.lat, max(y0, y1) >= point.lat, max(x0, x1) >= point.lon else { continue }
            // The value is positive if the point lies to the left of the edge, as seen along its direction.
            let turn = (x1 - x0) * (point.lat - y0) - (point.lon - x0) * (y1 - y0)
            if turn == 0, min(x0, x1) <= point.lon { return .border }
            if (y0 > point.lat) != (y1 > point.lat), (turn > 0) == (y1 > y0) { isInside.toggle() }
        }
        return isInside ? .inside : .outside
    }

    private func count(_ offset: inout Int) -> Int? {
        guard bytes.count - offset >= 4 else { return nil }
        defer { offset += 4 }
        return Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }

    private func double(_ offset: Int) -> Double {
        Double(bitPattern: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
    }
}
