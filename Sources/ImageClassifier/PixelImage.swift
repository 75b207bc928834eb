/// A picture as rows of pixels from the top, with three bytes for red, green and blue (sRGB) in each pixel.
public struct PixelImage: Sendable {
    /// The maximum length of a side in pixels.
    public static let maxSide = 32_767

    public let width: Int
    public let height: Int
    public let rgb: [UInt8]

    /// - Throws: `ClassificationError.picture` if a side is not 1 to `maxSide` pixels long, or if there are not three
    ///   bytes for each pixel.
    public init(width: Int, height: Int, rgb: [UInt8]) throws(ClassificationError) {
        let sides = 1...Self.maxSide
        guard sides.contains(width), sides.contains(height) else {
            throw .picture("\(width) x \(height) pixels; each side must have 1 to \(Self.maxSide)")
        }
        guard rgb.count == width * height * 3 else {
            throw .picture("\(rgb.count) bytes; \(width) x \(height) pixels take \(width * height * 3)")
        }
        self.width = width
        self.height = height
        self.rgb = rgb
    }

    /// Creates a picture without checks; the caller guarantees the number of bytes.
    init(unchecked rgb: [UInt8], width: Int, height: Int) {
        self.width = width
        self.height = height
        self.rgb = rgb
    }
}
