import ArgumentParser
import Channels
import Credentials
import Domain
import Foundation
import Photos
import Storage

struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Copy database, photos and models into a new folder among other backups, checked, while the server runs.",
        discussion: """
            The copy is called by the time it was begun, and is whole by itself: `restore` makes a data folder of it. It \
            contains a database file also if the data is in PostgreSQL. It contains the photos also if they are in a bucket. Photos that the \
            backup before it holds share their bytes with it. Ends with 1 where photos are damaged or missing: then \
            it holds the others, and no older backup is removed.
            """
    )

    @OptionGroup var dataOptions: DataOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The folder of the backups.")
    var folder: String

    @Option(
        help: ArgumentHelp("How many backups to keep, this one included; older ones are removed.", valueName: "number")
    )
    var keep: Int?

    func validate() throws {
        if let keep, keep < 1 { throw ValidationError("keep: expected 1 or more") }
    }

    func run() async throws {
        let backups = BackupFolder(url: URL(filePath: folder))
        let database = try dataOptions.openExisting()
        try database.throwIfUnfinishedCopy()
        let places = [("data", dataOptions.directory), ("photos", dataOptions.photoOptions.folder)]
        for (name, place) in places where place.map(backups.isInside) == true {
            throw ServiceError.invalid(
                "folder",
                "\(backups.url.path) is in the \(name) folder, whose loss it is for: expected a folder elsewhere"
            )
        }
        let begin = Timestamp.now
        let target = backups.url.appending(path: BackupFolder.name(begunAt: begin))
        let problems = try await DataOptions.mappingFaults(backups.url) {
            try await backups.hold {
                let new = try NewFolder(target)
                do {
                    let check = try await fill(new.partial, of: database, previous: backups.backups.last)
                    try new.finish()
                    // Keeps the older backups if this one has problems, because they may contain files that are damaged
                    // now.
                    if check.problems.isEmpty { try backups.removeAll(butNewest: keep ?? .max, with: target) }
                    tell(target, check)
                    return check.problems
                } catch {
                    new.discard()
                    throw error
                }
            }
        }
        guard problems.isEmpty else {
            for problem in problems.prefix(20) { printError(problem) }
            printError("\(counted(problems.count, "problem")): the backup holds what there is; run check")
            throw ExitCode(1)
        }
        try database.recordBackup(begunAt: begin)
        try await AuditLog(database).recordIfMigrated(.databaseBackup, nil, by: .commandLine)
    }

    /// The files with keys. Without them, all browsers would have to subscribe again, and no code of an authenticator
    /// app would be right.
    static let keyFiles = [VAPIDKeyFile.name, SecondFactorKey.fileName]

    private func fill(_ folder: URL, of database: any Database, previous: URL?) async throws -> CopyCheck {
        let copy = folder.appending(path: DatabaseFile.fileName)
        let progress = dataOptions.makeProgress()
        defer { progress.end() }
        let files = try dataOptions.photoFiles()
        try await files.withRemovalLocked {
            progress.begin("copying the database")
            switch database {
            case let server as PostgresDatabase: try server.backup(to: copy, progress: progress.stepsOfCopy())
            case let file as DatabaseFile: try file.backup(to: copy) { progress.update(fraction: $0) }
            default: throw ServiceError(.unavailable, "there is no backup of this kind of database")
            }
            let ids = try CopyCheck.photos(inCopy: copy)
            progress.begin("copying photos", total: ids.count)
            try await files.copy(
                ids,
                to: PhotoFolder(data: folder),
                previous: previous.map(PhotoFolder.init(data:))
            ) { progress.update($0) }
        }
        // Imported gazetteer data is in the database; the bundled gazetteer is part of the program.
        let models = dataOptions.directory.appending(path: "models")
        if FileManager.default.fileExists(atPath: models.path) {
            try FileManager.default.copyItem(at: models, to: folder.appending(path: "models"))
        }
        for name in Self.keyFiles {
            let key = dataOptions.directory.appending(path: name)
            if FileManager.default.fileExists(atPath: key.path) {
                try FileManager.default.copyItem(at: key, to: folder.appending(path: name))
            }
        }
        let check = try await CopyCheck(of: folder, progress: progress)
        guard check.isDatabaseSound else {
            for problem in check.problems.prefix(20) { printError(problem) }
            throw ServiceError(.diskFailing, "the database is damaged, so there is no new backup: run check")
        }
        return check
    }

    private func tell(_ target: URL, _ check: CopyCheck) {
        guard output.json else {
            print("\(target.path): \(check.counts.map { "\($0.rows) \($0.table)" }.joined(separator: ", "))")
            return
        }
        printJSONObject { json in
            json.field("backup", target.path)
            for (table, rows) in check.counts { json.field(named: table, rows) }
            json.array("problems", check.problems) { $0.string($1) }
        }
    }
}
