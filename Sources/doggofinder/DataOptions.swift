import ArgumentParser
import Domain
import Foundation
import Gazetteer
import Geodata
import Storage

/// Where the data is; the same for every command.
struct DataOptions: ParsableArguments {
    @Option(help: "The folder of the database. (default: data)")
    var data: String?

    @Option(help: "A folder with gazetteer.bin and breeds.tsv to use instead of the bundled ones.")
    var geodata: String?

    /// Opens the database, made and migrated where needed, with the breeds it refers to.
    func openDatabase() async throws -> DatabaseFile {
        let database = try openUnmigrated()
        _ = try database.migrate()
        try await BreedStore(database).put(try breeds())
        return database
    }

    func openUnmigrated() throws -> DatabaseFile {
        try DatabaseFile(directory: directory)
    }

    var directory: URL { URL(filePath: data ?? Environment.text("data") ?? "data") }

    func gazetteer() throws -> Gazetteer { try Gazetteer(directory: geodataDirectory) }

    func breeds() throws -> Breeds {
        try Breeds(tsv: Data(contentsOf: geodataDirectory.appending(path: "breeds.tsv")))
    }

    private var geodataDirectory: URL {
        (geodata ?? Environment.text("geodata")).map { URL(filePath: $0) } ?? Geodata.directory
    }
}

/// `--json`, for the commands that print for machines too.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON, one object a line.")
    var json = false
}
