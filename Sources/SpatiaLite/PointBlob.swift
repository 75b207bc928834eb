package import Domain
import Foundation

extension Coordinate {
    /// Reads a POINT as the engines return it. Returns nil for anything but a little-endian point.
    ///
    /// - SpatiaLite's BLOB: the byte order is at 1, the box at 6..37, 0x7C at 38, the class at 39..42, x and y from 43.
    ///   Source: SpatiaLite's "BLOB-Geometry" format page.
    /// - PostGIS's EWKB: the byte order is at 0, the class with the flag of the reference system at 1..4, the reference
    ///   system at 5..8, x and y from 9. Source: PostGIS manual, "Geometry Data Type".
    package init?(geometry bytes: UnsafeRawBufferPointer) {
        func integer(at offset: Int) -> UInt32 {
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
        func double(at offset: Int) -> Double {
            Double(bitPattern: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        }
        switch bytes.count {
        case 60 where bytes[1] == 1 && bytes[38] == 0x7C && integer(at: 39) == 1:
            self.init(lon: double(at: 43), lat: double(at: 51))
        case 25 where bytes[0] == 1 && integer(at: 1) == 0x2000_0001:
            self.init(lon: double(at: 9), lat: double(at: 17))
        default: return nil
        }
    }
}
