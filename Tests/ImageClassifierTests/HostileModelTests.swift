import Foundation
import RandomSupport
import TestSupport
import Testing

@testable import ImageClassifier

@Suite("Hostile models")
struct HostileModelTests {
    /// A fault in a model, and the text that the error must contain.
    struct Fault: Sendable, CustomTestStringConvertible {
        let says: String
        let spoil: @Sendable (inout ModelSource) -> Void

        init(_ says: String, _ spoil: @escaping @Sendable (inout ModelSource) -> Void) {
            self.says = says
            self.spoil = spoil
        }

        /// Replaces or removes one field of the manifest or of an object in it.
        init(_ path: String, _ value: (any Sendable)?, _ says: String) {
            self.init("manifest.json: \(path): expected \(says)") { source in
                let names = path.split(separator: ".").map(String.init)
                if names.count == 1 {
                    source.manifest[names[0]] = value
                } else {
                    source[names[0], names[1]] = value
                }
            }
        }

        var testDescription: String { says }
    }

    private static let subjectView = #"true or false; true only with "resize": "stretch" and without "mirror""#

    static let fields = [
        Fault("id", nil, "\(ModelID.form), found nothing"),
        Fault("id", "../../etc", "\(ModelID.form), found ../../etc"),
        Fault("id", ".hidden", "\(ModelID.form), found .hidden"),
        Fault("id", String(repeating: "a", count: 65), "\(ModelID.form), found aaa"),
        Fault("version", 1, "a text, found a number"),
        Fault("name", "", "a text, found an empty text"),
        Fault("licence", NSNull(), "a text, found null"),
        Fault("input", "224", "an object, found a text"),
        Fault("input", [224, 224], "an object, found an array"),
        Fault("input.width", 1_000_000_000, "pixels from 1 to 2048, found 1000000000"),
        Fault("input.width", 1e300, "pixels from 1 to 2048, found a number"),
        Fault("input.height", 0, "pixels from 1 to 2048, found 0"),
        Fault("input.height", -32, "pixels from 1 to 2048, found -32"),
        Fault("input.height", 31.5, "pixels from 1 to 2048, found a number"),
        Fault("input.resize", "fit", "\"cover\" or \"stretch\", found \"fit\""),
        Fault("input.crop", 0, "a number from 0.1 to 1, found 0.0"),
        Fault("input.crop", 1.5, "a number from 0.1 to 1, found 1.5"),
        Fault("input.mean", [0.5, 0.5], "three numbers from 0 to 1, found [0.5, 0.5]"),
        Fault("input.mean", [127, 127, 127], "three numbers from 0 to 1, found [127"),
        Fault("input.mean", "0.5", "three numbers from 0 to 1, found a text"),
        Fault("input.std", [0.2, 0, 0.2], "three numbers from 0.001 to 1000, found [0.2, 0.0, 0.2]"),
        Fault("input.std", nil, "three numbers from 0.001 to 1000, found nothing"),
        Fault("input.mirror", "yes", "true or false, found a text"),
        Fault("input.subject_view", "yes", "\(subjectView), found a text"),
        Fault("output", "scores", "\"logits\" or \"probabilities\", found \"scores\""),
        Fault("output", true, "\"logits\" or \"probabilities\", found true or false"),
        Fault("temperature", 0, "a number from 0.01 to 100, found 0.0"),
        Fault("temperature", -1.3, "a number from 0.01 to 100, found -1.3"),
        Fault("threshold", 50, "a number from 0 to 1, found 50.0"),
        Fault("labels", 5, "an object, found a number"),
        Fault("labels", [Int](), "at least one label, found none"),
        Fault("sha256", "ABC", "64 lower-case hex digits, found ABC"),
        Fault("features", "node", "an object, found a text"),
        Fault("test_vector", nil, "an object, found nothing"),
        Fault("test_vector.top", [[Int]](), "at least one pair of an output's index and its value, found []"),
        Fault("test_vector.top", [[1]], "at least one pair of an output's index and its value, found [[1.0]]"),
        Fault("test_vector.top", [[-1, 0.5]], "at least one pair of an output's index and its value"),
        Fault("test_vector.top", [[0.5, 0.5]], "at least one pair of an output's index and its value"),
        Fault("test_vector.top", [[5, 0.5]], "the index of an output, from 0 to 4, found 5"),
        Fault("test_vector.tolerance", -1, "a number of 0 or more, found -1"),
    ]

