package import Foundation
import NIOPosix
package import ObjectStorage
import SystemPackage

/// The disk can be slow, so that requests use it on threads for files.
extension PhotoFolder: PhotoFiles {
    private static let filesPerPage = 1000

    package var description: String { root.path }

    package var figures: BucketFigures? { nil }

    package func check() async throws {
        guard isShared else { return }
        try await NIOThreadPool.singleton.runIfActive {
            guard access(root.path, R_OK | W_OK | X_OK) == 0 else { throw Errno(rawValue: errno) }
        }
    }

    package func write(_ photo: ProcessedPhoto, id: UUID) async throws {
        try await NIOThreadPool.singleton.runIfActive { try writeFiles(of: photo, id: id) }
    }

    package func read(_ name: PhotoFileName) async throws -> Data {
        try await NIOThreadPool.singleton.runIfActive { try Data(contentsOf: url(name)) }
    }

    package func remove(_ photos: [UUID]) async -> (removed: [UUID], failure: (any Error)?) {
        guard !photos.isEmpty else { return ([], nil) }
        do {
            return try await NIOThreadPool.singleton.runIfActive {
                var removed: [UUID] = []
                do {
                    for id in photos {
                        try removeFiles(of: id)
                        removed.append(id)
                    }
                } catch {
                    return (removed, error)
                }
                return (removed, nil)
            }
        } catch {
            return ([], error)
        }
    }

    // MARK: - For commands

    package func list(_ body: ([ListedPhotoFile]) async throws -> Void) async throws {
        let keys: [URLResourceKey] = [.isRegularFileKey, .contentModificationDateKey]
        guard let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: keys) else { return }
        var page: [ListedPhotoFile] = []
        while let file = files.nextObject() as? URL {
            guard !file.hasDirectoryPath, file.path != root.appending(path: Self.lockName).path else { continue }
            let name = PhotoFileName(file.pathComponents.suffix(2).joined(separator: "/"))
            let values = try? file.resourceValues(forKeys: [.contentModificationDateKey])
            page.append(
                ListedPhotoFile(
                    location: file.path,
                    // A file of another name, or in another folder.
                    name: name.flatMap { url($0).path == file.path ? $0 : nil },
                    writtenAt: values?.contentModificationDate
                )
            )
            guard page.count == Self.filesPerPage else { continue }
            try await body(page)
            page = []
        }
        try await body(page)
    }

    package func problems(of photos: [UUID], _ progress: (Int) -> Void) async throws -> [PhotoFileProblem] {
        var missing: [PhotoFileProblem] = []
        var damaged: [PhotoFileProblem] = []
        for (number, id) in photos.enumerated() {
            progress(number)
            for url in self.damaged(id) {
                if FileManager.default.fileExists(atPath: url.path) {
                    damaged.append(PhotoFileProblem(photo: id, text: "\(url.path) is cut off or overwritten"))
                } else {
                    missing.append(PhotoFileProblem(photo: id, text: "\(url.path) is missing"))
                }
            }
        }
        return missing + damaged
    }

    package func copy(
        _ photos: [UUID],
        to folder: PhotoFolder,
        previous: PhotoFolder?,
        _ progress: (Int) -> Void
    ) async throws {
        for (number, id) in photos.enumerated() where missing(id).isEmpty {
            try copy(id, to: folder, previous: previous)
            progress(number + 1)
        }
    }

    package func restore(_ photos: [UUID], from folder: PhotoFolder, _ progress: (Int) -> Void) async throws {
        for (number, id) in photos.enumerated() {
            let names = PhotoFileName.all(of: id).filter { !$0.canBeMissing || folder.exists($0) }
            for name in names where !Self.areSame(folder.url(name), url(name)) {
                try write(Data(contentsOf: folder.url(name)), to: url(name))
            }
            try synchronize(self.folder(of: id))
            progress(number + 1)
        }
    }
}
