import BreedModel
import Foundation
import Geodata
import TestSupport
import Testing

@testable import ImageClassifier

@Suite("Label map")
struct LabelMapTests {
    private func imageNet(_ outputs: Int) throws -> ModelSource {
        let means = try PixelImage.made(width: 8, height: 8).means
        let top = zip([162, 263, 264, 285], [0, 1, 1, 2]).map { [Double($0 + outputs - 1_000), means[$1] * 16] }
        let manifest = SquareModel.manifest(labels: ["map": "imagenet-1k"], top: top)
        return try ModelSource(manifest, network: "imagenet-\(outputs)")
    }

    private func picture(_ colour: [Int]) throws -> PixelImage {
        try PixelImage(width: 8, height: 8) { _, _ in colour }
    }

    @Test("Classifiers with the classes of ImageNet answer with breed labels", arguments: [1_000, 1_001])
    func imageNet(outputs: Int) async throws {
        let model = try imageNet(outputs).load(labelMaps: BreedModel.labelMaps)
        let beagle = try await model.classify(picture([255, 0, 0]))
        #expect(beagle.predictions.first?.label == "beagle")
        #expect(beagle.outcome == .accepted)
        // Two corgi classes have e^8 each, and all others e^0.
        let corgi = try await model.classify(picture([0, 127, 0]))
        let power = exp(16.0 * 127 / 255)
        #expect(corgi.predictions.first?.label == "welsh_corgi")
        #expect(abs(corgi.confidence("welsh_corgi") - 2 * power / (2 * power + Double(outputs) - 2)) < 1e-5)
        let cat = try await model.classify(picture([0, 0, 255]))
        #expect(cat.predictions.first?.label == "cat")
        #expect(cat.outcome == .notTheSubject)
        let nothing = try await model.classify(picture([0, 0, 0]))
        #expect(nothing.predictions.first?.label == "not_dog")
        #expect(abs(nothing.confidence("chihuahua") - 1 / Double(outputs)) < 1e-9)
    }

    @Test("The bundled map contains ImageNet's 118 dog classes, and all of them are known breeds")
    func bundledMap() throws {
        let map = try LabelMap(name: "imagenet-1k", in: BreedModel.labelMaps)
        let labels = try map.labels(count: 1_000)
        #expect(labels.indices.filter { labels[$0].isSubject } == Array(151...268))
        let breeds = try String(contentsOf: Geodata.directory.appending(path: "breeds.tsv"), encoding: .utf8)
        let known = Set(breeds.split(separator: "\n").map { $0.prefix { $0 != "\t" } })
        for label in labels[151...268] { #expect(known.contains(Substring(label.id)), "\(label.id)") }
        let others = [0: "not_dog", 269: "not_dog", 272: "coyote", 275: "african_wild_dog", 280: "not_dog", 281: "cat"]
        for (output, label) in others { #expect(labels[output].id == label) }
        #expect(labels[999].id == "not_dog")
        #expect(try map.labels(count: 1_001).first?.id == "not_dog")
        #expect(throws: ModelError.outputs(expected: "1000 or 1001", found: 999)) { try map.labels(count: 999) }
    }

    @Test("A model whose map is missing is rejected")
    func missingMap() throws {
        let error = #expect(throws: ModelError.self) { _ = try imageNet(1_000).load() }
        #expect(error?.description.hasPrefix("label map imagenet-1k: ") == true)
    }

    @Test(
        "The error for a malformed line contains the line",
        arguments: [
            "0\ta", "0\ta\tmaybe", "1\ta\tyes", "0-x\ta\tyes", "-\ta\tyes", "0-1-2\ta\tyes", "0\t\tyes",
            "0-99999999999999999999\ta\tyes", "0-2000000000\ta\tyes", "-1\ta\tno", "0-2\ta\tno\n2\tb\tno", "3-1\ta\tno",
        ]
    )
    func malformedLine(lines: String) throws {
        let folder = try TemporaryFolder()
        try Data("outputs\tlabel\tsubject\n\(lines)\n".utf8).write(to: folder.url.appending(path: "map.tsv"))
        let error = #expect(throws: ModelError.self) { _ = try LabelMap(name: "map", in: folder.url) }
        #expect(error?.description.hasPrefix("label map map: line \(lines.contains("\n") ? 3 : 2): ") == true)
    }
}
