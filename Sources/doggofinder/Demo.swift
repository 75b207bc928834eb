import ArgumentParser
import Credentials
import Domain
import Foundation
import Gazetteer
import Storage

struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Fill the board with made-up listings, spread like people, of breeds as frequent as real ones.",
        discussion: """
            The newest open listings get drawn pictures. In a folder without accounts, the command also adds vets and \
            shelters, a few reports, and an admin with conversations, whose password it prints. Use a data folder of \
            its own.
            """
    )

    @OptionGroup var dataOptions: DataOptions
    @Option(help: "How many.") var count = 1000
    @Option(help: "The same seed makes the same listings, up to the present time.") var seed: UInt64 = 1

    func run() async throws {
        guard count > 0 else { throw ValidationError("count: expected more than 0") }
        // Wrong options are refused before anything is written.
        let photoFiles = try dataOptions.photoFiles()
        let database = try await dataOptions.openOrCreateDatabase(bulk: true)
        let accounts = AccountStore(database)
        let isNew = try await accounts.findAccounts(role: nil, limit: 1).isEmpty
        // The token is discarded: nobody needs to sign in as the owner.
        let owner = try await accounts.createGuest(tokenHash: Token().digest)
        let importer = try ListingImporter(database, owner: owner)
        var generator = DemoDataGenerator(
            seed: seed,
            gazetteer: try dataOptions.bundledGazetteer(),
            breeds: try dataOptions.breeds()
        )
        let progress = dataOptions.makeProgress()
        defer { progress.end() }
        try generate(&generator, into: importer, progress)
        try await importer.writeAll(progress)
        try await ReunionStore(database).record(generator.reunions)
        if count >= ListingSearch.manyListings { try await ListingSearch(database).optimize(progress) }
        let scene = DemoScene(database: database, photoFiles: photoFiles, owner: owner)
        try await scene.addPictures(progress)
        progress.end()
        // A folder with accounts may be a real one, in which nobody expects another admin and invented conversations.
        let password = isNew ? try await scene.addPeople(&generator) : nil
        print("\(counted(count, "listing")) added")
        if let password { print("sign in as \(DemoScene.email), an admin, with the password \(password)") }
    }

    private func generate(
        _ generator: inout DemoDataGenerator,
        into importer: ListingImporter,
        _ progress: ProgressReporter
    ) throws {
        progress.begin("inventing listings", total: count)
        var done = 0
        while done < count {
            let rows = try (0..<min(2000, count - done)).map { _ in ListingImporter.Row(try generator.draft()) }
            try importer.add(rows)
            done += rows.count
            progress.update(done)
        }
    }
}
