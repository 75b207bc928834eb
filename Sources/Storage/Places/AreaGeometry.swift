import Foundation
import SQL
import SpatiaLite

/// The polygons of places, which the program reads and writes in SpatiaLite's format. PostGIS's format (EWKB) contains
/// the same rings behind another header.
enum AreaGeometry {
    /// The byte order, the type with the flag of a reference system, and WGS 84.
    private static let postGISHeader: [UInt8] = [1, 3, 0, 0, 0x20, 0xE6, 0x10, 0, 0]
    private static let spatiaLiteHeaderLength = 43

    /// Reads the value of a column. Returns nil for anything but a polygon.
    static func read<Value>(
        _ bytes: UnsafeRawBufferPointer,
        on engine: SQLEngine,
        _ body: (PolygonBlob) -> Value?
    ) -> Value? {
        guard engine == .postGIS else { return PolygonBlob(bytes).flatMap(body) }
        guard bytes.starts(with: postGISHeader) else { return nil }
        // Readers use neither the reference system nor the box, bytes 2 to 37.
        let header = [0, 1] + [UInt8](repeating: 0, count: 36) + [0x7C, 3, 0, 0, 0]
        let blob = header + bytes.dropFirst(postGISHeader.count) + [0xFE]
        return blob.withUnsafeBytes { PolygonBlob($0).flatMap(body) }
    }

    /// Returns a polygon in SpatiaLite's format as the value for the column.
    static func value(of blob: Data, on engine: SQLEngine) -> Data {
        guard engine == .postGIS else { return blob }
        return Data(postGISHeader) + blob.dropFirst(spatiaLiteHeaderLength).dropLast()
    }
}
