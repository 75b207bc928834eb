import ArgumentParser
import Domain
import Foundation
import PlaceFiles
import Storage

extension GazetteerCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add boundaries, settlements or postal codes to the bundled gazetteer.",
            discussion: """
                Boundaries (GeoJSON, GeoPackage or a shapefile's .shp, of any administrative level) then answer exactly; --map \
                says what their fields mean: --map comune=NAME --map province_code=PROV. Tables of GeoNames (IT.txt, \
                allCountries.txt, and those of postal codes) are known by their columns.

                Importing a source again replaces it at once, when all of it was read; a broken file changes nothing. \
                Imports and removals wait for one another. Names have at most 200 characters; control characters in \
                them count as spaces.
                """
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions
        @Argument(help: "The file, unpacked.") var file: String
        @Option(help: "What to remember the source as. (default: the file's name)") var source: String?
        @Option(
            help: """
                FIELD=FILE_FIELD: of locality, comune, comune_code, province, province_code, region, \
                country_code, postal_code, population.
                """
        ) var map: [String] = []
        @Option(help: "FIELD=VALUE for all of the file, like country_code=IT.") var set: [String] = []
        @Option(help: "The layer of a GeoPackage that has several.") var layer: String?
        @Option(help: "The EPSG number of the coordinates, where the file does not tell it.") var srid: Int?
        @Option(help: "The encoding of a shapefile's texts, where the .cpg tells none or a wrong one.") var encoding:
            String?

        func run() async throws {
            let url = try inputFile(file)
            guard source?.isEmpty != true else { throw ServiceError.invalid("source", "expected a name") }
            let progress = dataOptions.makeProgress()
            defer { progress.end() }
            progress.begin("reading \(url.lastPathComponent)")
            let options = BoundaryFile.Options(layer: layer, srid: srid, encoding: encoding)
            let kind = try PlaceFile(url)
            try kind.check(options)
            switch kind {
            case .boundaries(let format): try await importBoundaries(url, format, options, progress)
            case let table: try await importTable(url, table, progress)
            }
        }

        private func importBoundaries(
            _ url: URL,
            _ format: PlaceFile.BoundaryFormat,
            _ options: BoundaryFile.Options,
            _ progress: ProgressReporter
        ) async throws {
            guard !map.isEmpty else {
                throw FieldMapping.nothingMapped(of: try BoundaryFile.fields(of: url, format, options))
            }
            let mapping = try FieldMapping(map, constants: set)
            var areas = try BoundaryFile(url, format, mapping, options)
            let count = try await put(
                url,
                .boundaries,
                next: { try areas.next().map { PlaceStore.Entry($0.place, areas: $0.pieces) } },
                progress
            )
            let skipped = areas.skipped
            report(url, .boundaries, mapping.level.rawValue, count, skipped: skipped.withoutArea + skipped.withoutName)
            if skipped.withoutArea > 0 { printError("\(counted(skipped.withoutArea, "feature")) without an area") }
            if skipped.withoutName > 0 { printError("\(counted(skipped.withoutName, "area")) without a name") }
        }

        private func importTable(_ url: URL, _ table: PlaceFile, _ progress: ProgressReporter) async throws {
            guard map.isEmpty, set.isEmpty else {
                throw ServiceError.invalid(
                    map.isEmpty ? "set" : "map",
                    "is for boundaries: the columns of GeoNames' tables are known"
                )
            }
            var places = try GeoNamesFile(url, table) { progress.update($0) }
            let kind: PlaceStore.Kind = if case .postalCodes = table { .postalCodes } else { .settlements }
            let count = try await put(url, kind, next: { try places.next().map { PlaceStore.Entry($0) } }, progress)
            report(url, kind, kind == .postalCodes ? "postal_code" : "settlement", count, skipped: places.lines - count)
        }

        private func put(
            _ url: URL,
            _ kind: PlaceStore.Kind,
            next: () throws -> [PlaceStore.Entry],
            _ progress: ProgressReporter
        ) async throws -> Int {
            let store = PlaceStore(try await dataOptions.openOrCreateDatabase(bulk: true))
            progress.begin("writing places of \(url.lastPathComponent)")
            let count = try await store.put(
                name(url),
                kind,
                next: next,
                progress: { progress.update($0) },
                waiting: {
                    progress.end()
                    tellWaiting()
                    progress.begin("writing places of \(url.lastPathComponent)")
                }
            )
            progress.end()
            return count
        }

        private func name(_ url: URL) -> String { source ?? url.lastPathComponent }

        private func report(_ url: URL, _ kind: PlaceStore.Kind, _ level: String, _ count: Int, skipped: Int) {
            if output.json {
                printJSONObject { json in
                    json.field("source", name(url))
                    json.field("kind", kind.rawValue)
                    json.field("level", level)
                    json.field("places", count)
                    json.field("skipped", skipped)
                }
            } else {
                print("\(name(url)): \(counted(count, "place")) (\(level))")
            }
        }
    }

    struct Sources: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List what was imported.")

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let sources = try await PlaceStore(dataOptions.openExisting()).sources()
            if output.json {
                for source in sources {
                    printJSONObject { json in
                        json.field("source", source.name)
                        json.field("kind", source.kind.rawValue)
                        json.field("places", source.places)
                        json.field("imported_at", source.importedAt)
                    }
                }
            } else {
                printTable(
                    [["source", "kind", "places", "imported at"]]
                        + sources.map { [$0.name, $0.kind.rawValue, String($0.places), $0.importedAt] }
                )
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove an imported source.")

        @OptionGroup var dataOptions: DataOptions
        @Argument(help: "Its name, as `gazetteer sources` lists it.") var name: String

        func run() async throws {
            guard try await PlaceStore(await dataOptions.openDatabase()).remove(name, waiting: tellWaiting) else {
                throw ServiceError(.notFound, "there is no source '\(name)'")
            }
            print("\(name) removed")
        }
    }
}

/// Prints a message when an import or removal has to wait for another one in the same data folder.
private func tellWaiting() {
    printError("another import or removal is going on: waiting for it to end")
}
