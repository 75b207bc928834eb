import Domain
package import Foundation
import SystemPackage

/// The files of the photos in a folder, in subfolders named by the first two digits of their ids.
package struct PhotoFolder: Sendable {
    let root: URL
    private let lock: FilePath
    /// Whether the folder is one that the operator made. The one beside the database is made when it is needed.
    package let isShared: Bool

    /// The folder beside the database.
    ///
    /// - Parameter data: the folder of the database.
    package init(data: URL) {
        root = data.appending(path: "photos")
        lock = FilePath(data.appending(path: Self.lockName).path)
        isShared = false
    }

    /// A folder elsewhere, which several servers can share. The file by which they exclude each other is in it.
    package init(shared root: URL) {
        self.root = root
        lock = FilePath(root.appending(path: Self.lockName).path)
        isShared = true
    }

    static let lockName = "photos.lock"

    /// Whether it has no folder of photos.
    package func isEmpty() throws -> Bool {
        try !FileManager.default.contentsOfDirectory(atPath: root.path).contains { $0.utf8.count == 2 }
    }

    /// Whether another path leads to this folder.
    package func isFolder(_ other: URL) -> Bool {
        root.resolvingSymlinksInPath().standardizedFileURL.path
            == other.resolvingSymlinksInPath().standardizedFileURL.path
    }

    package func url(_ id: UUID, side: Int) -> URL { url(PhotoFileName(id, side: side)) }

    func url(_ name: PhotoFileName) -> URL { root.appending(path: "\(name)") }

    /// Writes the files of a photo. They are on the disk when this method returns.
    func writeFiles(of photo: ProcessedPhoto, id: UUID) throws {
        do {
            for (side, jpeg) in zip(PhotoProcessor.sides, photo.jpegs) {
                try write(jpeg.bytes, to: url(id, side: side))
            }
            try synchronize(folder(of: id))
        } catch {
            try? removeFiles(of: id)
            throw error
        }
    }

    func write(_ bytes: some Sequence<UInt8>, to url: URL) throws {
        let folder = url.deletingLastPathComponent()
        if !FileManager.default.fileExists(atPath: folder.path) {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try synchronize(root)
            try synchronize(root.deletingLastPathComponent())
        }
        let file = try FileDescriptor.open(
            FilePath(url.path),
            .writeOnly,
            options: [.create, .truncate],
            permissions: .ownerReadWrite
        )
        try file.closeAfter {
            try file.writeAll(bytes)
            guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
        }
    }

    /// Returns the files of a photo that do not exist, except one that can be missing.
    package func missing(_ id: UUID) -> [URL] {
        PhotoFileName.all(of: id).filter { !$0.canBeMissing && !exists($0) }.map(url)
    }

    func exists(_ name: PhotoFileName) -> Bool { FileManager.default.fileExists(atPath: url(name).path) }

    /// Returns the files of a photo that are missing, or whose first or last bytes show that they are truncated or
    /// overwritten.
    package func damaged(_ id: UUID) -> [URL] {
        PhotoFileName.all(of: id).filter { !$0.canBeMissing || exists($0) }.map(url).filter { !Self.isWhole($0) }
    }

    /// A JPEG file begins and ends with a marker of two bytes.
    private static func isWhole(_ url: URL) -> Bool {
        guard let file = try? FileDescriptor.open(FilePath(url.path), .readOnly) else { return false }
        defer { try? file.close() }
        var marks = [UInt8](repeating: 0, count: 4)
        return marks.withUnsafeMutableBytes { marks in
            guard let end = try? file.seek(offset: -2, from: .end), end >= 2,
                (try? file.read(fromAbsoluteOffset: 0, into: .init(rebasing: marks[..<2]))) == 2,
                (try? file.read(fromAbsoluteOffset: end, into: .init(rebasing: marks[2...]))) == 2
            else { return false }
            return marks.elementsEqual([0xFF, 0xD8, 0xFF, 0xD9])
        }
    }

    /// Copies a photo into another folder of this kind. On the same file system it creates hard links, which is safe
    /// because the files never change.
    ///
    /// - Parameter previous: an earlier copy. Files that are identical there are linked first.
    /// - Returns: whether all files were linked.
    @discardableResult
    package func copy(_ id: UUID, to other: PhotoFolder, previous: PhotoFolder? = nil) throws -> Bool {
        var isShared = true
        for name in PhotoFileName.all(of: id) where !name.canBeMissing || exists(name) {
            let (source, target) = (url(name), other.url(name))
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            if let old = previous?.url(name),
                Self.areSame(source, old),
                link(old.path, target.path) == 0
            {
                continue
            }
            if link(source.path, target.path) == 0 || errno == EEXIST { continue }
            try FileManager.default.copyItem(at: source, to: target)
            isShared = false
        }
        return isShared
    }

    /// Compares two files. Hard links to the same file are not read, which are most of the photos in a backup on the
    /// same disk.
    static func areSame(_ one: URL, _ other: URL) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(one.path, &first) == 0, stat(other.path, &second) == 0, first.st_size == second.st_size else {
            return false
        }
        if first.st_dev == second.st_dev, first.st_ino == second.st_ino { return true }
        guard let bytes = try? Data(contentsOf: one), let others = try? Data(contentsOf: other) else { return false }
        return bytes == others
    }

    /// Runs `body` while no process can remove files. Otherwise photos in a copy of the database could be deleted
    /// before their files are copied.
    package func withRemovalLocked<Value>(_ body: () async throws -> Value) async throws -> Value {
        let file: FileDescriptor
        do {
            file = try openLock()
        } catch Errno.readOnlyFileSystem {
            return try await body()
        }
        // The lock is released when the file is closed or the process ends.
        defer { try? file.close() }
        // Methods that remove files take a shared lock, each for only a few files.
        guard flock(file.rawValue, LOCK_EX) == 0 else { throw Errno(rawValue: errno) }
        return try await body()
    }

    private func openLock() throws -> FileDescriptor {
        try FileDescriptor.open(lock, .readWrite, options: [.create, .closeOnExec], permissions: [.ownerReadWrite])
    }

    /// Removes the files of a photo. Throws `PhotosAreCopied` while another process or task copies photos.
    package func removeFiles(of id: UUID) throws {
        let file = try openLock()
        defer { try? file.close() }
        guard flock(file.rawValue, LOCK_SH | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK ? PhotosAreCopied() : Errno(rawValue: errno)
        }
        for side in PhotoProcessor.sides {
            guard unlink(url(id, side: side).path) == 0 || errno == ENOENT else { throw Errno(rawValue: errno) }
        }
        // The caller forgets the photo afterwards. After a power cut, a removal that is not on the disk would leave files
        // that nothing refers to.
        do { try synchronize(folder(of: id)) } catch Errno.noSuchFileOrDirectory {}
    }

    /// Writes the directory entries of a folder to the disk (`fsync`).
    func synchronize(_ folder: URL) throws {
        let file = try FileDescriptor.open(FilePath(folder.path), .readOnly)
        try file.closeAfter { guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) } }
    }

    func folder(of photo: UUID) -> URL { url(photo, side: 0).deletingLastPathComponent() }
}
