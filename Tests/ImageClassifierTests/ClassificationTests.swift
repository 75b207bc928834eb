import Foundation
import Testing

@testable import ImageClassifier

@Suite("Classification")
struct ClassificationTests {
    @Test("Confidences are the softmax of the network's outputs")
    func softmax() async throws {
        let model = try Food.source().load()
        let picture = try Food.picture([200, 30, 90], [120, 60, 10])
        let answer = try await model.classify(picture)
        let expected = Food.softmax(Food.logits(picture))
        for (label, confidence) in zip(Food.labels, expected) {
            #expect(abs(answer.confidence(label) - confidence) < 1e-5, "\(label)")
        }
        #expect(answer.predictions.map(\.confidence) == answer.predictions.map(\.confidence).sorted(by: >))
        #expect(abs(answer.predictions.reduce(0) { $0 + $1.confidence } - 1) < 1e-9)
        #expect((answer.model, answer.version) == ("food", "1"))
    }

    @Test("Features are the output of a node, or its mean for each channel, and do not change the answer")
    func features() async throws {
        var source = try Food.source()
        let picture = try Food.picture([200, 30, 90], [120, 60, 10])
        let plain = try source.load()
        #expect(try await plain.features(of: picture) == nil)
        let halves: [Float] = [200, 120, 30, 60, 90, 10].enumerated().map { index, value in
            Float((Double(value) / 255 - Food.mean[index / 2]) / Food.std[index / 2])
        }
        source.manifest["features"] = ["node": "features"]
        let flat = try source.load()
        let values = try #require(try await flat.features(of: picture))
        #expect(values.count == 6 && zip(values, halves).allSatisfy { abs($0 - $1) < 1e-5 })
        #expect(try await flat.classify(picture) == plain.classify(picture))
        source.manifest["features"] = ["node": "pooled"]
        let means = try #require(try await source.load().features(of: picture))
        #expect(means.count == 3)
        for (channel, mean) in means.enumerated() {
            #expect(abs(mean - (halves[2 * channel] + halves[2 * channel + 1]) / 2) < 1e-5)
        }
        source.manifest["features"] = ["node": "absent"]
        #expect(throws: ModelError.network(reason: "no node absent")) { try source.load() }
    }

    @Test("The features of a picture and of its mirror image are averaged")
    func mirroredFeatures() async throws {
        var source = try Food.source()
        source.manifest["features"] = ["node": "features"]
        source["input", "mirror"] = true
        let model = try source.load()
        let pictures = (
            try Food.picture([200, 30, 90], [120, 60, 10]), try Food.picture([120, 60, 10], [200, 30, 90])
        )
        let values = try #require(try await model.features(of: pictures.0))
        #expect(try await model.features(of: pictures.1) == values)
        #expect(abs(values[0] - values[1]) < 1e-6)
    }

    @Test("The second view is the mirror image of a square around the subject", arguments: [true, false])
    func subjectView(isLeft: Bool) async throws {
        var source = try Food.source()
        source.manifest["features"] = ["node": "pooled"]
        source["input", "subject_view"] = true
        let model = try source.load()
        let (subject, background) = ([250, 200, 240], [20, 60, 10])
        let (left, right) = isLeft ? (subject, background) : (background, subject)
        // The node has a cell for each half; the square is in the brighter one.
        let picture = try PixelImage(width: 96, height: 32) { x, _ in x < 48 ? left : right }
        let views = [try Food.picture(left, right), try Food.picture(subject, subject)]
        let outputs = views.map(Food.logits)
        let expected = Food.softmax(zip(outputs[0], outputs[1]).map { ($0 + $1) / 2 })
        let answer = try await model.classify(picture)
        for (label, confidence) in zip(Food.labels, expected) {
            #expect(abs(answer.confidence(label) - confidence) < 1e-5, "\(label)")
        }
        let features = try #require(try await model.features(of: picture))
        for (channel, feature) in features.enumerated() {
            let mean = views.map { ($0.means[channel] - Food.mean[channel]) / Food.std[channel] }.reduce(0, +) / 2
            #expect(abs(Double(feature) - mean) < 1e-5)
        }
    }

