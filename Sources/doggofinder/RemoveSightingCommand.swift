import ArgumentParser
import Domain
import Formats
import Foundation
import Storage

extension ModerationCommand {
    struct RemoveSighting: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a sighting of a lost animal for good.",
            discussion: """
                Also one that is not confirmed. What was written about it stays: conversations belong to the two who have them.
                """
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var justification: JustificationOptions
        @Argument(help: "The sighting's id, as `moderation queue` and GET /v1/listings/{id}/sightings tell it.")
        var sighting: String

        func run() async throws {
            let id = try Field("sighting", .string(sighting)).uuid()
            let moderation = ModerationStore(try await dataOptions.openDatabase())
            try await moderation.removeSighting(id, try justification.read())
            guard output.json else { return print("removed") }
            printJSON { json in json.object { $0.field("removed", id.uuidString.lowercased()) } }
        }
    }
}
