import ArgumentParser
import Domain
import Formats
import Foundation
import Storage

struct OrganisationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "organisations",
        abstract: "List organisations, and record which are verified.",
        subcommands: [List.self, Verify.self, Unverify.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List organisations by name.")

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var limits: LimitOption

        func run() async throws {
            let store = OrganisationStore(try await dataOptions.openDatabase())
            let found = try await store.findAll(limit: limits.limit ?? 100)
            guard output.json else {
                for organisation in found {
                    let state = organisation.isVerified ? "verified" : "unverified"
                    print("\(organisation.id.uuidString.lowercased())  \(state)  \(organisation.content.name)")
                }
                return
            }
            printJSON { json in
                json.array(found) { json, organisation in
                    json.object { json in
                        json.field("id", organisation.id.uuidString.lowercased())
                        json.field("name", organisation.content.name)
                        json.field("verified", organisation.isVerified)
                    }
                }
            }
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Record that it is verified who an organisation is.",
            discussion: "Its listings and its page say so then. Another name has to be verified again."
        )

        @OptionGroup var target: OrganisationTarget

        func run() async throws {
            try await target.setVerified(true)
            print("verified")
        }
    }

    struct Unverify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Take back that an organisation is verified.")

        @OptionGroup var target: OrganisationTarget

        func run() async throws {
            try await target.setVerified(false)
            print("unverified")
        }
    }
}

struct OrganisationTarget: ParsableArguments {
    @OptionGroup var dataOptions: DataOptions
    @Argument(help: "The organisation's id, as `organisations list` tells it.") var organisation: String
    @Option(help: "Why, for the audit: nothing personal.") var note: String?

    func setVerified(_ isVerified: Bool) async throws {
        let id = try Field("organisation", .string(organisation)).uuid()
        let text = try Field("note", note.map(JSONValue.string) ?? .null).note()
        let store = OrganisationStore(try await dataOptions.openDatabase())
        try await store.setVerified(isVerified, id: id, note: text, by: .commandLine)
    }
}
