import ArgumentParser
import Dispatch
import Domain
import Foundation
import Imports
import Localization
import Storage
import Synchronization

extension ListingsCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Read listings from CSV, a spreadsheet or GeoJSON; a row with a mistake stops all.",
            discussion: """
                Columns are called like the fields of the HTTP interface; common other names (color, city, note, \
                date, latitude, ...) are understood, and --map tells the rest. An id that is one of ours keeps it; any \
                other id becomes the reference, so that importing again updates instead of doubling. Others can write \
                meanwhile. An import that was interrupted continues when it is started again. A row without a point needs \
                the name of one town, such as "Fisciano (SA)"; names that are misspelt or mean several towns are mistakes. \
                Columns with addresses of photos are read too: the server fetches the photos.
                """
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions
        @Argument(help: "The file, or - for standard input.") var file: String
        @Option(help: "The e-mail address of the account that will own them.") var owner: String?
        @Option(help: "The id of the organisation that will own them; see organisations list.") var organisation:
            String?
        @Option(help: "FIELD=COLUMN: take a field from a column of another name.") var map: [String] = []
        @Option(help: "FIELD=VALUE: for rows that say nothing of the field.") var set: [String] = []
        @Option(help: "COLUMN=VALUE: only rows that have it.") var `where`: [String] = []
        @Flag(help: "Leave out rows with mistakes and import the others.") var skipInvalid = false
        @Flag(help: "Take the most likely town for a name that is misspelt or means several.") var acceptGuesses = false
        @OptionGroup var languages: LanguageOptions

        func run() async throws {
            let database = try await dataOptions.openDatabase()
            let (account, organisation) = try await owner(database)
            let importer = try ListingImporter(database, owner: account)
            let progress = dataOptions.makeProgress()
            defer { progress.end() }
            let mistakes = try read(try editor(database), into: importer, owner: account, organisation, progress)
            progress.end()
            for mistake in mistakes.first { printError(mistake) }
            guard mistakes.count == 0 || skipInvalid else {
                throw ServiceError.invalid(
                    file,
                    "\(counted(mistakes.count, "row")) with mistakes: nothing was imported (see --skip-invalid)"
                )
            }
            try await write(importer, progress)
            report(importer.counts, skipped: mistakes.count)
        }

        func validate() throws {
            guard (owner == nil) != (organisation == nil) else {
                throw ValidationError("expected --owner EMAIL or --organisation ID")
            }
        }

        private func owner(_ database: any Database) async throws -> (Account, Organisation?) {
            let accounts = AccountStore(database)
            if let owner {
                guard let account = try await accounts.findAccount(email: owner) else {
                    throw ServiceError.invalid("owner", "no account has the address \(owner): see accounts add")
                }
                return (account, nil)
            }
            let id = try Field("organisation", .string(organisation ?? "")).uuid()
            guard let found = try OrganisationStore(database).find(id: id),
                let account = try accounts.findAccount(key: found.key)
            else {
                throw ServiceError.invalid("organisation", "no organisation has this id: see organisations list")
            }
            return (account, found)
        }

        private func editor(_ database: any Database) throws -> ListingEditor {
            let places = SitePlaces(
                try dataOptions.gazetteer(database),
                addresses: dataOptions.addresses,
                region: try SiteOptions.area()
            )
            return ListingEditor(
                breeds: try dataOptions.breeds(),
                finder: RememberedTowns(acceptGuesses ? GuessingPlaceFinder(finder: places) : places),
                language: languages.language
            )
        }

        private struct Mistakes {
            var count = 0
            /// The first ones; a file of the wrong kind has as many as rows.
            var first: [String] = []

            mutating func add(_ text: String) {
                count += 1
                if first.count < 20 { first.append(text) }
            }
        }

        /// Reads the file to its end, with as many threads as there are processors.
        private func read(
            _ editor: ListingEditor,
            into importer: ListingImporter,
            owner: Account,
            _ organisation: Organisation?,
            _ progress: ProgressReporter
        ) throws -> Mistakes {
            let zones = try Localization(breeds: editor.breeds).timeZones
            let (map, defaults, wanted) = (try pairs(map), try pairs(set), try pairs(`where`))
            progress.begin("reading rows")
            var (mistakes, waiting, count) = (Mistakes(), [ListingRecords.Record](), 0)
            func flush() throws {
                let rows = Self.rows(waiting, editor, zones, owner, organisation)
                var good: [ListingImporter.Row] = []
                for (record, row) in zip(waiting, rows) {
                    do {
                        good.append(try row.get())
                    } catch let error as ServiceError {
                        mistakes.add("\(record.position): \(error.message)")
                    }
                }
                try importer.add(good)
                count += waiting.count
                waiting = []
                progress.update(count)
            }
            try ListingRecords.read(file, map: map, defaults: defaults, wanted: wanted) { record in
                waiting.append(record)
                if waiting.count == 2000 { try flush() }
            }
            try flush()
            return mistakes
        }

        private static func rows(
            _ records: [ListingRecords.Record],
            _ editor: ListingEditor,
            _ zones: TimeZones,
            _ owner: Account,
            _ organisation: Organisation?
        ) -> [Result<ListingImporter.Row, any Error>] {
            let size = 100
            let parts = Mutex([Int: [Result<ListingImporter.Row, any Error>]]())
            DispatchQueue.concurrentPerform(iterations: (records.count + size - 1) / size) { part in
                let rows = records[part * size..<min((part + 1) * size, records.count)].map { record in
                    Result {
                        var row = try record.row(editor, zones, owner: owner, organisation: organisation)
                        row.extras = .init(photos: record.photos, notes: try record.checkedNotes())
                        return row
                    }
                }
                parts.withLock { $0[part] = rows }
            }
            return parts.withLock { parts in (0..<parts.count).flatMap { parts[$0] ?? [] } }
        }

        private func write(_ importer: ListingImporter, _ progress: ProgressReporter) async throws {
            do {
                try await importer.writeAll(progress)
                progress.end()
            } catch {
                progress.end()
                let written = importer.counts.written
                if written > 0 {
                    printError("\(counted(written, "row")) written. The same import again writes the others.")
                }
                throw error
            }
            guard importer.counts.created >= ListingSearch.manyListings else { return }
            progress.begin("merging the text indexes")
            try await importer.mergeIndexes()
            progress.end()
        }

        private func report(_ counts: ListingImporter.Counts, skipped: Int) {
            let parts = [
                ("created", counts.created), ("updated", counts.updated), ("unchanged", counts.unchanged),
                ("repeated", counts.repeated), ("skipped", skipped),
            ]
            guard output.json else {
                print(parts.map { "\($0.1) \($0.0)" }.joined(separator: ", "))
                if counts.photos > 0 { print("\(counted(counts.photos, "photo")) to be fetched by the server") }
                return
            }
            printJSONObject { json in
                for (name, count) in parts { json.field(named: name, count) }
                json.field(named: "photos", counts.photos)
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

extension ListingRecords {
    /// Reads a file, or standard input if it is called `-`. A row that cannot be read is an error.
    static func read(
        _ file: String,
        map: [String: String] = [:],
        defaults: [String: String] = [:],
        wanted: [String: String] = [:],
        _ body: (Record) throws -> Void
    ) throws {
        let url = file == "-" ? URL(filePath: "/dev/stdin") : try inputFile(file)
        var records = try ListingRecords(url, map: map, defaults: defaults, wanted: wanted)
        while let entry = try records.next() {
            switch entry {
            case .record(let record): try body(record)
            case .mistake(let error): throw error
            }
        }
    }
}

extension ListingImporter {
    func writeAll(_ progress: ProgressReporter) async throws {
        progress.begin("writing listings")
        try await writeAll { done, all in progress.update(done, of: all) }
    }
}

/// Takes the most likely town where a name is unclear.
private struct GuessingPlaceFinder: PlaceFinderWrapper {
    let finder: any PlaceFinder

    func town(named name: String, language: Language) throws -> TownMatch {
        switch try finder.town(named: name, language: language) {
        case .unclear(let candidates): candidates.first.map(TownMatch.town) ?? .unclear(candidates: [])
        case let match: match
        }
    }
}
