import Foundation

/// Checks that a shapefile matches its indexes and headers. This is necessary because VirtualShape stops silently at
/// the first record that it cannot read, and crashes on some.
///
/// Source: ESRI Shapefile Technical Description, July 1998; the record count of a dBASE file is at byte 4.
struct ShapefileCheck {
    private static let header = 100
    private static let polygons: Set<UInt32> = [5, 15, 25]

    let base: URL

    /// - Returns: The number of records.
    func records() throws -> Int {
        let shapes = try Data(contentsOf: base.appendingPathExtension("shp"), options: .mappedIfSafe)
        let index = try Data(contentsOf: base.appendingPathExtension("shx"), options: .mappedIfSafe)
        let table = try Data(contentsOf: base.appendingPathExtension("dbf"), options: .mappedIfSafe)
        let count = (index.count - Self.header) / 8
        guard index.count >= Self.header, table.count > 32, Int(table.little(4)) == count else {
            throw PlaceFileError(base, "its .shp, .shx and .dbf do not hold the same number of records")
        }
        for record in 0..<count where !isWhole(record, shapes, index) {
            throw PlaceFileError(base, "record \(record + 1) is damaged")
        }
        return count
    }

    private func isWhole(_ record: Int, _ shapes: Data, _ index: Data) -> Bool {
        let entry = Self.header + record * 8
        // Offsets and lengths are stored in words of two bytes.
        let (offset, length) = (Int(index.big(entry)) * 2, Int(index.big(entry + 4)) * 2)
        let start = offset + 8
        guard offset >= Self.header, length >= 4, start + length <= shapes.count else { return false }
        guard Self.polygons.contains(shapes.little(start)) else { return true }
        guard length >= 44 else { return false }
        let (parts, points) = (Int(shapes.little(start + 36)), Int(shapes.little(start + 40)))
        guard parts >= 1, 44 + 4 * parts + 16 * points <= length else { return false }
        let firsts = (0..<parts).map { Int(shapes.little(start + 44 + 4 * $0)) }
        return firsts[0] == 0 && zip(firsts, firsts.dropFirst()).allSatisfy(<) && firsts[parts - 1] < points
    }
}

extension Data {
    fileprivate func little(_ offset: Int) -> UInt32 {
        withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    }

    fileprivate func big(_ offset: Int) -> UInt32 {
        withUnsafeBytes { UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    }
}
