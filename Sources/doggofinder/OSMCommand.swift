import ArgumentParser
import Domain
import Foundation
import MapDatabase
import Storage

struct OSMCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "osm",
        abstract: "Extracts of OpenStreetMap: the map with streets, addresses, and points of interest.",
        subcommands: [Import.self, List.self, Remove.self]
    )

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Read an extract, .osm.pbf or .osm, as https://download.geofabrik.de has for each region.",
            discussion: """
                Importing an extract again replaces it at once, also while the service runs. Several extracts stand \
                side by side. The map is in maps/NAME.sqlite of the data folder; the points of interest are in the \
                database, as `pois import` writes them.
                """
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions
        @Argument(help: "The file.") var file: String
        @Option(help: "What to remember the extract as. (default: the file's name without its ending and -latest)")
        var name: String?

        func run() async throws {
            let url = try inputFile(file)
            let name = try extractName(name ?? Self.usualName(of: url))
            let progress = dataOptions.makeProgress()
            defer { progress.end() }
            let database = try await dataOptions.openOrCreateDatabase()
            let extract = ExtractImport(file: url, name: name, dataOptions: dataOptions, progress: progress)
            let counts = try await extract.run(into: database)
            progress.end()
            report(name, counts)
        }

        private static func usualName(of url: URL) -> String {
            var name = url.lastPathComponent
            for ending in [".gz", ".xml", ".pbf", ".osm", "-latest"] where name.hasSuffix(ending) {
                name.removeLast(ending.count)
            }
            return name
        }

        private func report(_ name: String, _ counts: ExtractImport.Counts) {
            let (map, points) = (counts.map, counts.points)
            let numbers = [
                ("shapes", map.features), ("places", map.places), ("addresses", map.addresses), ("towns", map.towns),
                ("points_of_interest", counts.pointsOfInterest), ("added", points.added), ("updated", points.updated),
                ("removed", points.removed),
            ]
            if output.json {
                printJSONObject { json in
                    json.field("name", name)
                    for (name, count) in numbers { json.field(named: name, count) }
                }
                return
            }
            print(
                """
                \(name): \(counted(map.features, "shape")), \(map.places) streets and landmarks, \
                \(counted(map.addresses, "house number")), \(counts.pointsOfInterest) points of interest
                """
            )
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the extracts.")

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let names = MapFolder(dataOptions.mapFolder).names
            if output.json {
                printJSONObject { json in json.array("extracts", names) { $0.string($1) } }
            } else {
                for name in names { print(name) }
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove an extract: its map, its addresses and its points of interest."
        )

        @OptionGroup var dataOptions: DataOptions
        @Argument(help: "The extract's name, as `osm list` shows it.") var name: String

        func run() async throws {
            let name = try extractName(name)
            let file = MapFolder.file(name, in: dataOptions.mapFolder)
            guard FileManager.default.fileExists(atPath: file.path) else {
                throw ServiceError.invalid(
                    "name", "no extract is called \(name): `osm list` shows those that are there")
            }
            let database = try await dataOptions.openDatabase()
            _ = try await PointOfInterestStore(database).put([], source: name)
            try FileManager.default.removeItem(at: file)
            print("\(name): removed")
        }
    }
}

/// Returns a name that can be that of a file.
private func extractName(_ name: String) throws -> String {
    guard name.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._-]{0,99}/) != nil else {
        throw ServiceError.invalid("name", "expected letters, digits, dots and dashes, such as campania")
    }
    return name
}
