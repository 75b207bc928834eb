import Domain
import Foundation
import SQL
import Storage

/// Where a database is: a data folder with a database file, or a PostgreSQL server with the data folder of a node.
struct DatabasePlace: Equatable {
    let folder: URL
    var address: PostgresAddress?

    /// Whether there is a database file, or a server may have a database.
    var exists: Bool {
        address != nil || FileManager.default.fileExists(atPath: folder.appending(path: DatabaseFile.fileName).path)
    }

    /// Whether both are the same database, as far as their names tell.
    static func == (a: DatabasePlace, b: DatabasePlace) -> Bool {
        if let one = a.address, let other = b.address { return one.description == other.description }
        let paths = [a, b].map { $0.folder.standardizedFileURL.resolvingSymlinksInPath().path }
        return a.address == nil && b.address == nil && paths[0] == paths[1]
    }
}

extension DataOptions {
    /// The data folder or the address that an option names; nil for where the service stores its data.
    func place(_ text: String?, _ option: String) throws -> DatabasePlace {
        guard let text else { return DatabasePlace(folder: directory, address: try postgresAddress()) }
        guard PostgresAddress.isAddress(text) else { return DatabasePlace(folder: URL(filePath: text)) }
        return DatabasePlace(
            folder: directory,
            address: try postgresAddress(text, isOnCommandLine: true, option: option, .writing)
        )
    }

    func open(_ place: DatabasePlace) throws -> any Database {
        if let address = place.address { return try PostgresDatabase(address, folder: place.folder) }
        var options = self
        options.data = place.folder.path
        return try options.openUnmigratedFile()
    }

    func openExisting(_ place: DatabasePlace) throws -> any Database {
        guard place.exists else {
            throw ServiceError.invalid("data", "there is no DoggoFinder data in \(place.folder.path)")
        }
        return try open(place)
    }
}
