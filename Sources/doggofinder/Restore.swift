import ArgumentParser
import Domain
import Foundation
import ObjectStorage
import Photos
import Storage

struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a data folder of a backup, after a look whether the backup is whole.",
        discussion: """
            Who has an account signs in again: a log-out, or a new password, since the backup would count for nothing else. Links in mails \
            of before lead nowhere: they may have been used. Guests stay signed in: their token is all that they have. Photos go \
            where --photos says; those that a bucket or shared folder holds already stay as they are. With --database, the rows \
            go into a PostgreSQL database, which must be empty; an interrupted restore goes on when it is repeated.
            """
    )

    @OptionGroup var dataOptions: DataOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "A backup, or a folder of backups, of which the newest is taken.")
    var backup: String

    func run() async throws {
        let source = try source()
        let target = dataOptions.directory
        guard (try? FileManager.default.contentsOfDirectory(atPath: target.path))?.isEmpty ?? true else {
            throw ServiceError(.conflict, "\(target.path) is not empty: a restore never overwrites")
        }
        let progress = dataOptions.makeProgress()
        defer { progress.end() }
        try await DataOptions.mappingFaults(target) {
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            let new = try NewFolder(target)
            do {
                let check = try await fill(new.partial, from: source, progress)
                try new.finish()
                tell(source, check)
            } catch {
                new.discard()
                throw error
            }
        }
    }

    private func source() throws -> URL {
        let folder = URL(filePath: backup)
        if BackupFolder.holdsDatabase(folder) { return folder }
        guard let newest = BackupFolder(url: folder).backups.last else {
            throw ServiceError.invalid("backup", "there is no backup in \(folder.path)")
        }
        return newest
    }

    /// Copies all files without hard links, so that the data and the backup share nothing.
    private func fill(_ folder: URL, from source: URL, _ progress: ProgressReporter) async throws -> CopyCheck {
        let target = dataOptions.directory
        let copy = folder.appending(path: DatabaseFile.fileName)
        // Copies through SQLite, because the newest data of a database in use is in the log beside it.
        progress.begin("copying the database")
        try DatabaseFile.copy(source.appending(path: DatabaseFile.fileName), to: copy) {
            progress.update(fraction: $0)
        }
        var check = try sound(try await CopyCheck(of: folder, photosIn: source, progress: progress), of: source)
        // Photos in a data folder are copied with it.
        let isInDataFolder = try dataOptions.photoOptions.isInDataFolder(target)
        for name in (isInDataFolder ? ["photos"] : []) + ["models"] + Backup.keyFiles
        where FileManager.default.fileExists(atPath: source.appending(path: name).path) {
            progress.begin("copying \(name)")
            try FileManager.default.copyItem(at: source.appending(path: name), to: folder.appending(path: name))
        }
        if try DatabaseFile.schemaAge(ofCopy: copy) == .older {
            try DatabaseFile.migrate(copy: copy) { progress.show($0, expectedSeconds: nil) }
            check = try sound(
                try await CopyCheck(of: folder, photosIn: isInDataFolder ? folder : source, progress: progress),
                of: source
            )
        }
        if !isInDataFolder { try await restorePhotos(of: copy, from: source, progress) }
        if try dataOptions.postgresAddress() == nil {
            try DatabaseFile.restore(inCopy: copy, by: .commandLine)
        } else {
            try restoreToServer(copy, progress)
        }
        return check
    }

    /// Moves the rows of a database file to the PostgreSQL database.
    private func restoreToServer(_ copy: URL, _ progress: ProgressReporter) throws {
        guard let server = try dataOptions.openUnmigrated() as? PostgresDatabase else { return }
        // A database with an older schema is not empty, and remains as it is.
        if try server.schemaAge() == .foreign { _ = try dataOptions.migrate(server) }
        let lock = try server.lockAgainstServers()
        defer { withExtendedLifetime(lock) {} }
        try server.restore(copy, by: .commandLine, progress: progress.stepsOfCopy())
        try DatabaseCopy.arrangeIndexes(of: server, progress.stepsOfCopy())
        try server.close()
        // A database that is closed has no other files.
        try FileManager.default.removeItem(at: copy)
    }

    /// Copies the photos into the folder or bucket that several servers share. Files that are there already stay.
    private func restorePhotos(of copy: URL, from source: URL, _ progress: ProgressReporter) async throws {
        let files = try dataOptions.photoFiles()
        let ids = try CopyCheck.photos(inCopy: copy)
        progress.begin("copying photos to \(files)", total: ids.count)
        do {
            try await files.check()
            try await files.restore(ids, from: PhotoFolder(data: source)) { progress.update($0) }
        } catch let failure as BucketFailure {
            throw ServiceError(
                .unavailable,
                "\(files): \(failure); there is no new data folder, and a repeated restore goes on from here"
            )
        }
    }

    private func sound(_ check: CopyCheck, of source: URL) throws -> CopyCheck {
        guard check.problems.isEmpty else {
            for problem in check.problems.prefix(20) { printError(problem) }
            throw ServiceError(.diskFailing, "\(source.path) is damaged: nothing was restored")
        }
        return check
    }

    private func tell(_ source: URL, _ check: CopyCheck) {
        guard output.json else {
            print(
                "\(dataOptions.directory.path) from \(source.path): "
                    + check.counts.map { "\($0.rows) \($0.table)" }.joined(separator: ", ")
            )
            return
        }
        printJSONObject { json in
            json.field("data", dataOptions.directory.path)
            json.field("backup", source.path)
            for (table, rows) in check.counts { json.field(named: table, rows) }
        }
    }
}
