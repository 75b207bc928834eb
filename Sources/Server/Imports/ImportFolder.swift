import Domain
import Foundation
import NIOCore
import SystemPackage

/// The files of imports that have not ended, in a folder beside the database.
struct ImportFolder: Sendable {
    private let root: URL

    /// - Parameter data: the folder of the database.
    init(data: URL) { root = data.appending(path: "imports") }

    func url(_ id: UUID) -> URL { root.appending(path: id.lowercased) }

    /// Writes a file as it arrives. It is on the disk when this method returns.
    ///
    /// - Parameter limit: in bytes.
    func write<Pieces: AsyncSequence & Sendable>(_ pieces: Pieces, id: UUID, limit: Int) async throws
    where Pieces.Element == ByteBuffer {
        // Contacts of animals' owners are for this user only.
        try FileManager.default.createDirectory(
            at: root,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let file = try SystemPackage.FileDescriptor.open(
            FilePath(url(id).path),
            .writeOnly,
            options: [.create, .exclusiveCreate],
            permissions: .ownerReadWrite
        )
        do {
            var size = 0
            for try await piece in pieces {
                size += piece.readableBytes
                guard size <= limit else { throw ServiceError.largeImport }
                try piece.withUnsafeReadableBytes { _ = try file.writeAll($0) }
            }
            guard size > 0 else { throw ServiceError.invalid("body", "expected a CSV or GeoJSON file") }
            guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
            try file.close()
            try synchronize()
        } catch {
            try? file.close()
            remove(id)
            throw error
        }
    }

    /// Gives the file of an import a second name. Returns false if there is none.
    func link(_ id: UUID, as other: UUID) throws -> Bool {
        guard Foundation.link(url(id).path, url(other).path) == 0 else { return false }
        try synchronize()
        return true
    }

    func remove(_ id: UUID) { _ = unlink(url(id).path) }

    /// The ids of imports that have files.
    func ids() -> [UUID] {
        ((try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []).compactMap(UUID.init(uuidString:))
    }

    /// Whether a file is so old that its import would be recorded if it had arrived.
    func isOld(_ id: UUID) -> Bool {
        var entry = stat()
        guard stat(url(id).path, &entry) == 0 else { return false }
        return time(nil) - entry.st_mtim.tv_sec > 600
    }

    private func synchronize() throws {
        let folder = try SystemPackage.FileDescriptor.open(FilePath(root.path), .readOnly)
        try folder.closeAfter { guard fsync(folder.rawValue) == 0 else { throw Errno(rawValue: errno) } }
    }
}

extension ServiceError {
    static let largeImport = ServiceError(
        .tooLarge,
        """
        body: expected a file of at most \(ListingImport.maxFileSize >> 20) MiB, or a ZIP file of photos of at most \
        \(ListingImport.maxArchiveSize >> 20) MiB
        """
    )
}
