import Domain
package import Foundation
package import SystemPackage

/// The files of the photos, in a folder beside the database: three sizes of each photo, in subfolders named by the
/// first two digits of its id.
///
/// The names do not identify the owners, and the contents of a file never change.
package struct PhotoFolder: Sendable {
    private let root: URL
    private let lock: FilePath

    /// - Parameter data: the folder of the database.
    package init(data: URL) {
        root = data.appending(path: "photos")
        lock = FilePath(data.appending(path: "photos.lock").path)
    }

    /// Opens a temporary file without a name, which the system deletes when it is closed, even after a crash.
    package func scratchFile() throws -> FileDescriptor {
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        do {
            return try FileDescriptor.open(
                FilePath(root.path),
                .readWrite,
                options: Self.temporaryFile,
                permissions: .ownerReadWrite
            )
        } catch Errno.notSupported, Errno.isDirectory {
            // Some file systems do not support files without names.
            let path = FilePath(root.appending(path: ".\(UUID().uuidString)").path)
            let file = try FileDescriptor.open(
                path,
                .readWrite,
                options: [.create, .exclusiveCreate],
                permissions: .ownerReadWrite
            )
            unlink(path.string)
            return file
        }
    }

    package func url(_ id: UUID, side: Int) -> URL {
        let name = id.uuidString.lowercased()
        return folder(of: name).appending(path: "\(name)-\(side).jpg")
    }

    /// Writes the files of a photo. They are on the disk when this method returns.
    package func write(_ photo: ProcessedPhoto, id: UUID) throws {
        do {
            for (side, jpeg) in zip(PhotoProcessor.sides, photo.jpegs) {
                try write(jpeg.bytes, to: url(id, side: side))
            }
            try synchronize(folder(of: id.uuidString.lowercased()))
        } catch {
            try? remove(id)
            throw error
        }
    }

    private func write(_ bytes: [UInt8], to url: URL) throws {
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

    /// Writes the directory entries of a folder to the disk (`fsync`).
    private func synchronize(_ folder: URL) throws {
        let file = try FileDescriptor.open(FilePath(folder.path), .readOnly)
        try file.closeAfter { guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) } }
    }

    /// Returns the files of a photo that do not exist.
    package func missing(_ id: UUID) -> [URL] {
        PhotoProcessor.sides.map { url(id, side: $0) }.filter { !FileManager.default.fileExists(atPath: $0.path) }
    }

    /// Returns the files of a photo that are missing, or whose first or last bytes show that they are truncated or
    /// overwritten.
    package func damaged(_ id: UUID) -> [URL] {
        PhotoProcessor.sides.map { url(id, side: $0) }.filter { !Self.isWhole($0) }
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

    /// Returns all files in the folder with the id of their photo; nil if the file name does not belong to a photo.
    package func files() -> [(url: URL, photo: UUID?)] {
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: [.isRegularFileKey])
        return (files?.compactMap { $0 as? URL } ?? []).filter { !$0.hasDirectoryPath }.map { file in
            let id = UUID(uuidString: String(file.lastPathComponent.prefix(36)))
            let known = id.map { id in PhotoProcessor.sides.contains { url(id, side: $0).path == file.path } } ?? false
            return (file, known ? id : nil)
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
        for side in PhotoProcessor.sides {
            let (source, target) = (url(id, side: side), other.url(id, side: side))
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            if let old = previous?.url(id, side: side),
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
    private static func areSame(_ one: URL, _ other: URL) -> Bool {
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
        // Methods that remove files take a shared lock, each for only three files.
        guard flock(file.rawValue, LOCK_EX) == 0 else { throw Errno(rawValue: errno) }
        return try await body()
    }

    private func openLock() throws -> FileDescriptor {
        try FileDescriptor.open(lock, .readWrite, options: [.create, .closeOnExec], permissions: [.ownerReadWrite])
    }

    /// Removes the files of a photo. Throws `Errno.wouldBlock` while another process or task copies photos.
    package func remove(_ id: UUID) throws {
        let file = try openLock()
        defer { try? file.close() }
        guard flock(file.rawValue, LOCK_SH | LOCK_NB) == 0 else { throw Errno(rawValue: errno) }
        for side in PhotoProcessor.sides {
            guard unlink(url(id, side: side).path) == 0 || errno == ENOENT else { throw Errno(rawValue: errno) }
        }
        // The caller forgets the photo afterwards. After a power cut, a removal that is not on the disk would leave files
        // that nothing refers to.
        do { try synchronize(folder(of: id.uuidString.lowercased())) } catch Errno.noSuchFileOrDirectory {}
    }

    /// `O_TMPFILE`, a macro that is not available in Swift.
    private static let temporaryFile = FileDescriptor.OpenOptions(rawValue: 0o20_000_000 | O_DIRECTORY)

    private func folder(of name: String) -> URL { root.appending(path: String(name.prefix(2))) }
}
