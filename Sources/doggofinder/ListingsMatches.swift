import ArgumentParser
import Domain
import Formats
import Foundation
import Matching
import Storage

extension ListingsCommand {
    struct Matches: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the listings that may be of the same animal, the likeliest first.",
            discussion: "Scores are computed from what the listings show to everybody, as on the pages."
        )

        @OptionGroup var target: ListingTarget
        @OptionGroup var output: OutputOptions
        @OptionGroup var limits: LimitOption
        @OptionGroup var matchWeights: MatchWeightsOptions

        func run() async throws {
            let (_, listing) = try await target.find()
            let reader = MatchReader(breeds: try target.dataOptions.breeds())
            let store = MatchStore(
                try await target.dataOptions.openDatabase(),
                reader,
                weights: try matchWeights.weights()
            )
            let found = try store.find(for: listing, limit: limits.limit ?? 20) { row in try Listing(row) }
            if output.json { return printObject(found) }
            let rows = found.matches.map { match in
                let content = match.value.content
                return [
                    match.value.id.uuidString.lowercased(), content.status?.rawValue ?? "", content.breed ?? "-",
                    content[.colour] ?? "-", "\(Int(match.distance)) m", "\(match.days) d",
                    Self.percent(match.probability),
                    match.evidence.filter { abs($0.bits) >= 0.5 }.map(Self.text).joined(separator: " "),
                ]
            }
            printTable([["id", "status", "breed", "colour", "distance", "days", "probability", "bits"]] + rows)
            print(
                "\(counted(found.considered, "listing")) compared; none of them: \(Self.percent(found.noneProbability))"
            )
        }

        private static func percent(_ share: Double) -> String { String(format: "%.1f %%", 100 * share) }

        private static func text(_ evidence: Evidence) -> String {
            let bits = (evidence.bits * 10).rounded() / 10
            return "\(evidence.kind.rawValue) \(bits > 0 ? "+" : "")\(bits)"
        }

        private func printObject(_ found: MatchStore.Results<Listing>) {
            printJSONObject { json in
                json.field("considered", found.considered)
                json.field("none_probability", found.noneProbability, decimals: 4)
                json.objects("matches", found.matches) { json, match in
                    json.field("id", match.value.id.uuidString.lowercased())
                    json.field("probability", match.probability, decimals: 4)
                    json.field("score_bits", match.bits, decimals: 2)
                    json.field("distance_m", Int(match.distance))
                    json.field("days", match.days)
                }
            }
        }
    }
}
