package import Domain
import Foundation

extension Coordinate {
    /// Reads a POINT in SpatiaLite's format. Returns nil for anything but a little-endian point.
    ///
    /// The byte order is at 1, the box at 6..37, 0x7C at 38, the class at 39..42, x and y from 43. Source: SpatiaLite's
    /// "BLOB-Geometry" format page.
    package init?(spatiaLiteBlob bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 60, bytes[1] == 1, bytes[38] == 0x7C,
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 39, as: UInt32.self)) == 1
        else { return nil }
        func double(at offset: Int) -> Double {
            Double(bitPattern: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        }
        self.init(lon: double(at: 43), lat: double(at: 51))
    }
}
