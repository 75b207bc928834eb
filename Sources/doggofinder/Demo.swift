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
        // The token is discarded: nobody needs to sign in as the owner.
        let owner = try await AccountStore(database).createGuest(tokenHash: Token().digest)
        let importer = try ListingImporter(database, owner: owner)
        try generate(into: importer)
        try await importer.writeAllWithProgress()
        if count >= ListingSearch.manyListings { try await ListingSearch(database).optimize() }
        print("\(count) listings added")
    }

    private func generate(into importer: ListingImporter) throws {
        let gazetteer = try dataOptions.bundledGazetteer()
        var generator = DemoDataGenerator(seed: seed, gazetteer: gazetteer, breeds: try dataOptions.breeds())
        let line = ProgressLine()
        defer { line.end() }
        var done = 0
        while done < count {
            let rows = try (0..<min(2000, count - done)).map { _ in ListingImporter.Row(try generator.draft()) }
            try importer.add(rows)
            done += rows.count
            line.show("\(done) of \(count) listings")
        }
    }
}
