package import Domain
import Foundation

/// Points, and lines and polygons in SpatiaLite's compressed format, which needs half of the space: all points of a line but its
/// first and last one are stored as differences in single precision, here less than a millimetre.
///
/// Source: SpatiaLite's "BLOB-Geometry" format page. The byte order is at 1, the reference system at 2..5, the box at
/// 6..37, 0x7C at 38, the class at 39..42, and 0xFE at the end.
package enum CompressedBlob {
    private static let point: UInt32 = 1
    private static let line: UInt32 = 1_000_002
    private static let polygon: UInt32 = 1_000_003
    private static let header = 43
    private static let wgs84: UInt32 = 4326

    package static func point(_ point: Coordinate) -> [UInt8] {
        var bytes = start(BoundingBox(around: point, reach: 0), Self.point, 1)
        append(point, to: &bytes)
        bytes.append(0xFE)
        return bytes
    }

    /// - Parameter points: at least two.
    package static func line(_ points: [Coordinate], in box: BoundingBox) -> [UInt8] {
        var bytes = start(box, line, points.count)
        append(points, to: &bytes)
        bytes.append(0xFE)
        return bytes
    }

    /// - Parameter rings: closed; the first contains the others.
    package static func polygon(_ rings: [[Coordinate]], in box: BoundingBox) -> [UInt8] {
        var bytes = start(box, polygon, rings.reduce(0) { $0 + $1.count })
        append(UInt32(rings.count), to: &bytes)
        for ring in rings { append(ring, to: &bytes) }
        bytes.append(0xFE)
        return bytes
    }

    /// Returns the rings of a polygon, or a line or point as the only element. Returns nil for anything else.
    package static func lines(_ bytes: UnsafeRawBufferPointer) -> [[Coordinate]]? {
        var reader = Reader(bytes: bytes, offset: 39)
        guard bytes.count > header, bytes[1] == 1, bytes[38] == 0x7C, let kind = reader.number() else { return nil }
        switch kind {
        case point: return reader.point().map { [[$0]] }
        case line: return reader.line().map { [$0] }
        case polygon:
            guard let count = reader.number(), count < UInt32(bytes.count) else { return nil }
            var rings: [[Coordinate]] = []
            for _ in 0..<count {
                guard let ring = reader.line() else { return nil }
                rings.append(ring)
            }
            return rings
        default: return nil
        }
    }

    /// Returns nil for anything but a point.
    package static func point(_ bytes: UnsafeRawBufferPointer) -> Coordinate? {
        let lines = lines(bytes)
        return lines?.count == 1 && lines?[0].count == 1 ? lines?[0][0] : nil
    }

    private static func start(_ box: BoundingBox, _ kind: UInt32, _ points: Int) -> [UInt8] {
        var bytes: [UInt8] = [0, 1]
        bytes.reserveCapacity(header + 32 + 8 * points)
        append(wgs84, to: &bytes)
        for corner in [box.southWest, box.northEast] { append(corner, to: &bytes) }
        bytes.append(0x7C)
        append(kind, to: &bytes)
        return bytes
    }

    private static func append(_ points: [Coordinate], to bytes: inout [UInt8]) {
        append(UInt32(points.count), to: &bytes)
        for (index, point) in points.enumerated() {
            if index == 0 || index == points.count - 1 {
                append(point, to: &bytes)
            } else {
                let last = points[index - 1]
                append(Float(point.lon - last.lon).bitPattern, to: &bytes)
                append(Float(point.lat - last.lat).bitPattern, to: &bytes)
            }
        }
    }

    private static func append(_ point: Coordinate, to bytes: inout [UInt8]) {
        for degrees in [point.lon, point.lat] {
            withUnsafeBytes(of: degrees.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
        }
    }

    private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        var offset: Int

        mutating func number() -> UInt32? {
            guard bytes.count - offset >= 4 else { return nil }
            defer { offset += 4 }
            return UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }

        mutating func point() -> Coordinate? {
            guard bytes.count - offset >= 16 else { return nil }
            defer { offset += 16 }
            func double(_ offset: Int) -> Double {
                Double(bitPattern: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            }
            return Coordinate(lon: double(offset), lat: double(offset + 8))
        }

        private mutating func difference() -> Double? {
            number().map { Double(Float(bitPattern: $0)) }
        }

        mutating func line() -> [Coordinate]? {
            guard let count = number(), Int(count) <= bytes.count, var last = point() else { return nil }
            var points = [last]
            points.reserveCapacity(Int(count))
            for _ in 0..<max(0, Int(count) - 2) {
                guard let east = difference(), let north = difference(),
                    let point = Coordinate(lon: last.lon + east, lat: last.lat + north)
                else { return nil }
                points.append(point)
                last = point
            }
            if count > 1 {
                guard let end = point() else { return nil }
                points.append(end)
            }
            return points
        }
    }
}
