import ArgumentParser
import Credentials
import Domain
import Foundation
import Gazetteer
import MapDatabase
import Storage

struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Fill the board with made-up listings, spread like people, of breeds as frequent as real ones.",
        discussion: """
            The places follow the population of the towns of a country, and the texts are in its language, or in English. Without \
            --country, some listings are in Valletta, whose map with streets the command imports from a bundled extract of \
            OpenStreetMap. The newest open listings and those in Valletta get drawn pictures. In a folder without \
            accounts, the command also adds vets, shops and shelters, a few reports, and an admin with conversations, \
            whose password it prints. Use a data folder of its own.
            """
    )

    @OptionGroup var dataOptions: DataOptions
    @Option(help: "How many.") var count = 1000
    @Option(help: "The same seed makes the same listings, up to the present time.") var seed: UInt64 = 1
    @Option(
        help: ArgumentHelp(
            "The country of the listings, such as FR or US. (default: Italy, and the town with a map)",
            valueName: "ISO 3166 code"
        )
    )
    var country: String?

    private static let usualCountry = "IT"

    func run() async throws {
        guard count > 0 else { throw ValidationError("count: expected more than 0") }
        // Wrong options are refused before anything is written.
        let photoFiles = try dataOptions.photoFiles()
        let (gazetteer, breeds) = (try dataOptions.bundledGazetteer(), try dataOptions.breeds())
        let code = country?.uppercased() ?? Self.usualCountry
        let language = Country.language(of: code)
        let towns = try towns(of: code, gazetteer, language)
        let texts = try DemoTexts(language)
        let extract = country == nil ? try dataOptions.demoExtract() : nil
        let database = try await dataOptions.openOrCreateDatabase(bulk: true)
        let accounts = AccountStore(database)
        let isNew = try await accounts.findAccounts(role: nil, limit: 1).isEmpty
        let progress = dataOptions.makeProgress()
        defer { progress.end() }
        var town: DemoTown?
        if let extract { town = DemoTown(map: try await map(of: extract, database, progress), gazetteer, language) }
        // The token is discarded: nobody needs to sign in as the owner.
        let owner = try await accounts.createGuest(tokenHash: Token().digest)
        let area = CountryTowns(towns, in: country.map { _ in code }, gazetteer, language)
        try await write(try parts(area, town, breeds, language), of: owner, database, progress)
        let box = town == nil ? nil : DemoTown.box
        let scene = DemoScene(database: database, photoFiles: photoFiles, owner: owner, texts: texts, town: box)
        try await scene.addPictures(progress)
        progress.end()
        // A folder with accounts may be a real one, in which nobody expects another admin and invented conversations.
        let password = isNew ? try await scene.addPeople() : nil
        if try await scene.isDemo {
            let help = InventedHelp(seed: seed, country: code, texts: texts, towns: towns, mappedTown: town)
            try await scene.addHelp(help)
        }
        print("\(counted(count, "listing")) added")
        if let password { print("sign in as \(DemoScene.email), an admin, with the password \(password)") }
        if town != nil {
            print("the map of Valletta: \(DemoTown.page), which `doggofinder osm remove \(DemoTown.mapName)` removes")
        }
    }

    private func towns(of code: String, _ gazetteer: Gazetteer, _ language: Language) throws -> [Place] {
        let towns = gazetteer.towns(of: code, language: language)
        guard !towns.isEmpty else {
            throw ValidationError("country: expected an ISO 3166 code with towns, such as FR, got '\(code)'")
        }
        return towns
    }

    private func parts(
        _ area: CountryTowns,
        _ town: DemoTown?,
        _ breeds: Breeds,
        _ language: Language
    ) throws -> [(count: Int, generator: DemoDataGenerator)] {
        let inTown = town == nil ? 0 : DemoTown.count(of: count)
        var parts = [(count - inTown, try DemoDataGenerator(seed: seed, area: area, breeds: breeds, language))]
        if let town { parts.append((inTown, try DemoDataGenerator(seed: ~seed, area: town, breeds: breeds, language))) }
        return parts
    }

    /// Returns the map of the extract, which is imported unless it is there.
    private func map(
        of extract: URL,
        _ database: any Database,
        _ progress: ProgressReporter
    ) async throws -> MapDatabase {
        let (name, file) = (DemoTown.mapName, MapFolder.file(DemoTown.mapName, in: dataOptions.mapFolder))
        if !FileManager.default.fileExists(atPath: file.path) {
            // An earlier version kept the invented points of interest under this name.
            let pois = PointOfInterestStore(database)
            if try await pois.count(source: name) > 0 { _ = try await pois.put([], source: name) }
            _ = try await ExtractImport(file: extract, name: name, dataOptions: dataOptions, progress: progress)
                .run(into: database)
        }
        return try MapDatabase(file)
    }

    private func write(
        _ parts: [(count: Int, generator: DemoDataGenerator)],
        of owner: Account,
        _ database: any Database,
        _ progress: ProgressReporter
    ) async throws {
        var parts = parts
        let importer = try ListingImporter(database, owner: owner)
        try generate(&parts, into: importer, progress)
        try await importer.writeAll(progress)
        try await ReunionStore(database).record(parts.flatMap(\.generator.reunions))
        if count >= ListingSearch.manyListings { try await ListingSearch(database).optimize(progress) }
    }

    private func generate(
        _ parts: inout [(count: Int, generator: DemoDataGenerator)],
        into importer: ListingImporter,
        _ progress: ProgressReporter
    ) throws {
        progress.begin("inventing listings", total: count)
        var all = 0
        for index in parts.indices {
            var left = parts[index].count
            while left > 0 {
                let rows = try (0..<min(2000, left)).map { _ in
                    ListingImporter.Row(try parts[index].generator.draft())
                }
                try importer.add(rows)
                left -= rows.count
                all += rows.count
                progress.update(all)
            }
        }
    }
}
