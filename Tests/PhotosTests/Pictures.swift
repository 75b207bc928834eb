import Foundation
import Photos
import Testing

/// A file in `Fixtures`.
func fixture(_ name: String) throws -> [UInt8] {
    let url = try #require(Bundle.module.url(forResource: "Fixtures/\(name)", withExtension: nil))
    return [UInt8](try Data(contentsOf: url))
}

/// The colour in the middle of each quarter: top left, top right, bottom left, bottom right.
func corners(_ photo: ProcessedPhoto) throws -> [[Int]] {
    let pixels = try #require(photo.pixels)
    return [(1, 1), (3, 1), (1, 3), (3, 3)].map { x, y in
        let start = 3 * (pixels.height * y / 4 * pixels.width + pixels.width * x / 4)
        return pixels.bytes[start..<start + 3].map(Int.init)
    }
}

func isNear(_ a: [[Int]], _ b: [[Int]], by most: Int = 12) -> Bool {
    zip(a.joined(), b.joined()).allSatisfy { abs($0 - $1) <= most }
}

enum Colours {
    static let red = [220, 30, 30]
    static let green = [30, 200, 30]
    static let blue = [30, 30, 220]
    static let grey = [128, 128, 128]
    static let white = [255, 255, 255]
    static let upright = [red, green, blue, grey]
}

extension [UInt8] {
    func contains(_ text: String) -> Bool { firstRange(of: Array(text.utf8)) != nil }
}
