import ArgumentParser
import Credentials
import Domain
import Foundation
import Gazetteer
import Storage

struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Fill the board with made-up listings, spread like people, of breeds as frequent as real ones."
    )

    @OptionGroup var dataOptions: DataOptions
    @Option(help: "How many.") var count = 1000
    @Option(help: "The same seed makes the same listings.") var seed: UInt64 = 1

    func run() async throws {
        guard count > 0 else { throw ValidationError("count: expected more than 0") }
        let database = try await dataOptions.openDatabase(bulk: true)
        let accounts = AccountStore(database)
        let listings = ListingStore(database)
        let gazetteer = try dataOptions.bundledGazetteer()
        var maker = DemoDataGenerator(seed: seed, gazetteer: gazetteer, breeds: try dataOptions.breeds())
        let line = ProgressLine()
        var done = 0
        while done < count {
            // The token is discarded: nobody needs to sign in as these owners.
            let owner = try await accounts.createGuest(tokenHash: Token().digest)
            let drafts = try (0..<min(2000, count - done)).map { _ in try maker.draft() }
            _ = try await listings.put(drafts, owner: owner)
            done += drafts.count
            line.show("\(done) of \(count) listings")
        }
        line.end()
        if count >= ListingSearch.manyListings { try await ListingSearch(database).optimize() }
        print("\(count) listings added")
    }
}
