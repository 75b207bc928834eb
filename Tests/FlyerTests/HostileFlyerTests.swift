import Domain
import Flyer
import Foundation
import RandomSupport
import Testing

@Suite("Flyers from hostile input")
struct HostileFlyerTests {
    @Test("The same flyer gives the same bytes, even when rendered by many threads at once")
    func sameBytes() async throws {
        let flyers = Flyers.hostile.map { Flyers.spoiled(by: $0, photo: nil) } + [Flyers.argo]
        let once = try flyers.map { try $0.pdf() }
        try await withThrowingTaskGroup(of: (Int, Data).self) { group in
            for index in 0..<flyers.count * 2 {
                group.addTask { (index % flyers.count, try flyers[index % flyers.count].pdf()) }
            }
            for try await (index, pdf) in group { #expect(pdf == once[index]) }
        }
    }

    @Test("Every status has a flyer that needs only a headline and an address", arguments: Listing.Status.allCases)
    func bare(status: Listing.Status) throws {
        let flyer = Flyer(headline: "DOG", status: status, address: "https://example.org", language: .english)
        #expect(try flyer.pdf().starts(with: Data("%PDF".utf8)))
    }

    @Test(
        "Addresses that are unsuitable for a QR code are rejected",
        arguments: ["", String(repeating: "a", count: 500)]
    )
    func addresses(address: String) {
        var flyer = Flyers.argo
        flyer.address = address
        #expect(throws: FlyerError.unsuitableAddress) { try flyer.pdf() }
    }

    @Test(
        "Files that PDF cannot embed as a JPEG are rejected",
        arguments: [
            [], [0xFF, 0xD8], [0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47],
            jpeg(frame: 0xC3), jpeg(bits: 12), jpeg(colours: 4), jpeg(width: 0), jpeg(height: 0), jpeg(height: 65_535),
            jpeg().dropLast(12),
            [0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x01], [0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF, 0x00],
        ] as [[UInt8]]
    )
    func photos(bytes: [UInt8]) {
        var flyer = Flyers.argo
        flyer.photo = Data(bytes)
        #expect(throws: FlyerError.unreadablePhoto) { try flyer.pdf() }
    }

    @Test("A truncated or damaged photo gives a PDF or an error")
    func damagedPhotos() async throws {
        let photo = try await Flyers.photo(width: 1600, height: 900)
        var flyer = Flyers.argo
        var random = SeededGenerator(seed: 7)
        for size in stride(from: 0, to: min(photo.count, 700), by: 21) {
            var damaged = photo.prefix(size)
            flyer.photo = damaged
            expectPDFOrError(flyer)
            damaged = photo
            for _ in 0..<3 {
                damaged[Int.random(in: 2..<400, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            flyer.photo = damaged
            expectPDFOrError(flyer)
        }
    }

    private func expectPDFOrError(_ flyer: Flyer) {
        do {
            #expect(try flyer.pdf().starts(with: Data("%PDF".utf8)))
        } catch {
            #expect(error is FlyerError)
        }
    }
}

/// The headers of a JPEG file after a comment segment, without image data.
private func jpeg(
    frame: UInt8 = 0xC0,
    bits: UInt8 = 8,
    colours: UInt8 = 3,
    width: Int = 64,
    height: Int = 48
) -> [UInt8] {
    let sizes = [height, width].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    return [0xFF, 0xD8, 0xFF, 0xFE, 0x00, 0x04, 0x41, 0x42, 0xFF, frame, 0x00, 8 + 3 * colours, bits] + sizes + [
        colours
    ]
        + [UInt8](repeating: 0, count: 3 * Int(colours))
}
