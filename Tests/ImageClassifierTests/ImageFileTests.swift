import Foundation
import Photos
import TestSupport
import Testing

@testable import ImageClassifier

@Suite("From an image file to an answer")
struct ImageFileTests {
    @Test("A file with a picture of food gets a label, a confidence and the key of the label in another database")
    func food() async throws {
        let folder = try TemporaryFolder()
        // A model is a folder with model.onnx and manifest.json.
        try Food.source().write(to: folder.url.appending(path: "models/food"))
        let file = folder.url.appending(path: "lunch.png")
        try Data(plainPNG(width: 640, height: 480, colour: [230, 20, 20])).write(to: file)

        // The file may be malicious, so a process of its own decodes it. JPEG, PNG and WebP become upright pixels in sRGB.
        let photo = try await PhotoProcessor.built().process(file, pixels: PhotoProcessor.classifiedSide)
        let pixels = try #require(photo.pixels)

        let registry = ModelRegistry(directories: [folder.url.appending(path: "models")])
        let model = try await registry.model("food")
        let picture = try PixelImage(width: pixels.width, height: pixels.height, rgb: pixels.bytes)
        let answer = try await model.classify(picture)

        #expect(answer.outcome == .accepted)
        let best = try #require(answer.predictions.first)
        #expect(best.label == "tomato")
        #expect(best.key == "food/tomato")
        #expect(best.confidence > 0.9 && best.confidence <= 1)
    }
}
