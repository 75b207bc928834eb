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
        try await ListingSearch(dataOptions.openDatabase(bulk: true)).optimize()
        print("the indexes are in order")
    }
}
