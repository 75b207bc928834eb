import CZlib
import Foundation

/// A PNG file of one colour and of any size. The file stays small even if its pixels would not fit into memory.
package func plainPNG(
    width: Int,
    height: Int,
    rows: Int? = nil,
    colour: [UInt8] = [0, 0, 0],
    isInterlaced: Bool = false
) throws -> [UInt8] {
    let raw = [UInt8](repeating: 0, count: (rows ?? height) * (1 + (width + 7) / 8))
    var size = compressBound(UInt(raw.count))
    var packed = [UInt8](repeating: 0, count: Int(size))
    guard compress2(&packed, &size, raw, UInt(raw.count), 9) == Z_OK else { throw CocoaError(.coderInvalidValue) }
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        + chunk("IHDR", bigEndian(width) + bigEndian(height) + [1, 3, 0, 0, isInterlaced ? 1 : 0])
        + chunk("PLTE", colour)
        + chunk("IDAT", Array(packed.prefix(Int(size)))) + chunk("IEND", [])
}

private func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    let content = Array(name.utf8) + data
    return bigEndian(data.count) + content + bigEndian(Int(crc32(0, content, UInt32(content.count))))
}

private func bigEndian(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
