/// A hash of what a picture shows, which is nearly the same after the picture was scaled, compressed or brightened.
///
/// The picture is averaged to 9 columns and 8 rows of grey; each bit says whether a cell is brighter than its neighbour to the
/// left ("difference hash", N. Krawetz 2013). The first row is in the highest byte.
package struct PictureHash: Hashable, Sendable {
    private static let (columns, rows) = (8, 8)

    package let bits: UInt64

    package init(bits: UInt64) {
        self.bits = bits
    }

    /// - Parameter rgb: red, green and blue of each pixel, row by row from the top; at least one pixel.
    package init(rgb: [UInt8], width: Int, height: Int) {
        precondition(width > 0 && height > 0 && rgb.count == width * height * 3, "the pixels of a picture")
        var bits: UInt64 = 0
        for row in 0..<Self.rows {
            let lines = Self.part(row, of: Self.rows, height)
            let greys = (0...Self.columns).map {
                Self.grey(rgb, width: width, Self.part($0, of: Self.columns + 1, width), lines)
            }
            for (left, right) in zip(greys, greys.dropFirst()) { bits = bits << 1 | (right > left ? 1 : 0) }
        }
        self.init(bits: bits)
    }

    /// One of `count` equal parts of a side, with at least one pixel.
    private static func part(_ index: Int, of count: Int, _ side: Int) -> Range<Int> {
        let start = min(index * side / count, side - 1)
        return start..<max((index + 1) * side / count, start + 1)
    }

    /// The mean brightness (ITU-R BT.601), times 1,000.
    private static func grey(_ rgb: [UInt8], width: Int, _ columns: Range<Int>, _ lines: Range<Int>) -> Int {
        var sum = 0
        for line in lines {
            for column in columns {
                let pixel = 3 * (line * width + column)
                sum += 299 * Int(rgb[pixel]) + 587 * Int(rgb[pixel + 1]) + 114 * Int(rgb[pixel + 2])
            }
        }
        return sum / (columns.count * lines.count)
    }

    /// The hash of the mirrored picture, apart from cells of the same brightness.
    package var mirrored: PictureHash {
        let reversed = (0..<Self.rows).reduce(0 as UInt64) { bits, row in
            let byte = UInt8(truncatingIfNeeded: self.bits >> (8 * UInt64(row)))
            return bits | UInt64(Self.reversed(byte)) << (8 * UInt64(row))
        }
        return PictureHash(bits: ~reversed)
    }

    private static func reversed(_ byte: UInt8) -> UInt8 {
        (0..<8).reduce(0) { $0 << 1 | (byte >> $1 & 1) }
    }

    /// The number of bits that differ, of the picture or of its mirror image, whichever is less.
    package func distance(to other: PictureHash) -> Int {
        min((bits ^ other.bits).nonzeroBitCount, (mirrored.bits ^ other.bits).nonzeroBitCount)
    }

    /// The four quarters of 16 bits, the lowest first, each with all values that differ from it in at most one bit.
    package var neighbours: [[Int]] {
        (0..<4).map { quarter in
            let value = Int(bits >> UInt64(16 * quarter) & 0xFFFF)
            return [value] + (0..<16).map { value ^ 1 << $0 }
        }
    }
}
