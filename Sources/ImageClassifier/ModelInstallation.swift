import CLinux
import Foundation

/// Copies the files of a model into a folder of models. The copy is atomic, and it is written to disk before it becomes
/// visible.
struct ModelInstallation {
    private static let unfinished = ".installing-"

    let directory: URL
    /// Writes a file and waits until it is on disk.
    var write = Self.write

    /// Installs the model and removes an older model with the same id.
    ///
    /// - Returns: The model's folder, whose name is the id.
    func install(_ model: ModelFolder) throws(ModelError) -> URL {
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        } catch {
            throw .file(path: directory.path, reason: "\(error)")
        }
        let lock = try Folder(directory)
        try lock.waitForOthers()
        removeUnfinished()
        let target = directory.appending(path: model.manifest.id)
        let copy = directory.appending(path: Self.unfinished + model.manifest.id)
        defer { removeUnfinished() }
        guard mkdir(copy.path, 0o755) == 0 else { throw ModelFile.failure(copy) }
        try write(model.manifestBytes, copy.appending(path: ModelFolder.manifestName))
        try write(model.network, copy.appending(path: ModelFolder.networkName))
        if let projection = model.projection { try write(projection, copy.appending(path: ModelFolder.projectionName)) }
        try Folder(copy).synchronize()
        let exchanged = FileManager.default.fileExists(atPath: target.path) ? UInt32(RENAME_EXCHANGE) : 0
        guard renameat2(AT_FDCWD, copy.path, AT_FDCWD, target.path, exchanged) == 0 else {
            throw ModelFile.failure(target)
        }
        try lock.synchronize()
        return target
    }

    /// Removes the leftovers of a killed installation, and the older model after it was exchanged with the newer one.
    private func removeUnfinished() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names where name.hasPrefix(Self.unfinished) {
            try? FileManager.default.removeItem(at: directory.appending(path: name))
        }
    }

    private static func write(_ data: Data, _ url: URL) throws(ModelError) {
        do {
            try data.write(to: url)
            let file = try FileHandle(forUpdating: url)
            try file.synchronize()
            try file.close()
        } catch {
            throw .file(path: url.path, reason: "\(error)")
        }
    }
}

/// An open folder, used for locking and synchronizing.
private final class Folder {
    private let url: URL
    private let descriptor: Int32

    init(_ url: URL) throws(ModelError) {
        self.url = url
        descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ModelFile.failure(url) }
    }

    deinit {
        close(descriptor)
    }

    /// Waits for an exclusive lock on the folder and holds it until the object is released.
    func waitForOthers() throws(ModelError) {
        guard flock(descriptor, LOCK_EX) == 0 else { throw ModelFile.failure(url) }
    }

    /// Waits until the folder's entries are on disk.
    func synchronize() throws(ModelError) {
        guard fsync(descriptor) == 0 else { throw ModelFile.failure(url) }
    }
}
