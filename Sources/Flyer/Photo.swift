import Foundation

/// A JPEG and the size from its frame header (ITU T.81, B.2.2).
struct Photo {
    let bytes: Data
    /// In pixels.
    let width: Int
    let height: Int

    init(_ bytes: Data) throws {
        guard let frame = Self.frame(in: bytes), frame.count >= 6, frame[0] == 8, frame[5] == 1 || frame[5] == 3 else {
            throw FlyerError.unreadablePhoto
        }
        self.bytes = bytes
        height = Int(frame[1]) << 8 | Int(frame[2])
        width = Int(frame[3]) << 8 | Int(frame[4])
        guard (1...Self.maxSide).contains(width), (1...Self.maxSide).contains(height) else {
            throw FlyerError.unreadablePhoto
        }
    }

    /// Returns the largest frame for the photo in an area. Up to a sixth of the photo may be cropped if the frame then
    /// fills more of the area.
    func frame(width: Double, height: Double) -> Box {
        let scale = min(width / Double(self.width), height / Double(self.height)) * 6 / 5
        return Box(
            x: 0,
            y: 0,
            width: min(width, Double(self.width) * scale),
            height: min(height, Double(self.height) * scale)
        )
    }

    private static let maxSide = 10_000

    /// Returns the segment after the first marker SOF0, SOF1 or SOF2.
    private static func frame(in bytes: Data) -> [UInt8]? {
        var rest = bytes[...]
        guard rest.popFirst() == 0xFF, rest.popFirst() == 0xD8 else { return nil }
        while rest.popFirst() == 0xFF {
            while rest.first == 0xFF { rest.removeFirst() }
            guard let marker = rest.popFirst(), let high = rest.popFirst(), let low = rest.popFirst() else {
                return nil
            }
            let size = Int(high) << 8 + Int(low) - 2
            guard (0...rest.count).contains(size) else { return nil }
            switch marker {
            case 0xC0...0xC2: return Array(rest.prefix(size))
            // Unsupported frame types, restart markers, start and end of an image, start of a scan.
            case 0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF, 0xD0...0xDA: return nil
            default: rest = rest.dropFirst(size)
            }
        }
        return nil
    }
}
