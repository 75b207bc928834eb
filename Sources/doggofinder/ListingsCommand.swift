import ArgumentParser
import Domain
import Foundation
import Storage

struct ListingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listings",
        abstract: "List, change, export and import listings; `moderation hide` hides one.",
        subcommands: [List.self, Show.self, Edit.self, Remove.self, Export.self, Import.self, Matches.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List listings, newest first, hidden ones too.")

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var filter: ListingFilter
        @OptionGroup var limits: LimitOption

        func run() async throws {
            let database = try await dataOptions.openDatabase()
            var query = try await filter.query(database)
            query.limit = limits.limit ?? 50
            let search = ListingSearch(database)
            if output.json {
                _ = try search.find(query) { row, _ in
                    try printJSON { try $0.feature(row, base: "", full: true) }
                }
                return
            }
            let page = try await search.find(query)
            let rows = page.entries.map { entry in
                let content = entry.listing.content
                return [
                    entry.listing.id.uuidString.lowercased(), content.status?.rawValue ?? "",
                    content.species.rawValue, content.name ?? "-", content.breed ?? "-",
                    entry.listing.location.place ?? "-", entry.listing.createdAt.text,
                    entry.listing.hidden ? "hidden" : "",
                ]
            }
            printTable([["id", "status", "species", "name", "breed", "place", "created", ""]] + rows)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show one listing, as GeoJSON.")

        @OptionGroup var target: ListingTarget

        func run() async throws {
            let (store, listing) = try await target.find()
            _ = try store.findListing(id: listing.id) { row in
                try printJSON { try $0.feature(row, base: "", full: true) }
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete a listing for good.")

        @OptionGroup var target: ListingTarget
        @OptionGroup var confirmation: ConfirmationOption

        func run() async throws {
            let (store, listing) = try await target.find()
            let name = listing.content.name.map { " of \($0)" } ?? ""
            try confirmation.ask("Delete the listing\(name) with its photos and messages for good?")
            try await store.remove(listing, version: nil, by: .commandLine)
            try await target.dataOptions.sweepPhotos()
            print("removed")
        }
    }
}

/// The listing that is the subject of a command.
struct ListingTarget: ParsableArguments {
    @OptionGroup var dataOptions: DataOptions
    @Argument(help: "Its id.") var id: String

    func find() async throws -> (store: ListingStore, listing: Listing) {
        guard let id = UUID(uuidString: id) else {
            throw ValidationError("id: expected one like 0f8fad5b-d9cb-469f-a165-70867728950e")
        }
        let store = ListingStore(try await dataOptions.openDatabase())
        guard let listing = try await store.findListing(id: id) else {
            throw ServiceError(.notFound, "no such listing: \(id.uuidString.lowercased())")
        }
        return (store, listing)
    }
}

struct ListingFilter: ParsableArguments {
    @Option(help: "Only these statuses, with commas between them.") var status: String?
    @Option(help: "Only dog, cat or other.") var species: String?

    @Option(help: "Only those of this account: its e-mail address, or its id.") var owner: String?
    @Option(help: "Only those with these words, their beginnings or other forms, in their texts.") var words: String?

    func query(_ database: any Database) async throws -> ListingQuery {
        var query = ListingQuery()
        if let owner { query.owner = try await AccountStore(database).account(owner).key }
        query.text = words?.folded
        query.includesHidden = true
        query.statuses = Listing.Status.allCases
        if let status {
            query.statuses = try status.split(separator: ",").compactMap { part in
                try Field("status", .string(String(part))).choice(Listing.Status.self)
            }
        }
        query.species = try Field("species", species.map(JSONValue.string) ?? .null).choice(Species.self)
        return query
    }
}
