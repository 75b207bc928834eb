import Cryptography
package import Foundation
import ObjectStorage

/// Operations on all files. They list the bucket page by page and keep the ids of photos in memory, but no list
/// of all objects.
extension PhotoBucket {
    package func list(_ body: ([ListedPhotoFile]) async throws -> Void) async throws {
        try await bucket.list { page in
            let files = page.objects.filter { !$0.name.hasPrefix(Self.lockPrefix) }.map { object in
                ListedPhotoFile(
                    location: location(object.name),
                    name: PhotoFileName(object.name),
                    writtenAt: object.modifiedAt.map { Date(timeIntervalSince1970: Double($0.milliseconds) / 1000) }
                )
            }
            try await body(files)
            return true
        }
    }

    /// Compares names and sizes. The store has compared the contents with their digests when they were written.
    package func problems(of photos: [UUID], _ progress: (Int) -> Void) async throws -> [PhotoFileProblem] {
        /// The smallest JPEG has more bytes.
        let minSize = 4
        var sides = Dictionary(photos.map { ($0, Set<Int>()) }) { first, _ in first }
        var damaged: [PhotoFileProblem] = []
        var seen = 0
        try await bucket.list { page in
            for object in page.objects {
                guard let name = PhotoFileName(object.name), sides[name.photo]?.insert(name.side).inserted == true
                else {
                    continue
                }
                seen += 1
                if object.size < minSize {
                    damaged.append(PhotoFileProblem(photo: name.photo, text: "\(location(name)) is cut off"))
                }
            }
            progress(min(photos.count, seen / PhotoProcessor.sides.count))
            return true
        }
        let missing = sides.flatMap { id, sides in
            PhotoFileName.all(of: id).filter { !$0.canBeMissing && !sides.contains($0.side) }
        }.map { PhotoFileProblem(photo: $0.photo, text: "\(location($0)) is missing") }
        return missing.sorted { $0.text < $1.text } + damaged
    }

    package func copy(
        _ photos: [UUID],
        to folder: PhotoFolder,
        previous: PhotoFolder?,
        _ progress: (Int) -> Void
    ) async throws {
        let wanted = Set(photos)
        var copied = 0
        try await bucket.list { page in
            let files = Self.files(of: wanted, in: page)
            try await Self.concurrently(files) { name, object in
                try await copy(name, object, to: folder, previous: previous)
            }
            copied += files.count
            progress(min(photos.count, copied / PhotoProcessor.sides.count))
            return true
        }
    }

    /// Writes no file if the object is missing or damaged.
    private func copy(
        _ name: PhotoFileName,
        _ object: StoredObject,
        to folder: PhotoFolder,
        previous: PhotoFolder?
    ) async throws {
        let target = folder.url(name)
        if Self.isSame(target, object) { return }
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        if let old = previous?.url(name), Self.isSame(old, object), link(old.path, target.path) == 0 { return }
        do {
            try Data(try await get(name)).write(to: target)
        } catch BucketFailure.missing {
        } catch BucketFailure.damaged {
        }
    }

    package func restore(_ photos: [UUID], from folder: PhotoFolder, _ progress: (Int) -> Void) async throws {
        let wanted = Set(photos)
        var known: Set<PhotoFileName> = []
        try await bucket.list { page in
            for (name, object) in Self.files(of: wanted, in: page) where Self.isSame(folder.url(name), object) {
                known.insert(name)
            }
            return true
        }
        for begin in stride(from: 0, to: photos.count, by: 100) {
            let names = photos[begin..<min(photos.count, begin + 100)].flatMap(PhotoFileName.all)
            let missing = names.filter { !known.contains($0) && (!$0.canBeMissing || folder.exists($0)) }
            try await Self.concurrently(missing) { name in
                try await put(name, [UInt8](try Data(contentsOf: folder.url(name))))
            }
            progress(min(photos.count, begin + 100))
        }
    }

    private static func files(
        of photos: Set<UUID>,
        in page: ObjectPage
    ) -> [(name: PhotoFileName, object: StoredObject)] {
        page.objects.compactMap { object in PhotoFileName(object.name).map { ($0, object) } }
            .filter { photos.contains($0.0.photo) }
    }

    /// Compares a file with an object. Stores that encrypt with keys of their own tell no MD5; there, no file is the
    /// same.
    private static func isSame(_ file: URL, _ object: StoredObject) -> Bool {
        guard let bytes = try? Data(contentsOf: file), bytes.count == object.size else { return false }
        return HashFunction.md5.digest(bytes).hexadecimal == object.entityTag
    }
}
