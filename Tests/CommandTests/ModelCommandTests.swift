import Foundation
import TestSupport
import Testing

@Suite("Model commands")
struct ModelCommandTests {
    /// Installs the test model in a program's data folder and creates photos whose breeds it recognises.
    private static func prepared() throws -> (program: Program, photos: URL) {
        let program = try Program()
        let source = Bundled.colourModels.appending(path: "colours").path
        #expect(try program.run("model", "install", source).output == "colours: version 3 installed\n")
        let photos = program.folder.url.appending(path: "photos-to-ask")
        let green = [30, 220, 30]
        for (label, colour) in [
            ("beagle", [220, 30, 30]), ("poodle", [30, 30, 220]), ("german_shepherd", green), ("saluki", green),
        ] {
            let folder = photos.appending(path: label)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let picture = try plainPNG(width: 40, height: 30, colour: colour.map(UInt8.init))
            try Data(picture).write(to: folder.appending(path: "1.png"))
        }
        return (program, photos)
    }

    @Test("A model is installed, listed and verified, and a damaged model is reported and rejected")
    func models() throws {
        let (program, _) = try Self.prepared()
        #expect(try program.run("model", "list").output.contains("colours"))
        #expect(try program.run("model", "verify", "colours").status == 0)
        let broken = program.folder.url.appending(path: "broken")
        try FileManager.default.copyItem(at: Bundled.colourModels.appending(path: "colours"), to: broken)
        try Data("not a network".utf8).write(to: broken.appending(path: "model.onnx"))
        let refused = try program.run("model", "install", broken.path)
        #expect(refused.status != 0 && refused.errors.contains("SHA-256"))
        #expect(try program.run("model", "verify", "colours").status == 0)
        #expect(try program.run("model", "verify", "nobody").status != 0)
        // A server does not start with another model than the one that it was told to use.
        let unknown = try program.run("serve", "--port", "0", "--model", "nobody")
        #expect(unknown.status != 0 && unknown.errors.contains("nobody"))
    }

    @Test("All models are verified: bundled ones that an installed one replaces, and unreadable ones")
    func verifyAll() throws {
        let program = try Program()
        let alone = try program.run("model", "verify").output
        #expect(alone.hasPrefix("dog-breeds: ok, version "))
        let bundled = try #require(alone.split(separator: ", ").last)
        let models = program.folder.url.appending(path: "models")
        try FileManager.default.createDirectory(at: models, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: URL(filePath: String(bundled.trimmingCharacters(in: .newlines))),
            to: models.appending(path: "dog-breeds")
        )
        let both = try program.run("model", "verify", "--json").output.split(separator: "\n")
        #expect(both.count == 2 && both.allSatisfy { $0.contains(#""model":"dog-breeds""#) })
        #expect(Set(both).count == 2)
        #expect(try program.run("model", "verify", "dog-breeds").output.split(separator: "\n").count == 1)
        try Data("{".utf8).write(to: models.appending(path: "dog-breeds/manifest.json"))
        let damaged = try program.run("model", "verify")
        #expect(damaged.status == 1 && damaged.output.contains("manifest.json"))
    }

    @Test("Photos of animals are compared, a file that is no photo is told, and a model without vectors is refused")
    func individuals() throws {
        let (program, photos) = try Self.prepared()
        let refused = try program.run("photos", "evaluate", photos.path, "--model", "colours")
        #expect(refused.status != 0 && refused.errors.contains("model: expected a model that makes vectors of photos"))
        try FileManager.default.copyItem(
            at: photos.appending(path: "beagle/1.png"), to: photos.appending(path: "beagle/2.png"))
        let found = try program.run("photos", "evaluate", photos.path, "--json")
        #expect(found.status == 0)
        #expect(found.output.hasPrefix(#"{"photos":5,"individuals":1,"first":1.0,"top_five":1.0,"auc":"#))
        try Data("no photo".utf8).write(to: photos.appending(path: "beagle/3.png"))
        let damaged = try program.run("photos", "evaluate", photos.path)
        #expect(damaged.status == 1 && damaged.errors.contains("beagle/3.png"))
        #expect(damaged.output.contains(/right animal first % +100\.00/))
        let empty = try program.run("photos", "evaluate", program.folder.url.appending(path: "nothing").path)
        #expect(empty.status != 0 && empty.errors.contains("folder: "))
    }

    @Test("Photos are classified in order, with one JSON object per line, also for failures")
    func classify() throws {
        let (program, photos) = try Self.prepared()
        let text = photos.appending(path: "text.jpg")
        try Data("no photo".utf8).write(to: text)
        let files = [
            photos.appending(path: "poodle/1.png").path, text.path, photos.appending(path: "beagle/1.png").path,
        ]
        let outcome = try program.run(
            ["classify", "--json", "--model", "colours"] + files,
            data: program.folder.url
        )
        #expect(outcome.status == 1)
        struct Line: Decodable {
            struct Prediction: Decodable {
                let label: String
                let confidence: Double
            }
            let file: String
            let outcome: String
            let predictions: [Prediction]
        }
        let lines = try outcome.output.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        #expect(lines.map(\.file) == files)
        #expect(lines.map(\.outcome) == ["accepted", "failed", "accepted"])
        #expect(lines.map { $0.predictions.first?.label } == ["poodle", nil, "beagle"])
        #expect(abs(lines[0].predictions.map(\.confidence).reduce(0, +) - 1) < 1e-4)
    }

    @Test("An evaluation reports the share of correct answers and the confused breeds")
    func evaluate() throws {
        let (program, photos) = try Self.prepared()
        let outcome = try program.run("model", "evaluate", photos.path, "--model", "colours", "--json")
        struct Report: Decodable {
            struct Confusion: Decodable, Equatable {
                let truth: String
                let prediction: String
                let photos: Int
            }
            let photos: Int
            let top1: Double
            let confusions: [Confusion]
        }
        let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
        // The model has no label for the saluki, so its answer can be neither right nor wrong.
        #expect(outcome.errors == "1 photo left out, of no label of the model: saluki\n")
        #expect(report.photos == 3 && abs(report.top1 - 2.0 / 3) < 1e-3)
        #expect(report.confusions == [.init(truth: "german_shepherd", prediction: "labrador_retriever", photos: 1)])
        #expect(try program.run("model", "evaluate", photos.path, "--model", "colours").output.contains("top-1 %"))
        #expect(try program.run("model", "evaluate", "/nowhere", "--model", "colours").status != 0)
    }
}
