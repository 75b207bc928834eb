import ArgumentParser
import BreedModel
import Credentials
import Domain
import Foundation
import Gazetteer
import Geodata
import ImageClassifier
import Logging
import MapDatabase
import Matching
import Migrations
import ObjectStorage
import Photos
import SQL
import Server
import Storage

/// The options for the data folder, which all commands share.
struct DataOptions: ParsableArguments {
    @Option(help: "The folder of the database. (default: data)")
    var data: String?

    @Option(
        help: ArgumentHelp(
            "A PostgreSQL database in place of the data folder's, like postgresql://user@host1,host2/doggofinder. (default: none)",
            valueName: "address"
        )
    )
    var database: String?

    @Option(help: "A folder with gazetteer.bin, breeds.tsv and demo's extract to use instead of the bundled ones.")
    var geodata: String?

    @Option(
        help: ArgumentHelp(
            "A file of variables, NAME=value, that the environment does not set; none reads no file. (default: \(ConfigurationFile.defaultPath), if it exists)",
            valueName: "file"
        )
    )
    var config: String?

    @Option(
        help: ArgumentHelp(
            "Progress on standard error: auto (only on a terminal), plain, json (an object a line) or none. (default: auto)",
            valueName: "format"
        )
    )
    var progress: String?

    @OptionGroup var photoOptions: PhotoOptions

    /// Reads the configuration file before the command begins, because all other options may come from it.
    func validate() throws {
        try ConfigurationFile.load(config ?? Environment.variable("config"))
        _ = try Environment.choice("progress", progress, default: ProgressFormat.auto)
    }

    var progressFormat: ProgressFormat { (try? Environment.choice("progress", progress, default: .auto)) ?? .auto }

    func makeProgress() -> ProgressReporter { ProgressReporter(progressFormat) }

    /// Opens an existing database and brings it up to date. Throws if there is none.
    func openDatabase(bulk: Bool = false) async throws -> any Database {
        try requireDatabase()
        return try await openOrCreateDatabase(bulk: bulk)
    }

    /// Opens the database, creates and migrates it if necessary, and updates the table of breeds. For commands that an
    /// operator may begin a new data folder with.
    ///
    /// - Parameters:
    ///   - bulk: whether the connections are those of a command that writes much.
    ///   - maxReadDuration: after this time, a read is interrupted; nil for no limit.
    ///   - standby: the address of a standby, which answers some of the reads.
    func openOrCreateDatabase(
        bulk: Bool = false,
        maxReadDuration: Duration? = nil,
        standby: String? = nil
    ) async throws -> any Database {
        let database = try openUnmigrated(bulk: bulk, maxReadDuration: maxReadDuration, standby: standby)
        _ = try migrate(database)
        try database.throwIfUnfinishedCopy()
        try await BreedStore(database).put(try breeds())
        return database
    }

    func openUnmigrated(
        bulk: Bool = false,
        maxReadDuration: Duration? = nil,
        standby: String? = nil
    ) throws -> any Database {
        let variable = Environment.text("database-read")
        let reading = try (standby ?? variable).map {
            try postgresAddress($0, isOnCommandLine: standby != nil, option: "database-read", .reading)
        }
        guard let address = try postgresAddress() else {
            guard standby == nil else { throw ServiceError.invalid("database-read", "expected with --database") }
            return try openUnmigratedFile(bulk: bulk, maxReadDuration: maxReadDuration)
        }
        return try PostgresDatabase(address, standby: reading, folder: directory, maxReadDuration: maxReadDuration)
    }

    func openUnmigratedFile(bulk: Bool = false, maxReadDuration: Duration? = nil) throws -> DatabaseFile {
        do {
            return try DatabaseFile(directory: directory, bulk: bulk, maxReadDuration: maxReadDuration)
        } catch let error as CocoaError {
            throw ServiceError.invalid("data", "\(directory.path) cannot be used as a folder: \(error.reason)")
        } catch {
            throw StorageFaults(folder: directory).note(error).map { startError($0, error) } ?? error
        }
    }

