import BreedModel
import Domain
import ImageClassifier
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