    @Test("A vector is the matrix times the square roots of the features, of the length that the manifest tells")
    func vector() async throws {
        var source = try Food.source()
        // The halves of red.
        source.project("features", dimensions: 2, [1, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0])
        let model = try source.load()
        let picture = try Food.picture([255, 0, 0], [191, 0, 0])
        let red = [255.0, 191.0].map { (($0 / 255 - Food.mean[0]) / Food.std[0]).squareRoot() }
        let length = (red[0] * red[0] + red[1] * red[1]).squareRoot()
        let found = try #require(try await model.classify(picture).vector)
        #expect(found.bytes == [Int8((100 * red[0] / length).rounded()), Int8((-100 * red[1] / length).rounded())])
        #expect(abs(found.likeness(to: found) - 1) < 1e-9)
        // Features below 0 count as 0, and without any there is no vector.
        #expect(try await model.classify(Food.picture([0, 0, 0], [0, 0, 0])).vector == nil)
        #expect(try await Food.source().load().classify(picture).vector == nil)
    }

    @Test("A projection that does not fit its manifest or the features is refused")
    func wrongProjection() throws {
        var source = try Food.source()
        source.project("features", dimensions: 2, Array(repeating: 1, count: 12))
        var damaged = source
        damaged.projection?[0] ^= 1
        #expect { try damaged.load() } throws: { "\($0)".hasPrefix("projection.bin: expected SHA-256") }
        damaged.projection = nil
        #expect { try damaged.load() } throws: { "\($0)".contains("projection.bin: No such file") }
        source.project("features", dimensions: 3, Array(repeating: 1, count: 12))
        #expect {
            try source.load()
        } throws: {
            "\($0)".contains("features.projection.dimensions: expected the number of rows of a matrix with 6 columns")
        }
        source.project("features", dimensions: 1, [1, 1, 1, 1, 1, .nan])
        #expect(throws: ModelError.notFinite(output: 5)) { try source.load() }
    }

    @Test("Outputs that are already probabilities are not changed")
    func probabilities() async throws {
        let model = try Food.source(network: "food-softmax").load()
        let picture = try Food.picture([200, 30, 90], [120, 60, 10])
        let expected = Food.softmax(Food.logits(picture))
        let answer = try await model.classify(picture)
        for (label, confidence) in zip(Food.labels, expected) {
            #expect(abs(answer.confidence(label) - confidence) < 1e-5, "\(label)")
        }
    }

    @Test("The temperature sharpens or flattens the confidences", arguments: ["food", "food-softmax"], [0.5, 2.5])
    func temperature(network: String, temperature: Double) async throws {
        var source = try Food.source(network: network)
        source.manifest["temperature"] = temperature
        let picture = try Food.picture([140, 90, 120], [130, 70, 110])
        let answer = try await source.load().classify(picture)
        let expected = Food.softmax(Food.logits(picture), temperature: temperature)
        for (label, confidence) in zip(Food.labels, expected) {
            #expect(abs(answer.confidence(label) - confidence) < 1e-5, "\(label)")
        }
    }

    @Test("With the mirror option, the outputs for the picture and its mirror image are averaged")
    func mirror() async throws {
        var source = try Food.source()
        source["input", "mirror"] = true
        let (left, right) = ([200, 30, 90], [20, 160, 10])
        let answer = try await source.load().classify(Food.picture(left, right))
        let outputs = try zip(Food.logits(Food.picture(left, right)), Food.logits(Food.picture(right, left)))
        let expected = Food.softmax(outputs.map { ($0 + $1) / 2 })
        for (label, confidence) in zip(Food.labels, expected) {
            #expect(abs(answer.confidence(label) - confidence) < 1e-5, "\(label)")
        }
    }

    @Test("A confidence equal to the threshold is not sufficient")
    func threshold() async throws {
        let picture = try Food.picture([200, 30, 90], [200, 30, 90])
        var source = try Food.source()
        let first = try await source.load().classify(picture)
        #expect(first.outcome == .accepted)
        let confidence = try #require(first.predictions.first?.confidence)
        source.manifest["threshold"] = confidence
        #expect(try await source.load().classify(picture).outcome == .lowConfidence)
        source.manifest["threshold"] = confidence.nextDown
        #expect(try await source.load().classify(picture).outcome == .accepted)
    }

    @Test("A picture with less than half of its confidence on the subject is not the subject")
    func notTheSubject() async throws {
        // All features are about 0, so the bias of the plate, 0.5, decides against four biases of 0.
        let grey = try Food.picture([128, 64, 128], [128, 64, 128])
        var source = try Food.source()
        let unsure = try await source.load().classify(grey)
        #expect(unsure.predictions.first?.label == "plate")
        #expect(unsure.outcome == .lowConfidence)
        source.manifest["temperature"] = 0.1
        #expect(try await source.load().classify(grey).outcome == .notTheSubject)
    }

    @Test("If no label belongs to the subject, all labels do")
    func noSubject() async throws {
        var source = try Food.source()
        source.manifest["labels"] = Food.labels.map { ["id": $0] }
        source.manifest["temperature"] = 0.1
        let model = try source.load()
        #expect(model.labels.map(\.isSubject) == Array(repeating: true, count: 5))
        #expect(try await model.classify(Food.picture([128, 64, 128], [128, 64, 128])).outcome == .accepted)
    }

    @Test("Outputs with the same label are summed")
    func sharedLabels() async throws {
        var source = try Food.source()
        source.manifest["labels"] = ["red", "green", "green", "green", "grey"].map { ["id": $0] }
        let model = try source.load()
        #expect(model.labels.map(\.id) == ["red", "green", "grey"])
        let picture = try Food.picture([100, 90, 60], [10, 80, 70])
        let expected = Food.softmax(Food.logits(picture))
        let answer = try await model.classify(picture)
        #expect(answer.predictions.count == 3)
        #expect(abs(answer.confidence("green") - expected[1...3].reduce(0, +)) < 1e-5)
    }

    @Test("A label that is not named is never predicted, but lowers the confidence of the others")
    func unnamedLabels() async throws {
        var source = try Food.source()
        source.manifest["labels"] = Food.labels.map {
            ["id": $0, "subject": true, "named": $0 != "tomato"] as [String: Any]
        }
        source.manifest["threshold"] = 0.2
        let model = try source.load()
        #expect(model.labels.map(\.id) == Array(Food.labels.dropFirst()))
        let lime = try Food.picture([100, 250, 60], [100, 250, 60])
        let expected = Food.softmax(Food.logits(lime))
        let answer = try await model.classify(lime)
        #expect(answer.outcome == .accepted && answer.predictions.first?.label == "lime")
        #expect(answer.predictions.count == 4 && abs(answer.confidence("lime") - expected[1]) < 1e-5)
        let tomato = try await model.classify(Food.picture([250, 70, 100], [250, 70, 100]))
        #expect(tomato.outcome == .lowConfidence)
        #expect(tomato.predictions.map(\.confidence).reduce(0, +) < 0.5)
    }

    @Test("An output that is not finite is an error")
    func notFinite() async throws {
        let labels = ["light", "dark"].map { ["id": $0] }
        let means = try LogarithmModel.logits()
        let model = try LogarithmModel.source(labels: labels, outputs: means).load()
        let black = try PixelImage(width: 8, height: 8) { _, _ in [0, 0, 0] }
        await #expect(throws: ClassificationError.model(.notFinite(output: 0))) { try await model.classify(black) }
        let white = try PixelImage(width: 8, height: 8) { _, _ in [255, 255, 255] }
        #expect(try await model.classify(white).confidence("dark") == 0.5)
    }

    @Test(
        "Bytes that do not match the size of a picture are rejected",
        arguments: [(0, 5, 0), (5, 0, 0), (-1, 5, 15), (2, 2, 11), (2, 2, 13), (40_000, 1, 120_000)]
    )
    func invalidPictures(width: Int, height: Int, bytes: Int) {
        let error = #expect(throws: ClassificationError.self) {
            _ = try PixelImage(width: width, height: height, rgb: Array(repeating: 0, count: bytes))
        }
        #expect(error?.description.hasPrefix("not a picture: ") == true)
    }
}

/// A model with two outputs, both the sum of the logarithms of the mean colours.
enum LogarithmModel {
    static func logits() throws -> [Double] {
        let sum = try PixelImage.made(width: 8, height: 8).means.map { log($0) }.reduce(0, +)
        return [sum, sum]
    }

    static func source(labels: Any, outputs: [Double]) throws -> ModelSource {
        try ModelSource(
            SquareModel.manifest(labels: labels, top: outputs.enumerated().map { [Double($0), $1] }),
            network: "logarithm"
        )
    }
}

/// Models that take 8 x 8 pixels without normalisation.
enum SquareModel {
    static func manifest(labels: Any, top: [[Double]]) -> [String: Any] {
        [
            "id": "square", "version": "2", "name": "Square", "licence": "CC0-1.0",
            "input": [
                "width": 8, "height": 8, "resize": "cover", "mean": [0, 0, 0], "std": [1, 1, 1],
            ] as [String: Any],
            "output": "logits", "temperature": 1, "threshold": 0.5, "labels": labels,
            "test_vector": ["top": top, "tolerance": 0.001] as [String: Any],
        ]
    }
}
