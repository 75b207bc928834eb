package import Domain

extension Coordinate {
    /// Reads a point in PostGIS's format (EWKB). Returns nil for anything but a little-endian point in two dimensions
    /// with a reference system.
    ///
    /// The byte order is at 0, the type with flags at 1..4, the reference system at 5..8, x and y from 9.
    package init?(ewkb bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 25, bytes[0] == 1,
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)) == 0x2000_0001
        else { return nil }
        func double(at offset: Int) -> Double {
            Double(bitPattern: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        }
        self.init(lon: double(at: 9), lat: double(at: 17))
    }
}
