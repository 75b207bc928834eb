import BreedModel
import Domain
import ImageClassifier
import Matching
import RandomSupport
import TestSupport
import Testing

@Suite("Bundled model")
struct BundledModelTests {
    private static let models = ModelRegistry(
        directories: [BreedModel.models],
        labelMaps: BreedModel.labelMaps,
        defaultModel: BreedModel.id
    )

    @Test("The model is complete, reproduces its test vectors, and has labels of the breed list")
    func labels() async throws {
        let model = try await Self.models.model()
        let breeds = try Bundled.breeds()
        let labels = model.labels
        #expect(labels.count == 75 && labels.count { $0.isSubject } == 69)
        for label in labels where label.isSubject {
            let breed = try #require(breeds.breed(key: label.id), "\(label.id)")
            #expect(breed.species == .dog && label.names["it"] != nil)
        }
        #expect(labels.filter { !$0.isSubject }.map(\.id).contains("not_dog"))
        #expect(
            model.manifest.id == PhotoPrototypes.model.id && model.manifest.version == PhotoPrototypes.model.version)
    }

    /// A wave from 0 to 255 and back.
    private static func wave(_ value: Int) -> Int {
        let rest = value % 512
        return rest < 256 ? rest : 511 - rest
    }

    /// A picture, and its vector, which was computed with numpy and OpenCV 4.6.
    struct Golden: Sendable {
        let (width, height): (Int, Int)
        let sum: Int
        let vector: [Int8]
        let pixel: @Sendable (Int, Int) -> [Int]
    }

    private static let golden = [
        // A disc with a dark spot. The square around it is of 343 pixels, from (42, 60).
        Golden(
            width: 504,
            height: 504,
            sum: 74_462_306,
            vector: [
                -1, 24, 14, 13, -9, -12, -12, 38, 4, -14, 34, 13, 21, -54, -30, 4, 44, 8, -1, -16, 68, 4, 33, -35, -24,
                44, -9, -15, -6, 29, 1, -5, -11, 43, -3, 33, 16, 31, -3, 21, -11, 17, -26, 16, -22, 14, -34, 16, -71,
                -15, -26, 7, -7, -16, -23, 7, 15, -1, -28, -33, 41, -36, -10, -48, 12, -26, -16, -36, 11, 37, 21, -18,
                0, 15, -61, -7, -44, 24, -17, -34, -4, 23, -13, 27, 7, -57, 5, -5, -4, 44, -11, 24, -34, -27, -54, 1,
                19, 17, 52, 19, 37, 21, -72, 10, -27, 38, 14, -1, 26, -28, -4, -7, 3, -22, 27, -13, -1, 14, 4, -5, 7,
                57, 24, 25, -8, 7, 19, -1,
            ]
        ) { x, y in
            func isNear(_ column: Int, _ row: Int, _ radius: Int) -> Bool {
                (x - column) * (x - column) + (y - row) * (y - row) < radius * radius
            }
            if isNear(200, 180, 40) { return [30, 30, 30] }
            return isNear(252, 252, 150)
                ? [150 + wave(x) / 8, 100 + wave(y) / 8, 60] : [70, 130 + wave(4 * x + 2 * y) / 8, 60]
        },
        // Waves. The square is of the whole width, from (0, 44).
        Golden(
            width: 200,
            height: 300,
            sum: 22_397_449,
            vector: [
                1, 14, 16, -9, -14, -11, -25, 16, 2, -29, 24, 36, -3, -41, -19, -5, 29, -20, 4, -33, 88, 1, 48, -20,
                -18, 11, -29, 9, -5, 21, -11, 20, -3, 32, 13, 25, 34, -21, -25, 3, -26, 24, 1, 28, -4, 28, -7, -15, -63,
                -3, -10, 13, 8, 15, -21, -11, -26, 23, -23, -37, 66, -22, -16, -13, -12, -4, 14, -8, 14, 49, 27, -19,
                -21, 24, -54, -23, -25, -7, 6, -64, 4, 2, -20, 13, -18, -73, -13, -1, 4, 37, 0, 36, -31, -11, -49, 2,
                11, -22, 68, 4, 30, -1, -28, 3, -20, 37, -19, 0, 2, -45, -6, -13, 7, -5, 42, -10, -6, 4, 36, -4, 33, 47,
                8, 11, -52, -5, 3, 27,
            ]
        ) { x, y in [5 * x, 4 * y, x * y / 64].map { wave($0) / 2 + 64 } },
    ]

    @Test("The vectors of pictures are what the measured formula gives", arguments: golden)
    func vector(golden: Golden) async throws {
        let model = try await Self.models.model()
        let rgb = (0..<golden.height).flatMap { y in
            (0..<golden.width).flatMap { x in golden.pixel(x, y).map { UInt8($0) } }
        }
        #expect(rgb.reduce(0) { $0 + Int($1) } == golden.sum)
        let picture = try PixelImage(width: golden.width, height: golden.height, rgb: rgb)
        let found = try #require(try await model.classify(picture).vector)
        #expect(found.bytes.count == 128)
        // Other processors round differently.
        #expect(zip(found.bytes, golden.vector).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
        let grey = try PixelImage(width: 64, height: 64, rgb: Array(repeating: 120, count: 3 * 64 * 64))
        let other = try #require(try await model.classify(grey).vector)
        #expect(other.likeness(to: PictureVector(bytes: golden.vector)) < 0.95)
    }

    @Test("Noise and plain colours are not classified as dogs with certainty")
    func noDogs() async throws {
        let model = try await Self.models.model()
        var random = SeededGenerator(seed: 3)
        var pictures = [[0, 0, 0], [255, 255, 255], [120, 90, 60]].map { colour in
            (0..<128 * 128).flatMap { _ in colour.map { UInt8($0) } }
        }
        for _ in 0..<5 { pictures.append((0..<3 * 128 * 128).map { _ in .random(in: 0...255, using: &random) }) }
        for picture in pictures {
            let answer = try await model.classify(PixelImage(width: 128, height: 128, rgb: picture))
            #expect(answer.outcome != .accepted)
            #expect(answer.predictions.map(\.confidence).reduce(0, +) < 1 + 1e-6)
        }
    }
}
