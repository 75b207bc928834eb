import Foundation
import Photos
import TestSupport
import Testing

@Suite("Photo processing")
struct PhotoProcessorTests {
    private let processor = PhotoProcessor.built()

    @Test(
        "Each format is decoded upright, in the right colours, on a white background",
        arguments: [
            ("progressive.jpg", Colours.upright), ("cmyk.jpg", Colours.upright), ("palette.png", Colours.upright),
            ("interlaced.png", Colours.upright), ("moving.webp", Colours.upright),
            ("clear.png", [Colours.red, Colours.green, Colours.blue, Colours.white]),
            ("clear.webp", [Colours.red, Colours.green, Colours.blue, Colours.white]),
            ("grey.jpg", [87, 130, 52, 128].map { [$0, $0, $0] }),
            ("grey16.png", [87, 130, 52, 128].map { [$0, $0, $0] }),
            // Orientation 6: what is stored as the left column is seen as the top row.
            ("turned.jpg", [Colours.blue, Colours.red, Colours.grey, Colours.green]),
            ("turned.png", [Colours.blue, Colours.red, Colours.grey, Colours.green]),
            ("turned.webp", [Colours.blue, Colours.red, Colours.grey, Colours.green]),
            ("plain.heic", Colours.upright), ("plain.avif", Colours.upright),
            // 10 and 12 bits per channel.
            ("deep.heic", Colours.upright), ("deep.avif", Colours.upright),
            ("clear.heic", [Colours.red, Colours.green, Colours.blue, Colours.white]),
            ("clear.avif", [Colours.red, Colours.green, Colours.blue, Colours.white]),
            // In these formats, EXIF does not turn the picture.
            ("exif.heic", Colours.upright), ("exif.avif", Colours.upright),
        ]
    )
    func formats(name: String, colours: [[Int]]) async throws {
        let photo = try await processor.process(try fixture(name), pixels: 64)
        let isTurned = name.hasPrefix("turned")
        for size in photo.jpegs + [try #require(photo.pixels)] {
            #expect(size.width == (isTurned ? 48 : 64) && size.height == (isTurned ? 64 : 48))
        }
        #expect(isNear(try corners(photo), colours))
        // The stored JPEG is itself a complete photo with the same colours.
        for jpeg in photo.jpegs {
            #expect(jpeg.bytes.prefix(3) == [0xFF, 0xD8, 0xFF] && jpeg.bytes.suffix(2) == [0xFF, 0xD9])
            #expect(isNear(try corners(try await processor.process(jpeg.bytes, pixels: 64)), colours, by: 20))
        }
    }

    @Test("All eight orientations are turned upright", arguments: 1...8)
    func orientations(orientation: UInt8) async throws {
        var file = try fixture("turned.jpg")
        // The tag 0x0112 with its type and count, big- or little-endian, and then the orientation.
        let little = file.firstRange(of: [0x12, 0x01, 0x03, 0x00, 0x01, 0x00, 0x00, 0x00] as [UInt8])
        let big = file.firstRange(of: [0x01, 0x12, 0x00, 0x03, 0x00, 0x00, 0x00, 0x01] as [UInt8])
        let place = try #require(little?.upperBound ?? big.map { $0.upperBound + 1 })
        file[place] = orientation
        let (r, g, b, w) = (Colours.red, Colours.green, Colours.blue, Colours.grey)
        let expected: [[[Int]]] = [
            [r, g, b, w], [g, r, w, b], [w, b, g, r], [b, w, r, g],
            [r, b, g, w], [b, r, w, g], [w, g, b, r], [g, w, r, b],
        ]
        let photo = try await processor.process(file, pixels: 64)
        #expect(isNear(try corners(photo), expected[Int(orientation) - 1]))
        #expect((photo.jpegs[0].width > photo.jpegs[0].height) == (orientation < 5))
    }

    @Test(
        "Colour profiles are applied",
        arguments: ["swapped.jpg", "swapped.png", "swapped.webp", "swapped.heic", "swapped.avif"])
    func profiles(name: String) async throws {
        let photo = try await processor.process(try fixture(name), pixels: 64)
        #expect(isNear(try corners(photo), [[24, 221, 24], [201, 24, 24], [24, 24, 221], [129, 129, 129]]))
    }

    @Test(
        "Metadata about place, time and camera are removed",
        arguments: ["turned.jpg", "turned.png", "turned.webp", "exif.heic", "exif.avif", "swapped.jpg"]
    )
    func metadata(name: String) async throws {
        let file = try fixture(name)
        #expect(["Exif", "EXIF", "eXIf", "ICC_PROFILE"].contains { file.contains($0) })
        for jpeg in try await processor.process(file).jpegs {
            #expect(!["Exif", "Maker", "ICC_PROFILE", "http"].contains { jpeg.bytes.contains($0) })
            // The only application marker is that of JFIF.
            #expect((0xE1...0xEF).allSatisfy { jpeg.bytes.firstRange(of: [0xFF, UInt8($0)]) == nil })
        }
    }

    @Test(
        "Large photos are reduced to the stored sizes, and small ones are not enlarged",
        arguments: [
            (2000, 1000, [[1600, 800], [800, 400], [480, 240], [320, 160]]),
            (1000, 3000, [[533, 1600], [267, 800], [160, 480], [107, 320]]),
            (400, 300, [[400, 300], [400, 300], [400, 300], [320, 240]]), (1, 1, [[1, 1], [1, 1], [1, 1], [1, 1]]),
            (5000, 1, [[1600, 1], [800, 1], [480, 1], [320, 1]]),
            (7071, 7071, [[1600, 1600], [800, 800], [480, 480], [320, 320]]),
        ]
    )
    func sizes(width: Int, height: Int, expected: [[Int]]) async throws {
        let photo = try await processor.process(try plainPNG(width: width, height: height), pixels: 800)
        #expect(photo.jpegs.map { [$0.width, $0.height] } == expected)
        let pixels = try #require(photo.pixels)
        #expect([pixels.width, pixels.height] == expected[1] && pixels.bytes.count == 3 * pixels.width * pixels.height)
    }
}
