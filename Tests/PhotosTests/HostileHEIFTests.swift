import Domain
import Foundation
import Photos
import SystemPackage
import TestSupport
import Testing

@Suite("Hostile HEIC and AVIF")
struct HostileHEIFTests {
    private let processor = PhotoProcessor.built()

    struct Attack: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let file: @Sendable () throws -> [UInt8]

        init(_ name: String, _ file: @escaping @Sendable () throws -> [UInt8]) {
            testDescription = name
            self.file = file
        }
    }

    private static func avif(
        _ width: Int, _ height: Int, _ change: (inout HEIFFile) -> Void = { _ in }
    ) throws -> [UInt8] {
        var file = HEIFFile(try .avif(), width: width, height: height)
        change(&file)
        return file.bytes
    }

    private static func heic(
        _ columns: Int, _ rows: Int, _ change: (inout HEIFFile) -> Void = { _ in }
    ) throws -> [UInt8] {
        var file = HEIFFile(tiles: try .heic(), columns: columns, rows: rows, width: 64 * columns, height: 64 * rows)
        change(&file)
        return file.bytes
    }

    /// Replaces bytes that follow a name in a valid file.
    private static func patched(
        _ file: [UInt8], after name: String, at offset: Int = 0, with bytes: [UInt8]
    ) throws -> [UInt8] {
        var file = file
        let place = try #require(file.firstRange(of: Array(name.utf8))).upperBound + offset
        file.replaceSubrange(place..<place + bytes.count, with: bytes)
        return file
    }

    private static func nested(_ name: String, _ depth: Int) -> [UInt8] {
        (0..<depth).reduce(into: []) { content, _ in content = HEIFFile.box(name, content) }
    }

    static let attacks: [Attack] = [
        Attack("only a brand") { HEIFFile.box("ftyp", Array("heic\0\0\0\0mif1heic".utf8)) },
        Attack("only an AVIF's brand") { HEIFFile.box("ftyp", Array("avif\0\0\0\0mif1avif".utf8)) },
        Attack("a brand and noise") {
            HEIFFile.box("ftyp", Array("avif\0\0\0\0".utf8)) + [UInt8](repeating: 0xFF, count: 1000)
        },
        Attack("no picture") { try avif(64, 48) { $0.items = [] } },
        Attack("no primary picture") { try avif(64, 48) { $0.primary = 9 } },
        Attack("a declared width of 0") { try avif(0, 48) },
        Attack("a declared size of 0") { try avif(0, 0) },
        Attack("tiles of a picture without a height") {
            try heic(1, 1) { $0.items[1].data = [0, 1, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0] }
        },
        Attack("a picture of 60 megapixels") { try avif(10_000, 6000) },
        Attack("a picture of 4 billion pixels per side") { try avif(0xFFFF_FFFF, 0xFFFF_FFFF) },
        Attack("a size that overflows to 0") { try avif(0x1_0000, 0x1_0000) },
        Attack("a small size, and tiles of one gigapixel") {
            try heic(1, 1) {
                $0.items[1].data = [0, 1, 0, 0] + HEIFFile.number(32_000, 4) + HEIFFile.number(32_000, 4)
            }
        },
        Attack("65,000 tiles") { try heic(256, 254) },
        Attack("65,000 tiles that declare a small size") {
            try heic(256, 254) { $0.properties[2] = HEIFFile.size(64, 64) }
        },
        Attack("65,000 tiles outside the picture") {
            try heic(256, 254) { $0.items[1].data = [0, 1, 253, 255, 0, 0, 0, 64, 0, 0, 0, 64] }
        },
        Attack("20,000 tiles in 20,000 items") {
            try heic(200, 100) {
                let tile = $0.items[0]
                $0.items += Array(repeating: tile, count: 19_900)
                $0.references[0].to = [1] + Array(3...19_901)
            }
        },
        Attack("fewer tiles than rows and columns") { try heic(3, 3) { $0.references[0].to = [1] } },
        Attack("tiles that do not exist") { try heic(2, 1) { $0.references[0].to = [7, 8] } },
        Attack("tiles without references") { try heic(2, 1) { $0.references = [] } },
        Attack("a picture that is its own tile") { try heic(1, 1) { $0.references[0].to = [2] } },
        Attack("a picture that is derived from itself") {
            try avif(64, 48) {
                $0.items[0].type = "iden"
                $0.references = [("dimg", 1, [1])]
            }
        },
        Attack("two pictures that are derived from each other") {
            try avif(64, 48) {
                $0.items[0].type = "iden"
                $0.items.append($0.items[0])
                $0.references = [("dimg", 1, [2]), ("dimg", 2, [1])]
            }
        },
        Attack("a picture laid over itself") {
            try avif(64, 48) {
                $0.items[0].type = "iovl"
                $0.items[0].data = [0, 0] + [UInt8](repeating: 0, count: 8) + [0, 64, 0, 64, 0, 0, 0, 0]
                $0.references = [("dimg", 1, [1])]
            }
        },
        Attack("HEVC without a configuration") { try heic(1, 1) { $0.items[0].properties = [2] } },
        Attack("AV1 data called HEVC") { try avif(64, 48) { $0.items[0].type = "hvc1" } },
        Attack("HEVC data called AV1") { try heic(1, 1) { $0.items[0].type = "av01" } },
        Attack("a coding that nobody knows") { try avif(64, 48) { $0.items[0].type = "xyz1" } },
        Attack("VVC") { try avif(64, 48) { $0.items[0].type = "vvc1" } },
        Attack("a picture without data") { try avif(64, 48) { $0.items[0].data = [] } },
        Attack("AV1 of zeros") { try avif(64, 48) { $0.items[0].data = .init(repeating: 0, count: 100_000) } },
        Attack("HEVC of zeros") { try heic(1, 1) { $0.items[0].data = .init(repeating: 0, count: 100_000) } },
        Attack("HEVC units that are longer than the file") {
            try heic(1, 1) { $0.items[0].data.replaceSubrange(0..<4, with: [0x7F, 0xFF, 0xFF, 0xFF]) }
        },
        Attack("boxes in a thousand boxes") { try avif(64, 48) { $0.properties.append(nested("ipco", 1000)) } },
        Attack("100,000 properties") {
            try avif(64, 48) { $0.properties += Array(repeating: HEIFFile.rotation(0), count: 100_000) }
        },
        Attack("a property that does not exist") { try avif(64, 48) { $0.items[0].properties.append(99) } },
        Attack("a crop outside the picture") {
            try avif(64, 48) {
                let numbers = [9000, 1, 9000, 1, 0x7FFF_FFFF, 1, 0x7FFF_FFFF, 1].flatMap { HEIFFile.number($0, 4) }
                $0.properties.append(HEIFFile.box("clap", numbers))
                $0.items[0].properties.append(3)
            }
        },
        Attack("a crop divided by 0") {
            try avif(64, 48) {
                $0.properties.append(HEIFFile.box("clap", [UInt8](repeating: 0, count: 32)))
                $0.items[0].properties.append(3)
            }
        },
        Attack("a box that is longer than the file") {
            try patched(try avif(64, 48), after: "ftyp", at: 16, with: [0x7F])
        },
        Attack("a box of 2^64 bytes") {
            HEIFFile.box("ftyp", Array("avif\0\0\0\0".utf8)) + [0, 0, 0, 1] + Array("meta".utf8)
                + [UInt8](repeating: 0xFF, count: 64)
        },
        Attack("a box of four bytes") {
            HEIFFile.box("ftyp", Array("avif\0\0\0\0".utf8)) + [0, 0, 0, 4] + Array("meta".utf8) + [0, 0, 0, 0]
        },
        Attack("data beyond the end of the file") {
            try patched(try avif(64, 48), after: "iloc", at: 14, with: [0x7F, 0xFF, 0xFF, 0xFF])
        },
        Attack("data of four gigabytes") {
            try patched(try avif(64, 48), after: "iloc", at: 18, with: [0xFF, 0xFF, 0xFF, 0xFF])
        },
        Attack("a film without a picture") {
            HEIFFile.box("ftyp", Array("msf1\0\0\0\0hevcmsf1".utf8)) + HEIFFile.box("moov", nested("trak", 5))
        },
    ]

    @Test("Each attack is refused as a fault of the photo", arguments: attacks)
    func refused(attack: Attack) async throws {
        let file = try attack.file()
        let error = await #expect(throws: ServiceError.self) { try await processor.process(file) }
        // Failures for lack of resources would be faults of the service.
        #expect([.invalid, .tooLarge, .unsupportedMediaType].contains(error?.code))
    }

    @Test("Without libheif, or for a coding that it does not know, the photo is refused with what to do")
    func unreadable() async throws {
        var program = [UInt8](try Data(contentsOf: URL(filePath: PhotoProcessor.workerPath)))
        let library = try #require(program.firstRange(of: Array("libheif.so.1".utf8)))
        program.replaceSubrange(library, with: Array("libheif.so.0".utf8))
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "photo-worker")
        try Data(program).write(to: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path.path)
        let other = PhotoProcessor(worker: FilePath(path.path))
        for name in ["plain.heic", "plain.avif"] {
            let file = try fixture(name)
            await #expect { try await other.process(file) } throws: { ($0 as? ServiceError) == .heicPhoto }
        }
        _ = try await other.process(try fixture("turned.jpg"))
        let unknown = try Self.avif(64, 48) { $0.items[0].type = "vvc1" }
        await #expect { try await processor.process(unknown) } throws: { ($0 as? ServiceError) == .heicPhoto }
    }

    @Test("The brand does not decide what is decoded", arguments: ["heic", "mif1", "avis", "msf1"])
    func brands(brand: String) async throws {
        let file = try Self.avif(64, 48) { $0.brand = brand }
        #expect(isNear(try corners(try await processor.process(file, pixels: 64)), Colours.upright))
    }

    @Test("A picture of 60 megapixels, or of 26 with more than 8 bits, is refused before it is decoded")
    func large() async throws {
        let deep = HEIFFile(try .deepAVIF(), width: 6500, height: 4000).bytes
        for file in [try Self.avif(10_000, 6000), deep] {
            await #expect { try await processor.process(file) } throws: { ($0 as? ServiceError) == .largePhoto }
        }
    }

    @Test("Every byte can be wrong", arguments: ["plain.heic", "plain.avif"])
    func everyByte(name: String) async throws {
        let file = try fixture(name)
        for place in stride(from: 12, to: file.count, by: 7) {
            var changed = file
            changed[place] ^= 0xFF
            do {
                _ = try await processor.process(changed, pixels: 64)
            } catch let error as ServiceError {
                #expect(error.code != .unavailable, "byte \(place)")
            }
        }
    }
}
