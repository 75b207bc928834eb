package import Domain
import Foundation
package import ImageClassifier
package import Matching
import Photos
package import Storage

/// Recognises the breed of a dog in a photo with an image model.
package struct BreedRecogniser: Sendable {
    let breeds: Breeds
    private let model: ImageModel?
    private let matchReader: MatchReader
    /// The keys of the labels in the breed table. The id of a label without a key is one, too.
    private let keys: [String: String]

    /// - Parameter model: the image model; nil if there is none, in which case photos are accepted without a
    ///   classification.
    package init(model: ImageModel?, breeds: Breeds, _ matchReader: MatchReader) {
        self.model = model
        self.matchReader = matchReader
        self.breeds = breeds
        keys = Dictionary((model?.labels ?? []).map { ($0.id, $0.key ?? $0.id) }) { first, _ in first }
    }

    /// The keys of the breeds that the model can recognise.
    var known: Set<String> { Set(model?.labels.filter(\.isSubject).map { key(of: $0.id) } ?? []) }

    /// The key of a label in the breed table. A label of another model, which was installed before, is its own key.
    func key(of label: String) -> String { keys[label] ?? label }

    func breed(label: String) -> Breed? { breeds.breed(key: key(of: label)) }

    /// Returns the order of the listings that may be of the dog in the photo; nil if it shows no breed.
    func ranking(_ found: RecordedClassification) -> PhotoRanking? {
        let likely = found.predictions.filter { breed(label: $0.label) != nil }
        let breeds = likely.map { (key: key(of: $0.label), probability: $0.probability) }
        let labels = max(known.count, 1)
        let ranking = PhotoRanking(breeds, labels: labels, vector: found.comparedVector, matchReader)
        return ranking.breeds.isEmpty ? nil : ranking
    }

    /// The ID and version of the model; nil if there is none.
    var modelName: (id: String, version: String)? { model.map { ($0.manifest.id, $0.manifest.version) } }

    /// Returns the result of the model. Throws `unavailable` if there is no model or if too many photos are waiting.
    func classify(_ photo: ProcessedPhoto) async throws -> RecordedClassification {
        guard let model else { throw ServiceError(.unavailable, "no breeds are recognised here") }
        guard let pixels = photo.pixels else { throw ServiceError.damagedPhoto }
        let image = try PixelImage(width: pixels.width, height: pixels.height, rgb: pixels.bytes)
        return RecordedClassification(try await answer(of: model, to: image), of: image)
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

    /// Returns one result for each photo, nil where there is none.
    func classifyIfPossible(_ photos: [ProcessedPhoto]) async -> [RecordedClassification?] {
        var found: [RecordedClassification?] = []
        for photo in photos { found.append(await classifyIfPossible(photo)) }
        return found
    }

    /// Returns the recognised breed, if the model is certain enough to accept it.
    func breed(of classification: RecordedClassification?) -> Breed? {
        guard let classification, classification.outcome == Classification.Outcome.accepted.rawValue else { return nil }
        return classification.predictions.first.flatMap { breed(label: $0.label) }
    }
}

extension RecordedClassification {
    /// Predictions with a lower probability are noise.
    private static let minProbability = 0.001

    package init(_ found: Classification, of image: PixelImage) {
        self.init(
            id: UUID(),
            model: found.model,
            version: found.version,
            outcome: found.outcome.rawValue,
            predictions: found.predictions.filter { $0.confidence >= Self.minProbability }.map {
                .init(label: $0.label, probability: $0.confidence)
            },
            vector: found.vector?.bytes,
            hash: PictureHash(rgb: image.rgb, width: image.width, height: image.height)
        )
    }
}