    /// Returns an error that explains to the operator why the database cannot be opened.
    private func startError(_ fault: StorageFault, _ cause: any Error) -> ServiceError {
        let file = directory.appending(path: DatabaseFile.fileName).path
        let cause = "\(cause)"
        for path in [directory.path, file] where access(path, R_OK | W_OK) != 0 && errno != ENOENT {
            return ServiceError(.diskFailing, "\(path) cannot be written to: \(String(cString: strerror(errno)))")
        }
        guard fault == .damaged else {
            return ServiceError(fault.serviceError.code, "\(file): \(fault.serviceError.message) (\(cause))")
        }
        return ServiceError(.diskFailing, "\(file) is damaged, or no database: restore a backup (\(cause))")
    }

    /// Opens an existing database as it is, for commands that only read.
    func openExisting() throws -> any Database {
        try requireDatabase()
        return try openUnmigrated()
    }

    /// The address of the PostgreSQL database; nil if the data folder contains the database.
    func postgresAddress() throws -> PostgresAddress? {
        try (database ?? Environment.text("database")).map {
            try postgresAddress($0, isOnCommandLine: database != nil, option: "database", .writing)
        }
    }

    func postgresAddress(
        _ text: String,
        isOnCommandLine: Bool,
        option: String,
        _ purpose: PostgresAddress.Purpose
    ) throws -> PostgresAddress {
        guard PostgresAddress.isAddress(text) else {
            throw ServiceError.invalid(option, "expected an address like postgresql://user@host1,host2/doggofinder")
        }
        let address = try PostgresAddress(text, purpose: purpose)
        guard !isOnCommandLine || !address.hasPassword else {
            throw ServiceError.invalid(
                option,
                "other users see a password on the command line: write the address into the configuration file"
            )
        }
        return address
    }

    /// A missing database means that the folder's name is wrong, and creating one would hide that.
    private func requireDatabase() throws(ServiceError) {
        guard hasDatabase || isOnServer else {
            throw .invalid("data", "there is no DoggoFinder data in \(directory.path)")
        }
    }

