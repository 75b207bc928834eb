import ArgumentParser
import Domain
import Formats
import Foundation
import ImageClassifier

struct Classify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tell the breeds of dogs in photos.",
        discussion: """
            With --json one object a photo, in order: file, outcome (accepted, low_confidence, not_the_subject, failed) and \
            all predictions with their confidence. Ends with 1 where a photo could not be read.
            """
    )

    @OptionGroup var dataOptions: DataOptions
    @OptionGroup var output: OutputOptions
    @Option(help: "The id of the model to ask. (default: dog-breeds)") var model: String?
    @Argument(help: "Photos: JPEG, PNG, WebP, HEIC or AVIF.") var files: [String]

    func run() async throws {
        let examiner = try await PhotoClassifier(dataOptions, model: model)
        let names = examiner.names
        var failures = 0
        try await examiner.examine(files.map { URL(filePath: $0) }) { index, result in
            if case .failure = result { failures += 1 }
            if output.json {
                printJSON { $0.classification(result, of: files[index]) }
            } else {
                print("\(files[index]): \(Self.words(result, names))")
            }
        }
        if failures > 0 { throw ExitCode(1) }
    }

    private static func words(_ result: Result<Classification, any Error>, _ names: [String: String]) -> String {
        switch result {
        case .failure(let error): return "\(error)"
        case .success(let found):
            let best = found.predictions.prefix(3).map { prediction in
                "\(names[prediction.label] ?? prediction.label) \(String(format: "%.1f", 100 * min(prediction.confidence, 0.99))) %"
            }
            let outcome = found.outcome.rawValue.replacing("_", with: " ")
            return "\(outcome): \(best.joined(separator: ", "))"
        }
    }
}

extension JSONWriter {
    fileprivate mutating func classification(_ result: Result<Classification, any Error>, of file: String) {
        object { json in
            json.field("file", file)
            switch result {
            case .success(let found):
                json.field("outcome", found.outcome.rawValue)
                json.objects("predictions", found.predictions) { json, prediction in
                    json.field("label", prediction.label)
                    json.field("key", prediction.key)
                    json.field("confidence", prediction.confidence, decimals: 6)
                }
                json.field("model", found.model)
                json.field("version", found.version)
            case .failure(let error):
                json.field("outcome", "failed")
                json.array("predictions") { _ in }
                json.field("error", "\(error)")
            }
        }
    }
}