    static let models = [
        Fault("labels[3].id: expected a text, found nothing") { source in
            source.manifest["labels"] = Food.labels.map { $0 == "banana" ? [:] : ["id": $0] }
        },
        Fault("labels[0]: expected an object, found a text") { $0.manifest["labels"] = Food.labels },
        Fault("labels[0].names: expected an object of texts by language, found a text") { source in
            source.manifest["labels"] = [["id": "tomato", "names": "Tomato"]]
        },
        Fault("labels.map: expected \(ModelID.form), found ../secret") { source in
            source.manifest["labels"] = ["map": "../secret"]
        },
        Fault("input.subject_view: expected \(subjectView), found true") { source in
            source["input", "subject_view"] = true
            source["input", "mirror"] = true
        },
        Fault("input.subject_view: expected \(subjectView), found true") { source in
            source["input", "subject_view"] = true
            source["input", "resize"] = "cover"
        },
        Fault(#"features: expected an object, as "input.subject_view" is true, found nothing"#) { source in
            source["input", "subject_view"] = true
        },
        Fault(#"features.node: expected a node of maps, as "input.subject_view" is true, found features"#) { source in
            source["input", "subject_view"] = true
            source.manifest["features"] = ["node": "features"]
        },
        Fault("model.onnx: expected 4 outputs, found 5") { source in
            source.manifest["labels"] = Food.labels.dropLast().map { ["id": $0] }
        },
        Fault("model.onnx: expected SHA-256") { $0.network.append(0) },
        Fault("model.onnx: the file is empty") { $0.network = Data() },
        Fault("model.onnx: ") { source in
            source.network = source.network.prefix(200)
            source.stamp()
        },
        Fault("model.onnx: ") { source in
            var numbers = SeededGenerator(seed: 7)
            source.network = Data((0..<100_000).map { _ in UInt8.random(in: 0...255, using: &numbers) })
            source.stamp()
        },
        Fault("model.onnx: ") { $0["input", "width"] = 36 },
        Fault("model.onnx: ") { $0["input", "height"] = 2_048 },
        Fault("test_vector: output 0: expected 99.0, found ") { $0["test_vector", "top"] = [[0, 99.0]] },
        // The last bytes of the bias become not-a-number.
        Fault("model.onnx: output 4: expected a finite number, found none") { source in
            let half = withUnsafeBytes(of: Float(0.5)) { Data($0) }
            guard let place = source.network.range(of: half, options: .backwards) else { return }
            source.network.replaceSubrange(place, with: withUnsafeBytes(of: Float.nan) { Data($0) })
            source.stamp()
        },
    ]

    @Test("The error for an invalid model describes the fault", arguments: fields + models)
    func faults(fault: Fault) throws {
        var source = try Food.source()
        fault.spoil(&source)
        let error = #expect(throws: ModelError.self) { _ = try source.load() }
        let message = try #require(error).description
        #expect(message.contains(fault.says), "\(message)")
    }

    @Test(
        "A manifest that is not a JSON object is rejected",
        arguments: [
            "", "{", "[]", "null", "{\"id\": \"a\"", "\u{1}\u{2}\u{3}", String(repeating: "[", count: 100_000),
            "{\"input\": " + String(repeating: "{\"a\": ", count: 10_000),
        ]
    )
    func otherJSON(text: String) throws {
        let folder = try TemporaryFolder()
        try Food.source().write(to: folder.url)
        try Data(text.utf8).write(to: folder.url.appending(path: "manifest.json"))
        let error = #expect(throws: ModelError.self) { _ = try ImageModel(folder: folder.url) }
        #expect(error?.description.contains("manifest.json") == true)
    }

    @Test("Huge, special and missing files are rejected without reading them")
    func unreadFiles() throws {
        let folder = try TemporaryFolder()
        let manifest = folder.url.appending(path: "manifest.json")
        func message() -> String {
            #expect(throws: ModelError.self) { _ = try ImageModel(folder: folder.url) }?.description ?? ""
        }
        #expect(message().hasSuffix("No such file or directory"))
        try FileManager.default.createDirectory(at: manifest, withIntermediateDirectories: true)
        #expect(message().hasSuffix("not a file"))
        try FileManager.default.removeItem(at: manifest)
        #expect(mkfifo(manifest.path, 0o600) == 0)
        #expect(message().hasSuffix("not a file"))
        try FileManager.default.removeItem(at: manifest)
        try Food.source().write(to: folder.url)
        truncate(manifest.path, 300 << 20)
        #expect(message().hasSuffix("314572800 bytes, more than 4194304"))
        try Food.source().write(to: folder.url)
        truncate(folder.url.appending(path: "model.onnx").path, 1 << 40)
        #expect(message().hasSuffix("1099511627776 bytes, more than 536870912"))
    }

    @Test("A network that makes OpenCV fail is an error")
    func openCVException() throws {
        var source = try Food.source(network: "layers")
        // The layer gets another name, and the next layer refers to the old one.
        let name = try #require(source.network.range(of: Data("conv2".utf8)))
        source.network.replaceSubrange(name, with: Data("conv9".utf8))
        source.stamp()
        let error = #expect(throws: ModelError.self) { _ = try source.load() }
        #expect(error?.description == "model.onnx: OpenCV crashes on it: Segmentation fault")
    }

    /// The test runs in a separate process, so that a crash does not end the other tests.
    @Test("Damaged networks give an answer or an error")
    func damagedNetworks() async {
        await #expect(processExitsWith: .success) {
            var numbers = SeededGenerator(seed: 4)
            var refused = 0
            for round in 0..<400 {
                var source = try Food.source()
                let network = try round % 2 == 0 ? source.network : Food.source(network: "layers").network
                source.network = spoiled(network, &numbers)
                source.stamp()
                do {
                    _ = try source.load()
                } catch is ModelError {
                    refused += 1
                }
            }
            try #require(refused > 300)
        }
    }
}

/// Changes some bytes, removes some, or truncates the file.
private func spoiled(_ bytes: Data, _ numbers: inout SeededGenerator) -> Data {
    var bytes = bytes
    switch Int.random(in: 0..<3, using: &numbers) {
    case 0:
        for _ in 0..<Int.random(in: 1...8, using: &numbers) {
            bytes[Int.random(in: 0..<bytes.count, using: &numbers)] = .random(in: 0...255, using: &numbers)
        }
    case 1:
        let start = Int.random(in: 0..<bytes.count, using: &numbers)
        bytes.removeSubrange(start..<min(start + .random(in: 1...40, using: &numbers), bytes.count))
    default:
        bytes = bytes.prefix(Int.random(in: 1..<bytes.count, using: &numbers))
    }
    return bytes
}