    /// Runs `body` and replaces storage faults with explanatory errors. The folder's disk is checked for free space.
    static func mappingFaults<Value>(_ folder: URL, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            throw StorageFaults(folder: folder).note(error)?.serviceError ?? error
        }
    }

    private var hasDatabase: Bool {
        FileManager.default.fileExists(atPath: directory.appending(path: DatabaseFile.fileName).path)
    }

    private var isOnServer: Bool { (database ?? Environment.text("database")) != nil }

    var directory: URL { URL(filePath: data ?? Environment.text("data") ?? "data") }

    /// The folder of map databases.
    var mapFolder: URL { directory.appending(path: MapFolder.name) }

    var addresses: MapAddresses { MapAddresses(MapFolder(mapFolder)) }

    /// The data folder. Throws if it contains no database.
    func existingDirectory() throws(ServiceError) -> URL {
        try requireDatabase()
        return directory
    }

    /// The folder of the photos, or the one in which they arrive.
    var photoDisk: URL { photoOptions.folder ?? directory }

    func photoFiles() throws -> any PhotoFiles { try photoOptions.files(data: directory) }

    /// Refuses new passwords that are in the list of breached passwords, if one is installed.
    var passwordHasher: PasswordHasher { PasswordHasher(breached: BreachedPasswords(folder: directory)) }

    /// Deletes the files of deleted photos. Call it after a command that deleted listings, photos or accounts.
    ///
    /// The result of the command remains if the files cannot be deleted now.
    func sweepPhotos() async throws {
        let (files, photos) = (try photoFiles(), PhotoStore(try openUnmigrated()))
        do {
            try await photos.sweep { await files.remove($0) }
        } catch is PhotosAreCopied {
            // The next sweep deletes them.
        } catch let failure as BucketFailure {
            printError("the files of removed photos are still in \(files), until the server removes them: \(failure)")
        }
    }

    /// The model that recognises breeds in photos. Returns nil if it is not chosen by its id and cannot be used.
    func breedModel(_ id: String?, _ logger: Logger) async throws -> ImageModel? {
        do {
            return try await models.model(id)
        } catch {
            if id != nil { throw error }
            logger.warning("no breeds are recognised in photos", metadata: ["reason": "\(error)"])
            return nil
        }
    }

    func photoService(
        _ database: any Database,
        files: any PhotoFiles,
        model: ImageModel?,
        breeds: Breeds,
        matchReader: MatchReader,
        quota: Quota,
        reserve: DiskReserve
    ) throws -> PhotoService {
        PhotoService(
            photos: PhotoStore(database, quota: quota),
            reports: ReportStore(database),
            files: files,
            scratch: ScratchFolder(directory),
            reserve: reserve,
            processor: try PhotoProcessor.besideThisProgram(),
            recogniser: BreedRecogniser(model: model, breeds: breeds, matchReader)
        )
    }

    /// The installed models and the bundled one.
    var models: ModelRegistry {
        ModelRegistry(
            directories: [directory.appending(path: "models"), BreedModel.models],
            labelMaps: BreedModel.labelMaps,
            defaultModel: BreedModel.id
        )
    }

    /// The gazetteer including the data imported into a database. Places near `home`, where the site's users are, come first.
    func gazetteer(_ database: any Database, home: Coordinate? = nil) throws -> Gazetteer {
        try Gazetteer(directory: geodataDirectory, imported: PlaceStore(database), home: home)
    }

    /// The gazetteer including imported data if there is a database that contains imports. Does not migrate the
    /// database.
    func gazetteer() throws -> Gazetteer {
        guard hasDatabase || isOnServer else { return try bundledGazetteer() }
        let database = try openUnmigrated()
        return try PlaceStore(database).isThere() ? gazetteer(database) : bundledGazetteer()
    }

    /// Returns the middle of the area where maps start, or of the region that the operator names; nil if there is neither.
    func home(of site: SiteSettings) throws -> Coordinate? {
        if let area = site.mapArea { return area.middle }
        guard let region = site.region else { return nil }
        let found = try bundledGazetteer().place(named: region, language: .italian)
        return found.flatMap { $0.level == .country ? nil : $0.coordinate }
    }

    /// Returns where maps start: the area that the operator states, or that of the region that the operator names; nil if there is neither.
    func mapArea(of site: SiteSettings) throws -> BoundingBox? {
        if let area = site.mapArea { return area }
        guard let region = site.region else { return nil }
        let gazetteer = try bundledGazetteer()
        for language in Language.allCases {
            // A region may be called "Provincia di Salerno" or "Lost dogs of Bavaria".
            guard let place = try gazetteer.place(named: region, language: language), place.level > .comune,
                let name = place.name, region.folded.contains(name.folded)
            else { continue }
            return place.level == .country ? place.countryCode.flatMap(gazetteer.mainland) : gazetteer.extent(of: place)
        }
        return nil
    }

    func bundledGazetteer() throws -> Gazetteer { try Gazetteer(directory: geodataDirectory) }

    func breeds() throws -> Breeds {
        let url = geodataDirectory.appending(path: "breeds.tsv")
        guard let table = try? Data(contentsOf: url) else {
            throw ServiceError.invalid("geodata", "\(url.path) cannot be read")
        }
        return try Breeds(tsv: table)
    }

    /// The extract of OpenStreetMap that `demo` imports.
    func demoExtract() throws -> URL {
        let url = geodataDirectory.appending(path: "valletta.osm.pbf")
        guard FileManager.default.isReadableFile(atPath: url.path) else {
            throw ServiceError.invalid("geodata", "\(url.path) cannot be read")
        }
        return url
    }

    private var geodataDirectory: URL {
        (geodata ?? Environment.text("geodata")).map { URL(filePath: $0) } ?? Geodata.directory
    }
}

/// The option `--json`, for commands with machine-readable output.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON, one object a line.")
    var json = false
}

extension CocoaError {
    /// The system's error message without the surrounding error.
    var reason: String {
        (underlying as? POSIXError).map { String(cString: strerror($0.code.rawValue)) } ?? localizedDescription
    }
}
