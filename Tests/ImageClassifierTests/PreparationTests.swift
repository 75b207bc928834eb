import Testing

@testable import ImageClassifier

/// The conversion of pictures into the input of networks.
@Suite("Picture preparation")
struct PreparationTests {
    private func input(_ resize: ModelManifest.Input.Resize, crop: Double = 1) -> ModelManifest.Input {
        .init(
            width: 24,
            height: 32,
            resize: resize,
            crop: crop,
            mean: [0, 0, 0],
            std: [1, 1, 1],
            views: .one
        )
    }

    /// The red plane in the range of the picture's bytes.
    private func red(_ picture: PixelImage, _ input: ModelManifest.Input) throws -> [[Float]] {
        let planes = try input.planes(picture)
        #expect(planes.count == input.width * input.height * 3)
        return (0..<input.height).map { y in
            (0..<input.width).map { x in (planes[y * input.width + x] * 255).rounded() }
        }
    }

    private func expected(_ value: (Int, Int) -> Int) -> [[Float]] {
        (0..<32).map { y in (0..<24).map { x in Float(value(x, y)) } }
    }

    @Test("A picture of the input's size is not changed")
    func sameSize() throws {
        let picture = try PixelImage(width: 24, height: 32) { x, y in [x * 3 + y, 0, 0] }
        for rule in [input(.cover), input(.stretch)] {
            #expect(try red(picture, rule) == expected { x, y in x * 3 + y })
        }
    }

    @Test("Covering takes the centre of a picture that is too wide")
    func coverWide() throws {
        let picture = try PixelImage(width: 48, height: 32) { x, y in [x * 3 + y, 0, 0] }
        #expect(try red(picture, input(.cover)) == expected { x, y in (x + 12) * 3 + y })
    }

    @Test("Covering takes the centre of a picture that is too high")
    func coverHigh() throws {
        let picture = try PixelImage(width: 24, height: 80) { x, y in [x * 3 + y, 0, 0] }
        #expect(try red(picture, input(.cover)) == expected { x, y in x * 3 + y + 24 })
    }

    @Test("A crop takes a smaller part of the covered area")
    func crop() throws {
        let picture = try PixelImage(width: 96, height: 64) { x, y in [x + y, 0, 0] }
        #expect(try red(picture, input(.cover, crop: 0.5)) == expected { x, y in x + 36 + y + 16 })
    }

    @Test("Shrinking averages the pixels that become one")
    func shrinking() throws {
        // The pixels of each 2 x 2 block are 0, 8, 16 and 24 more than four times their column.
        let picture = try PixelImage(width: 96, height: 64) { x, y in [x / 2 * 4 + x % 2 * 8 + y % 2 * 16, 0, 0] }
        #expect(try red(picture, input(.cover)) == expected { x, _ in (x + 12) * 4 + 12 })
    }

    @Test("Stretching scales the whole picture to the input")
    func stretching() throws {
        // The pixels of each 4 x 2 block are eight times their column plus 0, 2, 4 and 6, in the second row plus 4
        // more.
        let picture = try PixelImage(width: 96, height: 64) { x, y in [x / 4 * 8 + x % 4 * 2 + y % 2 * 4, 0, 0] }
        #expect(try red(picture, input(.stretch)) == expected { x, _ in x * 8 + 5 })
    }

    @Test("Enlarging interpolates between the centres of pixels")
    func enlarging() throws {
        let picture = try PixelImage(width: 12, height: 16) { x, _ in [x * 16, 0, 0] }
        for rule in [input(.cover), input(.stretch)] {
            #expect(try red(picture, rule) == expected { x, _ in min(max(x * 8 - 4, 0), 176) })
        }
    }

    @Test("A square of a picture is prepared like a picture")
    func square() throws {
        let pixel = { (x: Int, y: Int) in [x * 3, y * 2, (x + y) % 256] }
        let whole = try PixelImage(width: 80, height: 100, pixel)
        let part = try PixelImage(width: 40, height: 40) { pixel($0 + 30, $1 + 60) }
        for rule in [input(.cover), input(.stretch)] {
            #expect(try rule.planes(whole, in: .init(left: 30, top: 60, side: 40)) == rule.planes(part))
        }
    }

    @Test("Each channel is normalised by its own mean and deviation")
    func normalisation() throws {
        let rule = ModelManifest.Input(
            width: 2,
            height: 1,
            resize: .stretch,
            crop: 1,
            mean: [0, 0.5, 1],
            std: [1, 0.5, 0.25],
            views: .one
        )
        let planes = try rule.planes(PixelImage(width: 2, height: 1, rgb: [255, 255, 255, 0, 0, 0]))
        #expect(planes == [1, 0, 1, -1, 0, -4])
        #expect(rule.mirrored(planes) == [0, 1, -1, 1, -4, 0])
    }

    @Test(
        "Very long and very small pictures are classified",
        arguments: [(1, 32_767), (32_767, 1), (1, 1), (3, 9_000), (32_767, 300)]
    )
    func extremeShapes(width: Int, height: Int) throws {
        let pixel: [UInt8] = [51, 102, 204]
        let rgb = (0..<(width * height)).flatMap { _ in pixel }
        let picture = try PixelImage(width: width, height: height, rgb: rgb)
        for rule in [input(.cover), input(.stretch), input(.cover, crop: 0.1)] {
            #expect(try red(picture, rule) == expected { _, _ in 51 })
        }
    }

    @Test("Covering takes the centre of a long strip")
    func stripCentre() throws {
        let picture = try PixelImage(width: 24, height: 9_000) { _, y in [(4_484..<4_516).contains(y) ? 200 : 10, 0, 0]
        }
        #expect(try red(picture, input(.cover)) == expected { _, _ in 200 })
    }
}
