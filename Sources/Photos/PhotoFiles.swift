package import Foundation
package import ObjectStorage

/// The files of the photos, four sizes of each: in a folder, or in a bucket of an object store.
///
/// The description is the path or the address, for messages.
package protocol PhotoFiles: Sendable, CustomStringConvertible {
    /// The numbers of requests to the store; nil for a folder.
    var figures: BucketFigures? { get }

    /// Throws if the files cannot be reached.
    func check() async throws

    /// Writes the files of a photo. They survive a power cut when this method returns. If it throws, some of them may
    /// exist, or come into being later.
    func write(_ photo: ProcessedPhoto, id: UUID) async throws

    func read(_ name: PhotoFileName) async throws -> Data

    /// Removes the files of photos. The rows of the photos must have been removed before the ids were read.
    ///
    /// - Returns: the photos whose files are removed, and why others are not: `PhotosAreCopied` while
    ///   `withRemovalLocked` runs.
    func remove(_ photos: [UUID]) async -> (removed: [UUID], failure: (any Error)?)

    /// Calls `body` with all files, some at a time.
    func list(_ body: ([ListedPhotoFile]) async throws -> Void) async throws

    /// Returns what is wrong with the files of photos.
    ///
    /// - Parameter progress: receives the number of photos that were looked at.
    func problems(of photos: [UUID], _ progress: (Int) -> Void) async throws -> [PhotoFileProblem]

    /// Copies the files of photos into a folder, as far as they exist.
    ///
    /// - Parameters:
    ///   - previous: an earlier copy. Files that are identical there are linked.
    ///   - progress: receives the number of photos that were copied.
    func copy(
        _ photos: [UUID],
        to folder: PhotoFolder,
        previous: PhotoFolder?,
        _ progress: (Int) -> Void
    ) async throws

    /// Copies the files of photos out of a folder. Files that exist and are identical stay as they are.
    ///
    /// - Parameter progress: receives the number of photos that were copied.
    func restore(_ photos: [UUID], from folder: PhotoFolder, _ progress: (Int) -> Void) async throws

    /// Runs `body` while nobody can remove files. Otherwise photos in a copy of the database could be deleted before
    /// their files are copied.
    func withRemovalLocked<Value>(_ body: () async throws -> Value) async throws -> Value
}

extension PhotoFiles {
    /// Reads a file, or the one of the next larger size in the place of one that can be missing.
    package func readAsStored(_ name: PhotoFileName) async throws -> Data {
        do {
            return try await read(name)
        } catch  where name.canBeMissing && Self.isMissing(error) {
            guard let larger = name.larger else { throw error }
            return try await read(larger)
        }
    }

    private static func isMissing(_ error: any Error) -> Bool {
        if case BucketFailure.missing = error { return true }
        return (error as? CocoaError)?.code == .fileReadNoSuchFile
    }
}

/// A file that was found.
package struct ListedPhotoFile: Sendable {
    /// The path or the address.
    package let location: String
    /// Nil if the file belongs to no photo.
    package let name: PhotoFileName?
    /// When the file was written; nil if that is not known.
    package let writtenAt: Date?
}

/// A problem of a file of a photo, such as `photos/0b/0b6c...-800.jpg is missing`.
package struct PhotoFileProblem: Sendable {
    package let photo: UUID
    package let text: String
}

/// Files cannot be removed, because a backup copies them.
package struct PhotosAreCopied: Error, CustomStringConvertible {
    package let description = "photos are being copied: their files cannot be removed now"
}
