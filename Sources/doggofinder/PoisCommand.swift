import ArgumentParser
import Domain
import Foundation
import Gazetteer
import OpenStreetMap
import Storage

struct PoisCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pois",
        abstract: "Vets, pet shops, shelters: points of interest.",
        subcommands: [Import.self, Count.self]
    )

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Read points of interest from .osm.pbf, .osm, .osm.gz, Overpass JSON or GeoJSON.",
            discussion: """
                Importing a source again updates what it holds and removes what vanished from it. Nothing is ever \
                doubled: an element of OpenStreetMap stands once, whichever files hold it.
                """
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions
        @Argument(help: "The file.") var file: String
        @Option(help: "What to remember the source as. (default: the file's name)") var source: String?
        @Flag(help: "Accept a file that holds none, though its source held some: they are removed.")
        var allowEmpty = false

        func run() async throws {
            let url = try inputFile(file)
            let source = source ?? url.lastPathComponent
            let progress = dataOptions.makeProgress()
            defer { progress.end() }
            let database = try await dataOptions.openOrCreateDatabase()
            let contents = try PointOfInterestImport.read(url, dataOptions.gazetteer(database), progress)
            let store = PointOfInterestStore(database)
            if contents.points.isEmpty, !allowEmpty, try await store.count(source: source) > 0 {
                throw ServiceError.invalid(file, "holds none of our places: --allow-empty would remove those of before")
            }
            progress.begin("writing points of interest")
            let counts = try await store.put(contents.points, source: source)
            progress.end()
            report(contents, counts, source)
        }

        private func report(_ contents: Extract, _ counts: PointOfInterestStore.ImportCounts, _ source: String) {
            let categories = PointOfInterest.Category.allCases.map { category in
                (category.rawValue, contents.points.count { $0.category == category })
            }
            if output.json {
                printJSONObject { json in
                    json.field("source", source)
                    json.field("added", counts.added)
                    json.field("updated", counts.updated)
                    json.field("removed", counts.removed)
                    json.field("skipped", contents.skipped.total)
                    for (name, count) in categories { json.field(named: name, count) }
                }
                return
            }
            print("\(source): \(counts.added) added, \(counts.updated) updated, \(counts.removed) removed")
            printTable(categories.filter { $0.1 > 0 }.map { [$0.0, String($0.1)] })
            if contents.skipped.total > 0 {
                printError("\(counted(contents.skipped.total, "element")) without a usable position")
            }
        }
    }

    struct Count: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Count points of interest by category.")

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let counts = try await PointOfInterestStore(dataOptions.openDatabase()).counts()
            if output.json {
                printJSONObject { json in for entry in counts { json.field(named: entry.category, entry.count) } }
            } else {
                printTable(counts.map { [$0.category, String($0.count)] })
            }
        }
    }
}
