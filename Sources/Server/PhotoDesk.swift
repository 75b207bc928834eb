import Domain
import Foundation
import Hummingbird
import NIOCore
package import Photos
package import Storage
import SystemPackage

/// Takes photos in: to disk as they arrive, decoded out of harm's way, and on record only when all of it is there.
package struct PhotoDesk: Sendable {
    private let photos: PhotoStore
    private let folder: PhotoFolder
    private let developer: PhotoDeveloper
    let recogniser: BreedRecogniser
    /// Each holds a file that grows and a connection, but hardly any memory.
    private let door = Turnstile(places: 64, line: 1000)

    /// How long sending one may take.
    private static let patience = Duration.seconds(60)

    package init(
        photos: PhotoStore,
        folder: PhotoFolder,
        developer: PhotoDeveloper,
        recogniser: BreedRecogniser
    ) {
        self.photos = photos
        self.folder = folder
        self.developer = developer
        self.recogniser = recogniser
    }

    /// What became of a photo.
    struct Receipt {
        let entry: PhotoStore.Entry
        /// Whether nothing was there before.
        let isNew: Bool
        let classification: RecordedClassification?
    }

    func receive(_ request: Request, _ owner: PhotoStore.Owner) async throws -> Receipt {
        let photo = try await develop(request)
        // Of whom there is a picture is nobody's business.
        let found =
            if case .listing = owner { await recogniser.classifyIfPossible(photo) } else {
                nil as RecordedClassification?
            }
        let breed = try recogniser.breed(of: found).map {
            PhotoStore.Breed(key: $0.key, name: $0.name(in: try request.language()))
        }
        let id = UUID()
        // From here on, whatever happens: either a row tells of the files, or the list of leftovers does.
        try await photos.announce(id)
        try folder.write(photo, id: id)
        let entry = PhotoStore.Entry(id: id, width: photo.jpegs[0].width, height: photo.jpegs[0].height)
        let replaced: Bool
        do {
            replaced = try await photos.put(entry, owner, found, breed: breed)
        } catch {
            try? folder.remove(id)
            throw error
        }
        if replaced { await sweep() }
        return Receipt(entry: entry, isNew: !replaced, classification: found)
    }

    /// What the photo of a request shows; nothing of it is kept.
    func classify(_ request: Request) async throws -> RecordedClassification {
        try await recogniser.classify(try await develop(request))
    }

    private func develop(_ request: Request) async throws -> DevelopedPhoto {
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > PhotoDeveloper.largestFile {
            throw ServiceError.largePhoto
        }
        return try await door.pass { try await develop(request.body) }
    }

    private func develop(_ body: RequestBody) async throws -> DevelopedPhoto {
        let file = try folder.scratchFile()
        defer { try? file.close() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await Self.spool(body, to: file) }
            group.addTask {
                try await Task.sleep(for: Self.patience)
                throw ServiceError(.unavailable, "the photo took too long to arrive")
            }
            defer { group.cancelAll() }
            try await group.next()
        }
        return try await developer.develop(file, pixels: PhotoDeveloper.examinedSide)
    }

    private static func spool(_ body: RequestBody, to file: SystemPackage.FileDescriptor) async throws {
        var size = 0
        for try await part in body {
            size += part.readableBytes
            guard size <= PhotoDeveloper.largestFile else { throw ServiceError.largePhoto }
            do {
                try part.withUnsafeReadableBytes { _ = try file.writeAll($0) }
            } catch Errno.noSpace, Errno.diskQuotaExceeded {
                throw ServiceError(.unavailable, "there is no room left for photos")
            }
        }
        guard size > 0 else { throw ServiceError.invalid("body", "expected a photo as JPEG, PNG or WebP") }
        try file.seek(offset: 0, from: .start)
    }

    func bytes(of id: UUID, side: Int) throws -> ByteBuffer {
        guard let data = try? Data(contentsOf: folder.url(id, side: side)) else {
            throw ServiceError(.notFound, "no such photo")
        }
        return ByteBuffer(data: data)
    }

    /// Removes the files of photos that are gone. What fails is left for the next time: those photos are gone all the same.
    package func sweep() async {
        try? await photos.sweep { try folder.remove($0) }
    }
}
