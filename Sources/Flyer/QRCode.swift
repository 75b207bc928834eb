import CQRencode
import Foundation

/// A QR code (ISO/IEC 18004) with error correction level M: it remains readable if 15 % of it is damaged.
package struct QRCode {
    /// The width of the white margin, in modules.
    package static let quietZone = 4.0

    /// The number of modules per side, without the quiet zone.
    package let side: Int
    private let isDark: [Bool]

    package init(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, let code = QRcode_encodeData(Int32(clamping: bytes.count), bytes, 0, QR_ECLEVEL_M) else {
            throw FlyerError.unsuitableAddress
        }
        defer { QRcode_free(code) }
        guard code.pointee.version <= Self.finestVersion, let data = code.pointee.data else {
            throw FlyerError.unsuitableAddress
        }
        side = Int(code.pointee.width)
        isDark = UnsafeBufferPointer(start: data, count: side * side).map { $0 & 1 == 1 }
    }

    /// Version 15 has 77 modules per side, which are 0.44 mm wide on the flyer, and holds 331 bytes.
    private static let finestVersion = 15

    /// The dark modules; adjacent ones in a row are combined.
    var runs: [Box] {
        (0..<side).flatMap { y in
            var runs: [Box] = []
            for x in 0..<side where isDark[y * side + x] {
                if x > 0, isDark[y * side + x - 1] {
                    runs[runs.count - 1].width += 1
                } else {
                    runs.append(Box(x: Double(x), y: Double(y), width: 1, height: 1))
                }
            }
            return runs
        }
    }

    /// The dark modules as the path of an SVG image, in which a module is one unit.
    package var path: String {
        runs.map { "M\(Int($0.x)) \(Int($0.y))h\(Int($0.width))v1h-\(Int($0.width))z" }.joined()
    }
}
