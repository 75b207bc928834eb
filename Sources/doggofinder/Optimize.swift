import ArgumentParser
import Storage

struct Optimize: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Arrange the indexes anew, for faster searches after many changes.",
        discussion:
            "Searches go on meanwhile; posts must wait, some fifteen seconds a million listings. Large imports do it."
    )

    @OptionGroup var dataOptions: DataOptions

    func run() async throws {
        let database = try await dataOptions.openDatabase(bulk: true)
        try await ListingSearch(database).optimize(dataOptions.makeProgress())
        print("the indexes are in order")
    }
}

extension ListingSearch {
    func optimize(_ progress: ProgressReporter) async throws {
        defer { progress.end() }
        progress.begin("arranging the indexes")
        try await optimize { part in progress.update(part.finished, of: part.total, part: part.name) }
    }
}
