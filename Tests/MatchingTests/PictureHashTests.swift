import Foundation
import RandomSupport
import Testing

@testable import Matching

@Suite("Hashes and copies of photos")
struct PictureHashTests {
    /// A picture of soft waves.
    private static func picture(_ width: Int, _ height: Int, brighter: Int = 0, isMirrored: Bool = false) -> PictureHash
    {
        var rgb: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let (u, v) = ((isMirrored ? width - 1 - x : x) * 1000 / width, y * 1000 / height)
                let value = 60 + (u * (v + 300) / 700 % 200) * 3 / 5 + brighter
                rgb += [UInt8(min(255, value)), UInt8(value / 2 + 20), UInt8(max(0, 255 - value))]
            }
        }
        return PictureHash(rgb: rgb, width: width, height: height)
    }

    @Test("Each bit tells whether a cell is brighter than the one before it, the first row first")
    func bits() {
        // Nine columns and eight rows: each cell is one pixel. The first row rises, the others fall.
        var rgb: [UInt8] = []
        for y in 0..<8 {
            for x in 0..<9 {
                let grey = UInt8(y == 0 ? 10 * x : 200 - 10 * x)
                rgb += [grey, grey, grey]
            }
        }
        let hash = PictureHash(rgb: rgb, width: 9, height: 8)
        #expect(hash.bits == 0xFF00_0000_0000_0000)
        #expect(hash.mirrored.bits == 0x00FF_FFFF_FFFF_FFFF)
        #expect(hash.distance(to: hash.mirrored) == 0 && hash.distance(to: PictureHash(bits: 0)) == 8)
    }

    @Test("A scaled, brightened or mirrored picture has nearly the same hash")
    func sameness() {
        let hash = Self.picture(800, 600)
        for other in [
            Self.picture(200, 150), Self.picture(400, 300, brighter: 20), Self.picture(400, 300, isMirrored: true),
        ] {
            #expect(hash.distance(to: other) <= 8)
        }
        #expect((16...48).contains(hash.bits.nonzeroBitCount))
    }

    @Test("Pictures of one pixel, and lines, have a hash", arguments: [(1, 1), (1, 500), (500, 1), (3, 2)])
    func tiny(width: Int, height: Int) {
        let rgb = [UInt8](repeating: 128, count: 3 * width * height)
        #expect(PictureHash(rgb: rgb, width: width, height: height).bits == 0)
    }

    @Test("Hashes that differ in up to seven bits have a quarter in common, but for one bit")
    func neighbours() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            let hash = PictureHash(bits: .random(in: 0...(.max), using: &random))
            var other = hash.bits
            for _ in 0..<7 { other ^= 1 << UInt64.random(in: 0..<64, using: &random) }
            let quarters = PictureHash(bits: other).neighbours.map { $0[0] }
            #expect(zip(hash.neighbours, quarters).contains { $0.contains($1) })
        }
        #expect(PictureHash(bits: .max).neighbours.allSatisfy { Set($0).count == 17 && $0.max() == 0xFFFF })
    }

    private static func fingerprint(_ degrees: Double, bits: UInt64 = 0, model: String = "m 1") -> PhotoFingerprint {
        let radians = degrees * .pi / 180
        let vector = [Int8((127 * cos(radians)).rounded()), Int8((127 * sin(radians)).rounded())]
        return PhotoFingerprint(
            hash: PictureHash(bits: bits), vector: vector + [Int8](repeating: 0, count: 126), model: model)
    }

    @Test(
        "The vectors and the hashes decide together",
        arguments: [
            (8.0, UInt64.max >> 32, true), (11, .max >> 32, false), (17, 0x3FFF, true), (17, 0x7FFF, false),
            (30, 0xFF, true), (30, 0x1FF, false), (33, 0, false),
        ])
    func rule(degrees: Double, bits: UInt64, isCopy: Bool) {
        let photo = Self.fingerprint(0)
        #expect(photo.isCopy(of: Self.fingerprint(degrees, bits: bits)) == isCopy)
        #expect(Self.fingerprint(degrees, bits: bits).isCopy(of: photo) == isCopy)
        #expect(!photo.isCopy(of: Self.fingerprint(0, model: "m 2")))
        #expect(!photo.isCopy(of: PhotoFingerprint(hash: photo.hash, vector: [1, 2], model: "m 1")))
    }
}
