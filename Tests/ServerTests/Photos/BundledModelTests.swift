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

    @Test("The vector of a picture is what the measured formula gives")
    func vector() async throws {
        let model = try await Self.models.model()
        let rgb = (0..<300).flatMap { y in
            (0..<200).flatMap { x in [5 * x, 4 * y, x * y / 64].map { UInt8(Self.wave($0) / 2 + 64) } }
        }
        #expect(rgb.reduce(0) { $0 + Int($1) } == 22_397_449)
        let found = try #require(try await model.classify(PixelImage(width: 200, height: 300, rgb: rgb)).vector)
        // Computed with numpy and OpenCV 4.6. Other processors round differently.
        let expected = PictureVector(
            bytes: [
                0, 12, 14, -6, -8, -18, -20, 14, 1, -25, 29, 30, 3, -33, -16, -1, 22, -21, 1, -26, 91, 1, 55, -18,
                -16, 4, -22, 10, -7, 23, -21, 22, -5, 30, 16, 26, 34, -29, -30, 10, -29, 25, 0, 21, -9, 26, -2,
                -21, -61, -8, -12, 14, 11, 22, -14, -13, -16, 19, -23, -36, 65, -30, -12, -21, -6, -10, 19, -10,
                17, 53, 24, -16, -22, 25, -55, -26, -30, -2, 7, -56, 1, 7, -18, 17, -19, -74, -11, -3, 14, 35, -4,
                41, -38, -10, -56, 1, 11, -20, 54, 11, 30, -1, -36, 4, -25, 37, -26, 6, 5, -58, -4, -20, 3, 2, 38,
                -12, -10, 7, 29, -10, 34, 46, 14, 9, -37, -12, 3, 23,
            ]
        )
        #expect(found.bytes.count == 128 && found.likeness(to: expected) > 0.999)
        let grey = try PixelImage(width: 64, height: 64, rgb: Array(repeating: 120, count: 3 * 64 * 64))
        #expect(try #require(try await model.classify(grey).vector).likeness(to: expected) < 0.95)
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
