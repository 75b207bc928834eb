import ArgumentParser
import CSV
import Domain
import Foundation
import Storage

extension ListingsCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Read listings from CSV or GeoJSON, all of them or none.",
            discussion: """
                Columns are called like the fields of the HTTP interface; common other names (color, city, note, \
                date, latitude, ...) are understood, and --map tells the rest. An id that is one of ours keeps it; any \
                other id becomes the reference, so that importing again updates instead of doubling.
                """
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions
        @Argument(help: "The file, or - for standard input.") var file: String
        @Option(help: "The e-mail address of the account that will own them.") var owner: String
        @Option(help: "FIELD=COLUMN: take a field from a column of another name.") var map: [String] = []
        @Option(help: "FIELD=VALUE: for rows that say nothing of the field.") var set: [String] = []
        @Option(help: "COLUMN=VALUE: only rows that have it.") var `where`: [String] = []
        @Flag(help: "Leave out rows with mistakes and import the others.") var skipInvalid = false

        func run() async throws {
            let database = try await dataOptions.openDatabase(bulk: true)
            guard let account = try await AccountStore(database).findAccount(email: owner) else {
                throw ServiceError.invalid("owner", "no account has the address \(owner): see accounts add")
            }
            let editor = ListingEditor(breeds: try dataOptions.breeds(), finder: try dataOptions.gazetteer(database))
            let records = try ListingRecords(file, map: pairs(map), defaults: pairs(set), wanted: pairs(`where`))
            var (drafts, mistakes) = ([ListingStore.Draft](), [String]())
            let line = ProgressLine()
            try records.read { record in
                do {
                    drafts.append(try record.draft(editor, owner: account))
                } catch let error as ServiceError {
                    mistakes.append("\(record.origin): \(error.message)")
                }
                if drafts.count.isMultiple(of: 1000) { line.show("\(drafts.count) rows read") }
            }
            line.end()
            for mistake in mistakes.prefix(20) { printError(mistake) }
            guard mistakes.isEmpty || skipInvalid else {
                throw ServiceError.invalid(
                    file,
                    "\(mistakes.count) rows have mistakes: nothing was imported (see --skip-invalid)"
                )
            }
            let counts = try await ListingStore(database).put(drafts, owner: account)
            if counts.created >= ListingSearch.manyListings { try await ListingSearch(database).optimize() }
            report(counts.created, counts.updated, mistakes.count)
        }

        private func report(_ created: Int, _ updated: Int, _ skipped: Int) {
            if output.json {
                printJSON { json in
                    json.object { json in
                        json.field("created", created)
                        json.field("updated", updated)
                        json.field("skipped", skipped)
                    }
                }
            } else {
                print("\(created) created, \(updated) updated, \(skipped) skipped")
            }
        }

        private func pairs(_ texts: [String]) throws -> [String: String] {
            var result: [String: String] = [:]
            for text in texts {
                let parts = text.split(separator: "=", maxSplits: 1)
                guard parts.count == 2 else { throw ValidationError("expected NAME=VALUE, got '\(text)'") }
                result[String(parts[0])] = String(parts[1])
            }
            return result
        }
    }
}
