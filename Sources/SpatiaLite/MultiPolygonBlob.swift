package import Foundation

/// Splits a MULTIPOLYGON (or POLYGON) in SpatiaLite's format into POLYGONs in the same format.
///
/// Source: SpatiaLite's "BLOB-Geometry" format page. The byte order is at 1, the reference system at 2..5, the box at
/// 6..37, 0x7C at 38, the class at 39..42. Then follow the number of elements, each with 0x69, its class and its body,
/// and 0xFE at the end.
package struct MultiPolygonBlob {
    private static let header = 43
    private static let multiPolygon: UInt32 = 6
    private static let polygon: UInt32 = 3
    private static let cornerSize = 16

    private let bytes: Data

    package init(_ bytes: Data) {
        self.bytes = bytes
    }

    /// Returns nil for anything but two-dimensional little-endian polygons.
    package func polygons() -> [Data]? {
        guard bytes.count > Self.header + 4, byte(1) == 1, byte(38) == 0x7C else { return nil }
        switch number(39) {
        case Self.polygon: return [bytes]
        case Self.multiPolygon: return elements()
        default: return nil
        }
    }

    private func elements() -> [Data]? {
        guard let count = number(Self.header) else { return nil }
        var polygons: [Data] = []
        var offset = Self.header + 4
        for _ in 0..<count {
            guard byte(offset) == 0x69, number(offset + 1) == Self.polygon, let end = end(ofBodyAt: offset + 5)
            else { return nil }
            polygons.append(polygon(body: offset + 5..<end))
            offset = end
        }
        return polygons
    }

    private func end(ofBodyAt start: Int) -> Int? {
        guard let rings = number(start) else { return nil }
        var offset = start + 4
        for _ in 0..<rings {
            guard let corners = number(offset) else { return nil }
            offset += 4 + Int(corners) * Self.cornerSize
        }
        return offset < bytes.count ? offset : nil
    }

    /// Returns the body as a separate POLYGON with a header and the bounding box of its outer ring.
    private func polygon(body: Range<Int>) -> Data {
        var (west, south, east, north) = (Double.infinity, Double.infinity, -Double.infinity, -Double.infinity)
        let corners = Int(number(body.lowerBound + 4) ?? 0)
        for corner in 0..<corners {
            let start = body.lowerBound + 8 + corner * Self.cornerSize
            let (x, y) = (double(start), double(start + 8))
            (west, south, east, north) = (min(west, x), min(south, y), max(east, x), max(north, y))
        }
        var polygon = slice(0..<6)
        for edge in [west, south, east, north] {
            withUnsafeBytes(of: edge.bitPattern.littleEndian) { polygon.append(contentsOf: $0) }
        }
        polygon.append(0x7C)
        withUnsafeBytes(of: Self.polygon.littleEndian) { polygon.append(contentsOf: $0) }
        polygon.append(slice(body))
        polygon.append(0xFE)
        return polygon
    }

    private func slice(_ range: Range<Int>) -> Data {
        Data(bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound])
    }

    private func byte(_ offset: Int) -> UInt8? { offset < bytes.count ? bytes[bytes.startIndex + offset] : nil }

    private func number(_ offset: Int) -> UInt32? {
        guard offset + 4 <= bytes.count else { return nil }
        return bytes.withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    }

    private func double(_ offset: Int) -> Double {
        bytes.withUnsafeBytes {
            Double(bitPattern: UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        }
    }
}
