package import Domain
import Foundation
package import ImageClassifier
import Photos
import Storage

/// Asks the model what a photo shows, and says it in terms of breeds.
package struct BreedRecogniser: Sendable {
    let breeds: Breeds
    private let model: ImageModel?

    /// Predictions less probable than this are noise.
    private static let minProbability = 0.001

    /// - Parameter model: nil where there is none: photos are taken all the same.
    package init(model: ImageModel?, breeds: Breeds) {
        self.model = model
        self.breeds = breeds
    }

    /// The keys of the breeds that the model knows.
    var known: Set<String> { Set(model?.labels.filter(\.isSubject).map(\.id) ?? []) }

    /// Nil where there is no model.
    var modelName: (id: String, version: String)? { model.map { ($0.manifest.id, $0.manifest.version) } }

    /// What the model says.
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

    /// Nil where there is no answer: a photo is taken all the same.
    func classifyIfPossible(_ photo: ProcessedPhoto) async -> RecordedClassification? {
        try? await classify(photo)
    }

    /// The breed that the model is sure of.
    func breed(of classification: RecordedClassification?) -> Breed? {
        guard let classification, classification.outcome == Classification.Outcome.accepted.rawValue else { return nil }
        return classification.predictions.first.flatMap { breeds.breed(key: $0.label) }
    }
}
