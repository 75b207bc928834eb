package import Domain
import Foundation
package import ImageClassifier
package import Logging
import Photos
import Storage

/// Asks the model what a photo shows, and says it in terms of breeds.
package struct BreedRecogniser: Sendable {
    let breeds: Breeds
    private let models: ModelRegistry
    private let logger: Logger

    /// Predictions less probable than this are noise.
    private static let leastProbability = 0.001

    package init(models: ModelRegistry, breeds: Breeds, logger: Logger) {
        self.models = models
        self.breeds = breeds
        self.logger = logger
    }

    /// What the default model says.
    func classify(_ photo: DevelopedPhoto) async throws -> RecordedClassification {
        guard let pixels = photo.pixels else { throw ServiceError.damagedPhoto }
        do {
            let image = try PixelImage(width: pixels.width, height: pixels.height, rgb: pixels.bytes)
            let found = try await models.model().classify(image)
            return RecordedClassification(
                id: UUID(),
                model: found.model,
                version: found.version,
                outcome: found.outcome.rawValue,
                predictions: found.predictions.filter { $0.confidence >= Self.leastProbability }.map {
                    .init(label: $0.label, probability: $0.confidence)
                }
            )
        } catch ClassificationError.busy {
            throw ServiceError(.unavailable, "too many photos at once: try again in a moment")
        } catch let error as ModelError {
            logger.error("no breeds are recognised", metadata: ["error": "\(error)"])
            throw ServiceError(.unavailable, "no breeds are recognised at the moment")
        }
    }

    /// Nil where there is no answer: a photo is taken all the same.
    func classifyIfPossible(_ photo: DevelopedPhoto) async -> RecordedClassification? {
        try? await classify(photo)
    }

    /// The breed that the model is sure of.
    func breed(of classification: RecordedClassification?) -> Breed? {
        guard let classification, classification.outcome == Classification.Outcome.accepted.rawValue else { return nil }
        return classification.predictions.first.flatMap { breeds.breed(key: $0.label) }
    }

    /// Whether the default model knows the breed; nobody is, where there is no model.
    func knownBreeds() async -> Set<String> {
        guard let model = try? await models.model() else { return [] }
        return Set(model.labels.filter(\.isSubject).map(\.id))
    }
}
