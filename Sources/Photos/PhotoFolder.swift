import Domain
package import Foundation
package import SystemPackage

/// The files of the photos, beside the database: three sizes of each, in folders by the first two digits of its id.
///
/// Their names say nothing of whose they are, and what is in them never changes.
package struct PhotoFolder: Sendable {
    private let root: URL
    private let lock: FilePath

    /// - Parameter data: the folder of the database.
    package init(data: URL) {
        root = data.appending(path: "photos")
        lock = FilePath(data.appending(path: "photos.lock").path)
    }

    /// A file without a name, which is gone when it is closed, whatever happens.
    package func scratchFile() throws -> FileDescriptor {
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        do {
            return try FileDescriptor.open(
                FilePath(root.path),
                .readWrite,
                options: Self.nameless,
                permissions: .ownerReadWrite
            )
        } catch Errno.notSupported, Errno.isDirectory {
            // Some file systems have only files with names.
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

    /// On disk, all of it, when this returns.
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

    /// Names reach the disk with the folder that holds them.
    private func synchronize(_ folder: URL) throws {
        let file = try FileDescriptor.open(FilePath(folder.path), .readOnly)
        try file.closeAfter { guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) } }
    }

    /// Which of a photo's files are not there.
    package func missing(_ id: UUID) -> [URL] {
        PhotoProcessor.sides.map { url(id, side: $0) }.filter { !FileManager.default.fileExists(atPath: $0.path) }
    }

    /// Which of a photo's files are missing, or are cut off or overwritten as far as their ends tell.
    package func damaged(_ id: UUID) -> [URL] {
        PhotoProcessor.sides.map { url(id, side: $0) }.filter { !Self.isWhole($0) }
    }

    /// A JPEG begins and ends with marks of its own, of two bytes each.
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

    /// Every file that lies there, by the name of its photo: whoever checks looks for those of no photo.
    package func files() -> [(url: URL, photo: UUID?)] {
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: [.isRegularFileKey])
        return (files?.compactMap { $0 as? URL } ?? []).filter { !$0.hasDirectoryPath }.map { file in
            let id = UUID(uuidString: String(file.lastPathComponent.prefix(36)))
            let known = id.map { id in PhotoProcessor.sides.contains { url(id, side: $0).path == file.path } } ?? false
            return (file, known ? id : nil)
        }
    }

    /// Into another such folder. On one disk both share the bytes: a file never changes.
    ///
    /// - Parameter previous: an earlier copy, whose bytes are shared first where they are the same.
    /// - Returns: whether all of it was shared.
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

    /// What shares its bytes is not read: most photos of a backup on the same disk.
    private static func areSame(_ one: URL, _ other: URL) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(one.path, &first) == 0, stat(other.path, &second) == 0, first.st_size == second.st_size else {
            return false
        }
        if first.st_dev == second.st_dev, first.st_ino == second.st_ino { return true }
        guard let bytes = try? Data(contentsOf: one), let others = try? Data(contentsOf: other) else { return false }
        return bytes == others
    }

    /// Nobody removes a file meanwhile, in no process: a copy of the database names photos that may be gone before they are copied.
    package func keepingAll<Value>(_ body: () async throws -> Value) async throws -> Value {
        let file: FileDescriptor
        do {
            file = try openLock()
        } catch Errno.readOnlyFileSystem {
            return try await body()
        }
        // Closing frees it, and so does the end of the process.
        defer { try? file.close() }
        // Those who remove share it, each for three files alone.
        guard flock(file.rawValue, LOCK_EX) == 0 else { throw Errno(rawValue: errno) }
        return try await body()
    }

    private func openLock() throws -> FileDescriptor {
        try FileDescriptor.open(lock, .readWrite, options: [.create, .closeOnExec], permissions: [.ownerReadWrite])
    }

    /// Throws `Errno.wouldBlock` while somebody copies.
    package func remove(_ id: UUID) throws {
        let file = try openLock()
        defer { try? file.close() }
        guard flock(file.rawValue, LOCK_SH | LOCK_NB) == 0 else { throw Errno(rawValue: errno) }
        for side in PhotoProcessor.sides {
            guard unlink(url(id, side: side).path) == 0 || errno == ENOENT else { throw Errno(rawValue: errno) }
        }
    }

    /// O_TMPFILE, a macro that Swift does not see.
    private static let nameless = FileDescriptor.OpenOptions(rawValue: 0o20_000_000 | O_DIRECTORY)

    private func folder(of name: String) -> URL { root.appending(path: String(name.prefix(2))) }
}
