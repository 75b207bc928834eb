import Domain
package import Foundation
package import SystemPackage

/// The files of the photos, beside the database: three sizes of each, in folders by the first two digits of its id.
///
/// Their names say nothing of whose they are, and what is in them never changes.
package struct PhotoFolder: Sendable {
    private let root: URL

    /// - Parameter data: the folder of the database.
    package init(data: URL) {
        root = data.appending(path: "photos")
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
    package func write(_ photo: DevelopedPhoto, id: UUID) throws {
        do {
            for (side, jpeg) in zip(PhotoDeveloper.sides, photo.jpegs) {
                try write(jpeg.bytes, to: url(id, side: side))
            }
            try synchronize(folder(of: id.uuidString.lowercased()))
        } catch let error as Errno {
            try? remove(id)
            if error == .noSpace || error == .diskQuotaExceeded {
                throw ServiceError(.unavailable, "there is no room left for photos")
            }
            throw error
        }
    }

    private func write(_ bytes: [UInt8], to url: URL) throws {
        let folder = url.deletingLastPathComponent()
        if !FileManager.default.fileExists(atPath: folder.path) {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try synchronize(root)
        }
        let file = try FileDescriptor.open(
            FilePath(url.path),
            .writeOnly,
            options: [.create, .truncate],
            permissions: [.ownerReadWrite, .groupRead]
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
        PhotoDeveloper.sides.map { url(id, side: $0) }.filter { !FileManager.default.fileExists(atPath: $0.path) }
    }

    /// Into another such folder. On one disk both share the bytes: a file never changes.
    package func copy(_ id: UUID, to other: PhotoFolder) throws {
        for side in PhotoDeveloper.sides {
            let (source, target) = (url(id, side: side), other.url(id, side: side))
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            if link(source.path, target.path) == 0 || errno == EEXIST { continue }
            try FileManager.default.copyItem(at: source, to: target)
        }
    }

    package func remove(_ id: UUID) throws {
        for side in PhotoDeveloper.sides {
            guard unlink(url(id, side: side).path) == 0 || errno == ENOENT else { throw Errno(rawValue: errno) }
        }
    }

    /// O_TMPFILE, a macro that Swift does not see.
    private static let nameless = FileDescriptor.OpenOptions(rawValue: 0o20_000_000 | O_DIRECTORY)

    private func folder(of name: String) -> URL { root.appending(path: String(name.prefix(2))) }
}
