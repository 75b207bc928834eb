import ArgumentParser
import Domain
import Formats
import Foundation
import ImageClassifier

extension ModelCommand {
    struct Evaluate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Measure a model on photos whose labels are known.",
            discussion: "Takes a folder with a folder of photos for each label, named by the label's id."
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions
        @Option(help: "The id of the model to measure. (default: dog-breeds)") var model: String?
        @Argument(help: "The folder.") var folder: String

        func run() async throws {
            let examiner = try await PhotoClassifier(dataOptions, model: model)
            let known = Set(examiner.labels.map(\.id))
            let all = try LabelledPhoto.all(in: URL(filePath: folder))
            let photos = all.filter { known.contains($0.label) }
            guard !photos.isEmpty else {
                throw ServiceError.invalid(
                    "folder",
                    "there are no photos in \(folder), in a folder named by a label of the model"
                )
            }
            let foreign = Set(all.map(\.label)).subtracting(known).sorted()
            if !foreign.isEmpty {
                printError(
                    "\(counted(all.count - photos.count, "photo")) left out, of no label of the model: \(foreign.joined(separator: ", "))"
                )
            }
            let progress = dataOptions.makeProgress()
            defer { progress.end() }
            progress.begin("classifying photos", total: photos.count)
            var results: [Evaluation.Result] = []
            try await examiner.examine(photos.map(\.file)) { index, result in
                switch result {
                case .success(let found): results.append(.init(truth: photos[index].label, classification: found))
                case .failure(let error): printError("\(photos[index].file.path): \(error)")
                }
                progress.update(index + 1)
            }
            progress.end()
            let subjects = Set(examiner.labels.filter(\.isSubject).map(\.id))
            let evaluation = Evaluation(results, subjects: subjects)
            if output.json { printJSON { $0.evaluation(evaluation) } } else { Self.printTables(evaluation) }
            if results.count < photos.count { throw ExitCode(1) }
        }

        private static func printTables(_ found: Evaluation) {
            printTable([
                ["photos", String(found.count)], ["top-1 %", percent(found.top1)],
                ["top-1, every label alike %", percent(found.meanRecall)], ["top-5 %", percent(found.top5)],
                ["subject or not, right %", percent(found.subjectAccuracy)],
                ["of the subject, accepted %", percent(found.coverage)],
                ["accepted and right %", found.precision.map(percent) ?? "-"],
                ["calibration error", String(format: "%.4f", found.calibrationError)],
            ])
            print("\nThe labels known worst:")
            let worst = found.recalls.sorted { ($0.recall, $0.label) < ($1.recall, $1.label) }.prefix(15)
            printTable(
                [["label", "photos", "right %"]] + worst.map { [$0.label, String($0.count), percent($0.recall)] }
            )
            print("\nTaken for one another most often:")
            let confusions = found.confusions.prefix(15).map { [$0.truth, $0.prediction, String($0.count)] }
            printTable([["truth", "prediction", "photos"]] + confusions)
        }

        private static func percent(_ share: Double) -> String { String(format: "%.2f", 100 * share) }
    }
}

extension JSONWriter {
    fileprivate mutating func evaluation(_ found: Evaluation) {
        object { json in
            json.field("photos", found.count)
            json.field("top1", found.top1, decimals: 4)
            json.field("mean_recall", found.meanRecall, decimals: 4)
            json.field("top5", found.top5, decimals: 4)
            json.field("subject", found.subjectAccuracy, decimals: 4)
            json.field("coverage", found.coverage, decimals: 4)
            json.field("precision", found.precision, decimals: 4)
            json.field("calibration_error", found.calibrationError, decimals: 4)
            json.objects("recalls", found.recalls) { json, one in
                json.field("label", one.label)
                json.field("photos", one.count)
                json.field("recall", one.recall, decimals: 4)
            }
            json.objects("confusions", found.confusions) { json, one in
                json.field("truth", one.truth)
                json.field("prediction", one.prediction)
                json.field("photos", one.count)
            }
        }
    }
}
