/// The result of processing a photo: JPEGs to be shown, the largest first, and a pixel image for programs.
public struct ProcessedPhoto: Sendable {
    public struct Size: Sendable {
        /// In pixels.
        public let width: Int
        public let height: Int
        public let bytes: [UInt8]
    }

    /// Upright JPEGs in sRGB, one for each of `PhotoProcessor.sides`. None is larger than its side.
    public let jpegs: [Size]
    /// Red, green and blue of each pixel, row by row from the top; nil if not requested.
    public let pixels: Size?

    private static let headerSize = 16

    /// Reads the frames that `photo-worker` writes: kind, width, height and size as little-endian integers, then the
    /// bytes.
    init?(frames: [UInt8]) {
        var jpegs: [Size] = []
        var pixels: Size?
        var rest = frames[...]
        while !rest.isEmpty {
            guard rest.count >= Self.headerSize else { return nil }
            let header = (0..<4).map { rest.littleEndian(at: $0 * 4) }
            rest = rest.dropFirst(Self.headerSize)
            guard rest.count >= header[3] else { return nil }
            let size = Size(width: header[1], height: header[2], bytes: Array(rest.prefix(header[3])))
            if header[0] == 0 { jpegs.append(size) } else { pixels = size }
            rest = rest.dropFirst(header[3])
        }
        self.jpegs = jpegs
        self.pixels = pixels
    }
}

extension ArraySlice<UInt8> {
    fileprivate func littleEndian(at offset: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(self[startIndex + offset + $1]) << (8 * $1) }
    }
}
