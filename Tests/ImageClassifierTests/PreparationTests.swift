import Testing

@testable import ImageClassifier

/// How a picture becomes what the network sees.
@Suite struct PreparationTests {
    private func input(_ resize: ModelManifest.Input.Resize, crop: Double = 1) -> ModelManifest.Input {
        .init(
            width: 24,
            height: 32,
            resize: resize,
            crop: crop,
            mean: [0, 0, 0],
            std: [1, 1, 1],
            mirror: false
        )
    }

    /// The red plane, in the steps of the picture's bytes.
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

    @Test func `A picture of the input's size stays as it is`() throws {
        let picture = try PixelImage(width: 24, height: 32) { x, y in [x * 3 + y, 0, 0] }
        for rule in [input(.cover), input(.stretch)] {
            #expect(try red(picture, rule) == expected { x, y in x * 3 + y })
        }
    }

    @Test func `Covering cuts out the centre of a picture that is too wide`() throws {
        let picture = try PixelImage(width: 48, height: 32) { x, y in [x * 3 + y, 0, 0] }
        #expect(try red(picture, input(.cover)) == expected { x, y in (x + 12) * 3 + y })
    }

    @Test func `Covering cuts out the centre of a picture that is too high`() throws {
        let picture = try PixelImage(width: 24, height: 80) { x, y in [x * 3 + y, 0, 0] }
        #expect(try red(picture, input(.cover)) == expected { x, y in x * 3 + y + 24 })
    }

    @Test func `A crop cuts out less than is covered`() throws {
        let picture = try PixelImage(width: 96, height: 64) { x, y in [x + y, 0, 0] }
        #expect(try red(picture, input(.cover, crop: 0.5)) == expected { x, y in x + 36 + y + 16 })
    }

    @Test func `Shrinking averages the pixels that fall together`() throws {
        // Each 2 x 2 pixels hold 0, 8, 16 and 24 more than four times their column.
        let picture = try PixelImage(width: 96, height: 64) { x, y in [x / 2 * 4 + x % 2 * 8 + y % 2 * 16, 0, 0] }
        #expect(try red(picture, input(.cover)) == expected { x, _ in (x + 12) * 4 + 12 })
    }

    @Test func `Stretching squeezes the whole picture into the input`() throws {
        // Each 4 x 2 pixels hold 0, 2, 4 and 6 twice, the second time with 4 more, beside eight times their column.
        let picture = try PixelImage(width: 96, height: 64) { x, y in [x / 4 * 8 + x % 4 * 2 + y % 2 * 4, 0, 0] }
        #expect(try red(picture, input(.stretch)) == expected { x, _ in x * 8 + 5 })
    }

    @Test func `Enlarging interpolates between the centres of pixels`() throws {
        let picture = try PixelImage(width: 12, height: 16) { x, _ in [x * 16, 0, 0] }
        for rule in [input(.cover), input(.stretch)] {
            #expect(try red(picture, rule) == expected { x, _ in min(max(x * 8 - 4, 0), 176) })
        }
    }

    @Test func `Channels are normalised each by its own mean and deviation`() throws {
        let rule = ModelManifest.Input(
            width: 2,
            height: 1,
            resize: .stretch,
            crop: 1,
            mean: [0, 0.5, 1],
            std: [1, 0.5, 0.25],
            mirror: false
        )
        let planes = try rule.planes(PixelImage(width: 2, height: 1, rgb: [255, 255, 255, 0, 0, 0]))
        #expect(planes == [1, 0, 1, -1, 0, -4])
        #expect(rule.mirrored(planes) == [0, 1, -1, 1, -4, 0])
    }

    @Test(arguments: [(1, 32_767), (32_767, 1), (1, 1), (3, 9_000), (32_767, 300)])
    func `Strips and points are classified like any picture`(width: Int, height: Int) throws {
        let pixel: [UInt8] = [51, 102, 204]
        let rgb = (0..<(width * height)).flatMap { _ in pixel }
        let picture = try PixelImage(width: width, height: height, rgb: rgb)
        for rule in [input(.cover), input(.stretch), input(.cover, crop: 0.1)] {
            #expect(try red(picture, rule) == expected { _, _ in 51 })
        }
    }

    @Test func `The centre of a strip is its centre`() throws {
        let picture = try PixelImage(width: 24, height: 9_000) { _, y in [(4_484..<4_516).contains(y) ? 200 : 10, 0, 0]
        }
        #expect(try red(picture, input(.cover)) == expected { _, _ in 200 })
    }
}
