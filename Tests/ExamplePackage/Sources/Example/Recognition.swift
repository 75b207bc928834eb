import BreedModel
import Domain
import Foundation
import Gazetteer
import Geodata
import ImageClassifier
import Photos

/// The likeliest breed of the dog in a photo.
func breed(in photo: URL) async throws -> String? {
    let decoded = try await PhotoProcessor.besideThisProgram().process(photo, pixels: PhotoProcessor.classifiedSide)
    guard let pixels = decoded.pixels else { return nil }
    let image = try PixelImage(width: pixels.width, height: pixels.height, rgb: pixels.bytes)
    let models = ModelRegistry(directories: [BreedModel.models], labelMaps: BreedModel.labelMaps)
    return try await models.model(BreedModel.id).classify(image).predictions.first?.label
}

/// The town of a point; nil on the open sea.
func town(lon: Double, lat: Double) throws -> String? {
    guard let point = Coordinate(lon: lon, lat: lat) else { return nil }
    return try Gazetteer(directory: Geodata.directory).place(at: point, language: .italian)?.comune
}
