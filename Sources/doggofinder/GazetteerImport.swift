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

                Importing a source again replaces it at once, when all of it was read; a broken file changes nothing.
                """
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions
        @Argument(help: "The file, unpacked.") var file: String
        @Option(help: "What to remember the source as. (default: the file's name)") var name: String?
        @Option(
            help: """
                FIELD=FILE_FIELD: of locality, comune, comune_code, province, province_code, region, \
                country_code, postal_code, population.
                """
        ) var map: [String] = []
        @Option(help: "FIELD=VALUE for all of the file, like country_code=IT.") var set: [String] = []
        @Option(help: "The layer of a GeoPackage that has several.") var layer: String?
        @Option(help: "The EPSG number of the coordinates, where the file does not tell it.") var srid: Int?
        @Option(help: "The encoding of a shapefile's texts, where no .cpg tells it.") var encoding: String?

        func run() async throws {
            let url = URL(filePath: file)
            let name = name ?? url.lastPathComponent
            let line = ProgressLine()
            defer { line.end() }
            line.show("reading \(url.lastPathComponent)")
            switch try PlaceFile(url) {
            case .boundaries(let format):
                let options = BoundaryFile.Options(layer: layer, srid: srid, encoding: encoding)
                guard !map.isEmpty else {
                    throw FieldMapping.nothingMapped(of: try BoundaryFile.fields(of: url, format, options))
                }
                let mapping = try FieldMapping(map, constants: set)
                var source = try BoundaryFile(url, format, mapping, options)
                let store = PlaceStore(try await dataOptions.openDatabase(bulk: true))
                let count = try await store.put(
                    name,
                    .boundaries,
                    next: { try source.next().map { PlaceStore.Entry($0.place, areas: $0.pieces) } },
                    progress: { line.show("\($0) areas") }
                )
                line.end()
                report(name, count, mapping.level.rawValue)
                if source.skipped.withoutArea > 0 {
                    printError("\(source.skipped.withoutArea) features without an area")
                }
                if source.skipped.withoutName > 0 {
                    printError("\(source.skipped.withoutName) areas without a name or with a wrong code")
                }
            case let table:
                guard map.isEmpty, set.isEmpty else {
                    throw ServiceError.invalid("map", "is for boundaries: the columns of GeoNames' tables are known")
                }
                try await importTable(url, table, name, line)
            }
        }

        private func importTable(_ url: URL, _ table: PlaceFile, _ name: String, _ line: ProgressLine) async throws {
            var source = try GeoNamesFile(url, table) { line.show("\($0) lines read") }
            let store = PlaceStore(try await dataOptions.openDatabase(bulk: true))
            let kind: PlaceStore.Kind = if case .postalCodes = table { .postalCodes } else { .settlements }
            let count = try await store.put(
                name,
                kind,
                next: { try source.next().map { PlaceStore.Entry($0) } },
                progress: { line.show("\($0) places") }
            )
            line.end()
            report(name, count, kind.rawValue)
        }

        private func report(_ name: String, _ count: Int, _ what: String) {
            if output.json {
                printJSON { json in
                    json.object { json in
                        json.field("name", name)
                        json.field("level", what)
                        json.field("places", count)
                    }
                }
            } else {
                print("\(name): \(count) places (\(what))")
            }
        }
    }

    struct Sources: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List what was imported.")

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let sources = try await PlaceStore(dataOptions.openDatabase()).sources()
            if output.json {
                for source in sources {
                    printJSON { json in
                        json.object { json in
                            json.field("name", source.name)
                            json.field("kind", source.kind)
                            json.field("places", source.places)
                            json.field("imported_at", source.importedAt)
                        }
                    }
                }
            } else {
                printTable(sources.map { [$0.name, $0.kind, String($0.places), $0.importedAt] })
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove an imported source.")

        @OptionGroup var dataOptions: DataOptions
        @Argument(help: "Its name, as `gazetteer sources` lists it.") var name: String

        func run() async throws {
            guard try await PlaceStore(dataOptions.openDatabase()).remove(name) else {
                throw ServiceError.invalid("name", "there is no source '\(name)'")
            }
        }
    }
}
