import ArgumentParser
import Formats
import Foundation
import Storage

extension ListingFile.Format: ExpressibleByArgument {}

extension ListingsCommand {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write all listings to standard output, oldest first, contacts included.",
            discussion: "What export writes, import reads."
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var filter: ListingFilter
        @Option(help: "geojson or csv.") var format = ListingFile.Format.geojson

        func run() async throws {
            let database = try await dataOptions.openDatabase()
            let search = ListingSearch(database)
            var query = try await filter.query(database)
            query.order = .oldest
            query.limit = 1000
            var file = ListingFile(format, of: query, with: search, full: true)
            while let piece = try file.next() { writeOutput(piece) }
        }
    }
}
