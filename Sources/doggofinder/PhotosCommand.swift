import ArgumentParser
import CSV
import Domain
import Formats
import Foundation
import ImageClassifier
import Matching

struct PhotosCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "photos",
        abstract: "Photos, and which animals they show.",
        subcommands: [Describe.self, Evaluate.self]
    )
}

extension PhotosCommand {
    struct Evaluate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Measure how well individual animals are recognised in photos.",
            discussion: """
                Takes a folder with a folder of photos for each animal. For each photo the others are sorted by likeness: first \
                and top_five are the shares where the same animal is the first or among five, and auc is the \
                probability that two photos of one animal are more alike than photos of two; auc_of_breed is that of animals in whose photos \
                the model sees the same breed. ece is how far the \
                probabilities that two photos show one animal are from the shares of such pairs; only for the bundled model.
                """
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions
        @Option(help: "The id of the model to measure. (default: dog-breeds)") var model: String?
        @Option(help: "Write a CSV file of the animals and the vectors of their photos, for matches evaluate.")
        var writeVectors: String?
        @Argument(help: "The folder.") var folder: String

        func run() async throws {
            let examiner = try await PhotoClassifier(dataOptions, model: model)
            guard examiner.makesVectors else {
                throw ServiceError.invalid("model", "expected a model that makes vectors of photos")
            }
            let photos = try LabelledPhoto.all(in: URL(filePath: folder))
            guard !photos.isEmpty else {
                throw ServiceError.invalid("folder", "expected a folder of photos for each animal in \(folder)")
            }
            let progress = dataOptions.makeProgress()
            defer { progress.end() }
            progress.begin("comparing photos", total: photos.count)
            var found: [Picture] = []
            try await examiner.examine(photos.map(\.file)) { index, result in
                switch result {
                case .success(let one):
                    if let vector = one.vector {
                        found.append((photos[index].label, vector, one.predictions.first?.label))
                    } else {
                        printError("\(photos[index].file.path): no features")
                    }
                case .failure(let error): printError("\(photos[index].file.path): \(error)")
                }
                progress.update(index + 1)
            }
            progress.end()
            if let writeVectors { try Self.write(found, to: URL(filePath: writeVectors)) }
            let evaluation = IndividualEvaluation(found)
            let isCalibrated = examiner.name == PhotoPrototypes.model
            let error =
                isCalibrated
                ? PhotoCalibration(found.map { (animal: $0.individual, vector: $0.vector.bytes) }).error : nil
            if output.json {
                printJSON { $0.evaluation(evaluation, error) }
            } else {
                Self.printTable(evaluation, error)
            }
            if found.count < photos.count { throw ExitCode(1) }
        }

        private typealias Picture = (individual: String, vector: PictureVector, label: String?)

        private static func write(_ found: [Picture], to file: URL) throws {
            let csv = CSVWriter()
            var text: [UInt8] = []
            csv.append(["reference", "vector"], to: &text)
            for (individual, vector, _) in found {
                let bytes = Data(vector.bytes.map(UInt8.init(bitPattern:)))
                csv.append([individual, bytes.base64EncodedString()], to: &text)
            }
            try Data(text).write(to: file)
        }

        private static func printTable(_ found: IndividualEvaluation, _ error: Double?) {
            doggofinder.printTable([
                ["photos", String(found.pictures)], ["animals", String(found.individuals)],
                ["right animal first %", percent(found.first)], ["among five %", percent(found.topFive)],
                ["AUC of pairs", number(found.auc)], ["AUC of pairs of one breed", number(found.aucOfLabel)],
                ["calibration error", number(error)],
            ])
        }

        private static func number(_ value: Double?) -> String { value.map { String(format: "%.4f", $0) } ?? "-" }

        private static func percent(_ share: Double) -> String { String(format: "%.2f", 100 * share) }
    }
}

extension JSONWriter {
    fileprivate mutating func evaluation(_ found: IndividualEvaluation, _ error: Double?) {
        object { json in
            json.field("photos", found.pictures)
            json.field("individuals", found.individuals)
            json.field("first", found.first, decimals: 4)
            json.field("top_five", found.topFive, decimals: 4)
            json.field("auc", found.auc, decimals: 4)
            json.field("auc_of_breed", found.aucOfLabel, decimals: 4)
            json.field("ece", error, decimals: 4)
        }
    }
}
