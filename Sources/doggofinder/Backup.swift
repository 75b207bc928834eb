import ArgumentParser
import Domain
import Foundation
import Photos
import Storage

struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy the database and the photos into a folder, checked, while the server runs.",
        discussion: "The copy is used by naming the folder as --data."
    )

    @OptionGroup var dataOptions: DataOptions

    @Argument(help: "The folder to make; it must not hold a database yet.")
    var folder: String

    func run() async throws {
        let directory = URL(filePath: folder)
        let target = directory.appending(path: DatabaseFile.fileName)
        guard !FileManager.default.fileExists(atPath: target.path) else {
            throw ServiceError(.conflict, "\(target.path) exists: a backup never overwrites")
        }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let database = try dataOptions.openExisting()
        let begin = Timestamp.now
        // Under another name until it is whole and sound.
        let partial = directory.appending(path: DatabaseFile.fileName + ".part")
        try? FileManager.default.removeItem(at: partial)
        let line = ProgressLine()
        do {
            try database.backup(to: partial) { line.show("backup \(Int($0 * 100)) %") }
            line.end()
            let check = try await DatabaseFile.check(copy: partial)
            guard check.isSound else { throw ServiceError(.unavailable, "the copy is not sound: run check") }
            try copyPhotos(of: partial, to: PhotoFolder(data: directory), line)
            try FileManager.default.moveItem(at: partial, to: target)
            try database.recordBackup(begunAt: begin)
            print("\(target.path): \(check.counts.map { "\($0.rows) \($0.table)" }.joined(separator: ", "))")
        } catch {
            try? FileManager.default.removeItem(at: partial)
            throw error
        }
    }

    /// Of the photos the copy knows; one that was removed since is missing from both sides.
    private func copyPhotos(of copy: URL, to folder: PhotoFolder, _ line: ProgressLine) throws {
        let ids = try PhotoStore.ids(inCopy: copy)
        for (number, id) in ids.enumerated() where dataOptions.photoFolder.missing(id).isEmpty {
            try dataOptions.photoFolder.copy(id, to: folder)
            if number % 100 == 0 { line.show("photos \(100 * number / ids.count) %") }
        }
        line.end()
    }
}
