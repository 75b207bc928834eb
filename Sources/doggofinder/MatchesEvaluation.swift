import ArgumentParser
import CSV
import Domain
import Formats
import Foundation
import Matching

extension MatchesCommand {
    struct Evaluate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Measure the matches on listings of which it is known who belongs to whom.",
            discussion: """
                Takes a CSV file of lost and one of found animals, in the form that listings import reads, each row with a \
                reference, lon, lat and last_seen_at, and a CSV file with found_reference and lost_reference. Uses no \
                data of this service; today's date plays no part.
                """
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions
        @Option(help: "A table of weights to measure instead of the program's own.") var weights: String?
        @Option(help: "Count weights from these pairs and write them to this file.") var writeWeights: String?
        @Option(help: "A CSV file of vectors of their photos, with reference and vector: see photos evaluate.")
        var vectors: String?
        @Argument(help: "The lost animals.") var lost: String
        @Argument(help: "The found animals.") var found: String
        @Argument(help: "Who belongs to whom.") var truth: String

        func run() async throws {
            let reader = MatchReader(breeds: try dataOptions.breeds())
            let progress = dataOptions.makeProgress()
            defer { progress.end() }
            let photos = try vectors.map(MatchFiles.vectors) ?? [:]
            progress.begin("reading lost animals")
            let lostEntries = try MatchFiles.entries(lost, areLost: true, vectors: photos, reader) {
                progress.update($0)
            }
            progress.begin("reading found animals")
            let foundEntries = try MatchFiles.entries(found, areLost: false, vectors: photos, reader) {
                progress.update($0)
            }
            progress.end()
            let links = try MatchFiles.truth(truth)
            warnOfUnknown(links, lostEntries, foundEntries)
            let tables = try weights.map(MatchWeights.init(file:)) ?? .standard
            var frequencies = MatchFrequencies(reader)
            frequencies.count(foundEntries.map(\.subject))
            progress.begin("comparing found animals", total: foundEntries.count)
            let evaluation = MatchEvaluation(
                lost: lostEntries,
                found: foundEntries,
                truth: links,
                scorer: MatchScorer(weights: tables, frequencies: frequencies),
                calibration: tables.calibration
            ) { progress.update($0) }
            progress.end()
            if let writeWeights {
                let counted = MatchEvaluation.countedWeights(
                    lost: lostEntries,
                    found: foundEntries,
                    truth: links,
                    prior: tables,
                    frequencies: frequencies
                )
                try Data(counted.tsv.utf8).write(to: URL(filePath: writeWeights))
            }
            if output.json { printJSON { $0.evaluation(evaluation) } } else { Self.printTables(evaluation) }
        }

        private func warnOfUnknown(
            _ links: [String: Set<String>],
            _ lost: [MatchEvaluation.Entry],
            _ found: [MatchEvaluation.Entry]
        ) {
            let unknownFound = Set(links.keys).subtracting(found.map(\.reference))
            let unknownLost = links.values.reduce(into: Set<String>()) { $0.formUnion($1) }
                .subtracting(lost.map(\.reference))
            for (file, unknown) in [(self.found, unknownFound), (self.lost, unknownLost)] where !unknown.isEmpty {
                printError(
                    "\(counted(unknown.count, "reference")) of \(truth) not in \(file), such as \(unknown.min() ?? "")"
                )
            }
        }

        private static func printTables(_ found: MatchEvaluation) {
            print(
                "\(found.found) found, \(found.linked) of them with a listing among \(found.lost) lost; \(found.pairs) pairs\n"
            )
            printTable([
                ["ranking", "first %", "top 5 %", "mean rank"], row("matches", found.ranking),
                row("points of ASM3", found.asm3),
            ])
            print("")
            printTable([
                ["calibration error", ""], ["of the first answer", String(format: "%.4f", found.calibrationError)],
                ["of pairs of 5 % and more", String(format: "%.4f", found.likelyCalibrationError)],
            ])
            print("")
            let rows = found.alerts.map { alert in
                [
                    String(alert.threshold), String(alert.count), percent(alert.precision),
                    percent(found.reach(alert)), String(format: "%.3f", found.perLost(alert)),
                ]
            }
            printTable([["alerts from", "alerts", "right %", "owners reached %", "a lost listing"]] + rows)
        }

        private static func row(_ name: String, _ ranking: MatchEvaluation.Ranking) -> [String] {
            [name, percent(ranking.first), percent(ranking.top5), String(format: "%.2f", ranking.meanRank)]
        }

        private static func percent(_ share: Double) -> String { String(format: "%.1f", 100 * share) }
    }
}

extension MatchEvaluation {
    fileprivate func reach(_ alert: Alert) -> Double { Double(alert.reached) / Double(max(1, linked)) }

    fileprivate func perLost(_ alert: Alert) -> Double { Double(alert.count) / Double(max(1, lost)) }
}

extension MatchEvaluation.Alert {
    fileprivate var precision: Double { Double(right) / Double(max(1, count)) }
}

extension JSONWriter {
    fileprivate mutating func evaluation(_ found: MatchEvaluation) {
        object { json in
            json.field("found", found.found)
            json.field("lost", found.lost)
            json.field("linked", found.linked)
            json.field("pairs", found.pairs)
            json.field("first", found.ranking.first, decimals: 4)
            json.field("top_5", found.ranking.top5, decimals: 4)
            json.field("mean_rank", found.ranking.meanRank, decimals: 3)
            json.field("ece", found.calibrationError, decimals: 4)
            json.field("ece_likely", found.likelyCalibrationError, decimals: 4)
            json.objects("alerts", found.alerts) { json, alert in
                json.field("threshold", alert.threshold, decimals: 2)
                json.field("precision", alert.precision, decimals: 4)
                json.field("reach", found.reach(alert), decimals: 4)
                json.field("per_lost", found.perLost(alert), decimals: 4)
                json.field("count", alert.count)
            }
            json.object("asm3") { json in
                json.field("first", found.asm3.first, decimals: 4)
                json.field("top_5", found.asm3.top5, decimals: 4)
                json.field("mean_rank", found.asm3.meanRank, decimals: 3)
            }
        }
    }
}
