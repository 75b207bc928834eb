import Concurrency
import Domain
import Foundation
import Photos
import RandomSupport
import Subprocess
import SystemPackage
import TestSupport
import Testing

@Suite("Hostile photos")
struct HostileTests {
    private let processor = PhotoProcessor.built()

    struct Attack: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: ServiceError.Code
        let file: @Sendable () throws -> [UInt8]

        init(_ name: String, _ code: ServiceError.Code, _ file: @escaping @Sendable () throws -> [UInt8]) {
            testDescription = name
            self.code = code
            self.file = file
        }
    }

    static let attacks: [Attack] = [
        Attack("nothing at all", .unsupportedMediaType) { [] },
        Attack("one byte", .unsupportedMediaType) { [0xFF] },
        Attack("the beginning of a JPEG", .invalid) { [0xFF, 0xD8, 0xFF, 0xE0] },
        Attack("the beginning of a PNG", .invalid) { [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] },
        Attack("the beginning of a WebP", .invalid) { Array("RIFF".utf8) + [4, 0, 0, 0] + Array("WEBP".utf8) },
        Attack("a GIF", .unsupportedMediaType) { Array("GIF89a".utf8) + [UInt8](repeating: 0, count: 100) },
        Attack("the beginning of a film", .unsupportedMediaType) {
            HEIFFile.box("ftyp", Array("isom\0\0\0\0isom".utf8))
        },
        Attack("a drawing", .unsupportedMediaType) {
            Array(
                #"<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><image href="/etc/passwd"/></svg>"#.utf8
            )
        },
        Attack("a page", .unsupportedMediaType) { Array("<html><script>alert(1)</script></html>".utf8) },
        Attack("orders to ImageMagick", .unsupportedMediaType) {
            Array("push graphic-context\nfill 'url(https://example.org/x.jpg\"|ls \"-la)'\npop graphic-context".utf8)
        },
        Attack("text after a JPEG's first bytes", .invalid) { [0xFF, 0xD8, 0xFF] + Array("<script>".utf8) },
        Attack("a PNG of 64 megapixels in 8 kB", .tooLarge) { try plainPNG(width: 8000, height: 8000) },
        Attack("an interlaced PNG of 20 megapixels", .tooLarge) {
            try plainPNG(width: 5000, height: 4000, isInterlaced: true)
        },
        Attack("a PNG that says it is 2 billion wide", .tooLarge) {
            try plainPNG(width: 2_000_000_000, height: 2_000_000_000, rows: 0)
        },
        Attack("a PNG without width", .invalid) { try plainPNG(width: 0, height: 10) },
        Attack("a PNG with half its rows", .invalid) { try plainPNG(width: 500, height: 1000, rows: 500) },
        Attack("a JPEG that says it is 65,500 wide and high", .tooLarge) {
            var file = try fixture("progressive.jpg")
            let start = try #require(file.firstRange(of: [0xFF, 0xC2] as [UInt8])).upperBound
            file.replaceSubrange(start + 3..<start + 7, with: [0xFF, 0xDC, 0xFF, 0xDC])
            return file
        },
        Attack("a JPEG with ten thousand scans", .invalid) {
            let file = try fixture("progressive.jpg")
            let scan = try #require(file.firstRange(of: [0xFF, 0xDA] as [UInt8])).lowerBound
            let scans = Array(file[scan...].dropLast(2))
            return file[..<scan] + (0..<10_000).flatMap { _ in scans } + [0xFF, 0xD9]
        },
        Attack("more than 16 MB", .tooLarge) {
            [0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0, count: PhotoProcessor.maxFileSize)
        },
    ]

    @Test("Each attack is rejected with its own reason", arguments: attacks)
    func refused(attack: Attack) async throws {
        let file = try attack.file()
        await #expect { try await processor.process(file) } throws: { ($0 as? ServiceError)?.code == attack.code }
    }

    @Test(
        "A truncated photo is rejected wherever it ends",
        arguments: [
            "turned.jpg", "progressive.jpg", "cmyk.jpg", "turned.png", "interlaced.png", "turned.webp", "clear.webp",
            "plain.heic", "clear.heic", "plain.avif", "clear.avif",
        ]
    )
    func cut(name: String) async throws {
        let file = try fixture(name)
        for tenth in 1...9 {
            let part = Array(file.prefix(file.count * tenth / 10))
            await #expect(throws: ServiceError.self, "\(tenth)0 %") { try await processor.process(part) }
        }
    }

    @Test(
        "Data hidden after the image is removed",
        arguments: ["turned.jpg", "turned.png", "turned.webp", "exif.heic", "exif.avif"])
    func polyglot(name: String) async throws {
        let file = try fixture(name) + Array("<script>alert(1)</script>PK\u{3}\u{4}".utf8)
        for jpeg in (try? await processor.process(file))?.jpegs ?? [] {
            #expect(!jpeg.bytes.contains("script") && !jpeg.bytes.contains("PK"))
        }
    }

    @Test("Randomly changed files give a photo or an error")
    func mutations() async throws {
        var random = SeededGenerator(seed: 4)
        let names = [
            "turned.jpg", "progressive.jpg", "swapped.jpg", "cmyk.jpg", "turned.png", "swapped.png", "interlaced.png",
            "grey16.png", "palette.png", "turned.webp", "swapped.webp", "moving.webp", "clear.webp", "clear.heic",
            "exif.heic",
            "deep.heic", "clear.avif", "swapped.avif", "deep.avif",
        ]
        let files = try names.map(fixture)
        let mutants = (0..<500).map { _ in Self.mutant(of: files.randomElement(using: &random) ?? [], &random) }
        // A photo that waits for a minute is refused.
        let semaphore = AsyncSemaphore(permits: 4, maxWaiting: .max)
        let codes = try await withThrowingTaskGroup(of: ServiceError.Code?.self) { group in
            for mutant in mutants {
                group.addTask {
                    try await semaphore.withPermit { try await code(of: mutant) }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count == mutants.count)
        #expect(codes.contains(nil) && codes.contains(.invalid))
        // Failures for lack of resources would be faults of the service.
        #expect(!codes.contains(.unavailable))
    }

    /// Returns the code of the error that the photo causes; nil if it causes none.
    private func code(of photo: [UInt8]) async throws -> ServiceError.Code? {
        do {
            _ = try await processor.process(photo, pixels: 64)
            return nil
        } catch let error as ServiceError {
            return error.code
        }
    }

    private static func mutant(of file: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var file = file
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let place = Int.random(in: 12..<file.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: file[place] = .random(in: 0...255, using: &random)
            case 1: file[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: file[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
            default: file.insert(contentsOf: file[place...].prefix(8), at: place)
            }
        }
        return file
    }

    @Test("A photo that takes too long is rejected")
    func slow() async throws {
        let impatient = PhotoProcessor.built(timeout: .milliseconds(1))
        let file = try plainPNG(width: 7000, height: 7000)
        await #expect { try await impatient.process(file) } throws: { ($0 as? ServiceError)?.code == .invalid }
    }

    @Test("During decoding, the worker cannot open files or sockets, and its memory is limited")
    func sandbox() async throws {
        let picture = try plainPNG(width: 1600, height: 1600)
        // The pixels of a 1600 x 1600 picture do not fit into a pipe, so the worker waits in its sandbox until they are
        // read.
        let result = try await Subprocess.run(
            .path(FilePath(PhotoProcessor.workerPath)),
            arguments: ["16777216", "1600", "1600", "320"],
            input: .array(picture),
            output: .sequence,
            error: .discarded
        ) { worker in
            defer { try? worker.send(signal: .kill) }
            return try await Self.state(of: worker.processIdentifier.value)
        }
        let (status, limits) = result.closureResult
        #expect(status.contains("Seccomp:\t2") && status.contains("NoNewPrivs:\t1") && status.contains("Threads:\t1"))
        #expect(limits.firstMatch(of: #/Max address space +671088640 /#) != nil)
        #expect(limits.firstMatch(of: #/Max cpu time +4 /#) != nil)
        #expect(limits.firstMatch(of: #/Max core file size +0 /#) != nil)
    }

    /// The state of the process as soon as its sandbox is active.
    private static func state(of process: Int32) async throws -> (status: String, limits: String) {
        let folder = "/proc/\(process)"
        var status = ""
        for _ in 0..<6000 where !status.contains("Seccomp:\t2") {
            try await Task.sleep(for: .milliseconds(10))
            status = (try? String(contentsOfFile: folder + "/status", encoding: .utf8)) ?? ""
        }
        return (status, (try? String(contentsOfFile: folder + "/limits", encoding: .utf8)) ?? "")
    }
}
