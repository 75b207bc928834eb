import ArgumentParser
import Domain
import Formats
import Foundation
import Matching
import Storage

struct MatchesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "matches",
        abstract: "Lost and found animals that may be the same.",
        subcommands: [Evaluate.self, Count.self]
    )
}

extension MatchesCommand {
    struct Count: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Count what owners answered to possible matches, and weights from the animals that came home.",
            discussion: """
                Confirmed pairs that came home are compared as animals of one, and the same finds with the other \
                open lost listings near them as animals of two. `serve --match-weights FILE` uses the weights; measure \
                them first with `matches evaluate --weights FILE`.
                """
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var prior: MatchWeightsOptions
        @Option(help: "Write the counted weights to this file.") var writeWeights: String?

        func run() async throws {
            let store = MatchStore(
                try await dataOptions.openDatabase(),
                MatchReader(breeds: try dataOptions.breeds()),
                weights: try prior.weights()
            )
            let answers = try store.countAnswers()
            let counter = try count(store)
            if output.json { printObject(answers, counter.counts) } else { printTables(answers, counter.counts) }
            guard let writeWeights else { return }
            guard answers.linked >= MatchWeightCounter.minPairs else {
                throw ServiceError(
                    .conflict,
                    """
                    no weights are written: expected at least \(MatchWeightCounter.minPairs) pairs that both owners have \
                    confirmed, there are \(answers.linked)
                    """
                )
            }
            try Data(counter.weights.tsv.utf8).write(to: URL(filePath: writeWeights), options: .atomic)
        }

        /// Reads the pairs twice, because the rarity of breeds has to be known first.
        private func count(_ store: MatchStore) throws -> MatchWeightCounter {
            let progress = dataOptions.makeProgress()
            defer { progress.end() }
            progress.begin("reading pairs")
            var frequencies = MatchFrequencies(store.reader)
            var pairs = 0
            try store.forEachLink { link, left in
                pairs = max(pairs, left)
                progress.update(pairs - left, of: pairs)
                frequencies.count(link.others.map(\.subject))
            }
            var counter = MatchWeightCounter(prior: store.weights, frequencies: frequencies)
            progress.begin("comparing pairs")
            try store.forEachLink { link, left in
                pairs = max(pairs, left)
                progress.update(pairs - left, of: pairs)
                counter.add(link.lost.subject, link.found, distanceMetres: link.lost.distanceMetres, areSame: true)
                for other in link.others {
                    counter.add(other.subject, link.found, distanceMetres: other.distanceMetres, areSame: false)
                }
            }
            return counter
        }

        private func printTables(_ answers: MatchAnswerCounts, _ pairs: (same: Int, other: Int)) {
            printTable([
                ["answers", ""], ["it is the same animal", "\(answers.yes)"], ["it is another one", "\(answers.no)"],
                ["unsure", "\(answers.unsure)"],
            ])
            print("")
            printTable([
                ["pairs", ""], ["confirmed by both owners", "\(pairs.same)"], ["of two animals", "\(pairs.other)"],
            ])
        }

        private func printObject(_ answers: MatchAnswerCounts, _ pairs: (same: Int, other: Int)) {
            printJSONObject { json in
                json.object("answers") { json in
                    json.field("yes", answers.yes)
                    json.field("no", answers.no)
                    json.field("unsure", answers.unsure)
                }
                json.field("linked", answers.linked)
                json.object("pairs") { json in
                    json.field("same", pairs.same)
                    json.field("other", pairs.other)
                }
            }
        }
    }
}
