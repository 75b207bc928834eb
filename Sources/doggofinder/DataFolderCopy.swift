import Credentials
import Domain
import Foundation

/// Copies what a data folder contains besides the database and the photos.
struct DataFolderCopy {
    /// Folders and files that the database refers to, or that cannot be made again.
    private static let names = Backup.keyFiles + ["models", "imports", BreachedPasswords.fileName]

    private let source: URL
    private let target: URL

    init(from source: URL, to target: URL) {
        self.source = source
        self.target = target
    }

    /// The folder of the target with files of imports.
    var imports: URL { target.appending(path: "imports") }

    /// Throws `conflict` if the target has another key: what the database contains could not be read with it.
    func throwIfOtherKeys() throws {
        for name in Backup.keyFiles {
            let (original, copy) = (contents(source, name), contents(target, name))
            guard let original, let copy, original != copy else { continue }
            throw ServiceError(
                .conflict,
                "\(target.appending(path: name).path) is another key than the one of the source: remove it, or choose another folder"
            )
        }
    }

    /// Copies what the target does not have.
    func copy(_ progress: ProgressReporter) throws {
        for name in Self.names where exists(source, name) && !exists(target, name) {
            progress.begin("copying \(name)")
            // Renamed at the end, so that an interrupted copy does not look complete.
            let partial = target.appending(path: ".\(name).part")
            if FileManager.default.fileExists(atPath: partial.path) { try FileManager.default.removeItem(at: partial) }
            try FileManager.default.copyItem(at: source.appending(path: name), to: partial)
            try FileManager.default.moveItem(at: partial, to: target.appending(path: name))
        }
    }

    private func exists(_ folder: URL, _ name: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: name).path)
    }

    private func contents(_ folder: URL, _ name: String) -> Data? {
        FileManager.default.contents(atPath: folder.appending(path: name).path)
    }
}
