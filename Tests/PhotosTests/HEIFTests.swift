import Photos
import TestSupport
import Testing

@Suite("HEIC and AVIF")
struct HEIFTests {
    private let processor = PhotoProcessor.built()

    private static let turns: [(quarters: UInt8, colours: [[Int]])] = [
        (0, [Colours.red, Colours.green, Colours.blue, Colours.grey]),
        (1, [Colours.green, Colours.grey, Colours.red, Colours.blue]),
        (2, [Colours.grey, Colours.blue, Colours.green, Colours.red]),
        (3, [Colours.blue, Colours.red, Colours.grey, Colours.green]),
    ]

    @Test("The container turns a picture, and its EXIF does not turn it once more", arguments: turns)
    func rotations(quarters: UInt8, colours: [[Int]]) async throws {
        let exif = try fixture("exif.avif")
        let start = try #require(exif.firstRange(of: Array("MM\0*".utf8))).lowerBound
        var avif = HEIFFile(try .avif(), width: 64, height: 48, properties: [HEIFFile.rotation(quarters)])
        avif.items.append(HEIFFile.Item(type: "Exif", data: [0, 0, 0, 0] + exif[start...]))
        avif.references = [("cdsc", 2, [1])]
        let heic = HEIFFile(
            tiles: try .heic(), columns: 1, rows: 1, width: 64, height: 48, properties: [HEIFFile.rotation(quarters)])
        for file in [avif, heic] {
            let photo = try await processor.process(file.bytes, pixels: 64)
            #expect((photo.jpegs[0].width > photo.jpegs[0].height) == (quarters % 2 == 0))
            #expect(isNear(try corners(photo), colours))
        }
    }

    @Test("The container mirrors a picture")
    func mirrors() async throws {
        let (r, g, b, w) = (Colours.red, Colours.green, Colours.blue, Colours.grey)
        for (axis, colours) in [(0, [b, w, r, g]), (1, [g, r, w, b])] as [(UInt8, [[Int]])] {
            let file = HEIFFile(try .avif(), width: 64, height: 48, properties: [HEIFFile.mirror(axis)])
            #expect(isNear(try corners(try await processor.process(file.bytes, pixels: 64)), colours))
        }
    }

    @Test("A picture is put together from tiles, as iPhones write them")
    func tiles() async throws {
        let file = HEIFFile(tiles: try .heic(), columns: 3, rows: 1, width: 192, height: 48)
        let photo = try await processor.process(file.bytes, pixels: 192)
        #expect(photo.jpegs[0].width == 192 && photo.jpegs[0].height == 48)
        #expect(isNear(try corners(photo), [Colours.green, Colours.red, Colours.grey, Colours.blue]))
    }

    /// A file as iOS 18 writes it: parts of it belong to the picture and to a "tmap", by which that picture becomes one of a
    /// high dynamic range.
    private static func shared(_ coded: HEIFFile.Coded) -> HEIFFile {
        var file = HEIFFile(tiles: coded, columns: 1, rows: 1, width: 64, height: 48)
        let kind = Array("urn:com:apple:photo:2020:aux:hdrgainmap\0".utf8)
        file.properties.append(HEIFFile.fullBox("auxC", kind))
        file.items += [
            HEIFFile.Item(type: "tmap", data: [UInt8](repeating: 0, count: 62)),
            HEIFFile.Item(type: coded.type, data: coded.data, properties: [1, 2, 4]),
            HEIFFile.Item(type: coded.type, data: coded.data, properties: [1, 2]),
            HEIFFile.Item(type: "Exif", data: [0, 0, 0, 0] + Array("MM\0*\0\0\0\u{8}\0\0".utf8)),
        ]
        file.references += [("dimg", 3, [2, 4]), ("auxl", 4, [2, 3]), ("thmb", 5, [2, 3]), ("cdsc", 6, [2, 3])]
        return file
    }

    @Test("What belongs to several pictures, or wrongly to none or to itself, does not prevent decoding")
    func sharedParts() async throws {
        let file = Self.shared(try .heic())
        #expect(isNear(try corners(try await processor.process(file.bytes, pixels: 64)), Colours.upright))
        for type in ["auxl", "thmb", "cdsc"] {
            for to in [[1], [9], [], [1, 1]] {
                var file = HEIFFile(try .avif(), width: 64, height: 48)
                file.references = [(type, 1, to)]
                #expect(isNear(try corners(try await processor.process(file.bytes, pixels: 64)), Colours.upright))
            }
        }
    }

    @Test(
        "Colours without a profile are converted by their numbers",
        arguments: [
            ("plain.avif", 1, 13, Colours.upright),
            // Display P3: computed with the matrices of SMPTE EG 432-1 and IEC 61966-2-1.
            ("plain.avif", 12, 13, [[240, 0, 0], [0, 204, 0], [26, 30, 229], [128, 128, 128]]),
            // BT.2020 with PQ: 128 is 92 cd/m2, and a white page has 203.
            ("deep.avif", 9, 16, [[255, 0, 0], [0, 255, 0], [0, 0, 255], [180, 180, 180]]),
        ]
    )
    func codePoints(name: String, primaries: UInt8, transfer: UInt8, colours: [[Int]]) async throws {
        var file = try fixture(name)
        let place = try #require(file.firstRange(of: Array("nclx".utf8))).upperBound
        file.replaceSubrange(place..<place + 4, with: [0, primaries, 0, transfer])
        let seen = try corners(try await processor.process(file, pixels: 64))
        #expect(isNear(seen, colours), "\(seen)")
    }
}
