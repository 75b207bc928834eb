package import Domain
import Foundation
package import ImageClassifier
import Photos
import Storage

/// Recognises the breed of a dog in a photo with an image model.
package struct BreedRecogniser: Sendable {
    let breeds: Breeds
    private let model: ImageModel?

    /// Predictions with a lower probability are noise.
    private static let minProbability = 0.001

    /// - Parameter model: the image model; nil if there is none, in which case photos are accepted without a
    ///   classification.
    package init(model: ImageModel?, breeds: Breeds) {
        self.model = model
        self.breeds = breeds
    }

    /// The keys of the breeds that the model can recognise.
    var known: Set<String> { Set(model?.labels.filter(\.isSubject).map(\.id) ?? []) }

    /// The ID and version of the model; nil if there is none.
    var modelName: (id: String, version: String)? { model.map { ($0.manifest.id, $0.manifest.version) } }

    /// Returns the result of the model. Throws `unavailable` if there is no model or if too many photos are waiting.
    func classify(_ photo: ProcessedPhoto) async throws -> RecordedClassification {
        guard let model else { throw ServiceError(.unavailable, "no breeds are recognised here") }
        guard let pixels = photo.pixels else { throw ServiceError.damagedPhoto }
        let image = try PixelImage(width: pixels.width, height: pixels.height, rgb: pixels.bytes)
        let found = try await answer(of: model, to: image)
        return RecordedClassification(
            id: UUID(),
            model: found.model,
            version: found.version,
            outcome: found.outcome.rawValue,
            predictions: found.predictions.filter { $0.confidence >= Self.minProbability }.map {
                .init(label: $0.label, probability: $0.confidence)
            }
        )
    }

    private func answer(of model: ImageModel, to image: PixelImage) async throws -> Classification {
        do {
            return try await model.classify(image)
        } catch {
            guard case .busy = error else { throw error }
            throw ServiceError(.unavailable, "too many photos at once: try again in a moment")
        }
    }

    /// Returns nil if there is no result, because a photo is accepted even without a classification.
    func classifyIfPossible(_ photo: ProcessedPhoto) async -> RecordedClassification? {
        try? await classify(photo)
    }

    /// Returns the recognised breed, if the model is certain enough to accept it.
    func breed(of classification: RecordedClassification?) -> Breed? {
        guard let classification, classification.outcome == Classification.Outcome.accepted.rawValue else { return nil }
        return classification.predictions.first.flatMap { breeds.breed(key: $0.label) }
    }
}
