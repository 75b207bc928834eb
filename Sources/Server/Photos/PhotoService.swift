import Concurrency
package import Domain
import Flyer
import Foundation
import HTTP
import Hummingbird
package import NIOCore
import ObjectStorage
package import Photos
package import Storage
import SystemPackage

/// Receives photos: they are written to disk as they arrive, decoded in a separate process, and recorded in the
/// database only when all files are in their folder or bucket.
package struct PhotoService: Sendable {
    private let photos: PhotoStore
    private let reports: ReportStore
    private let files: any PhotoFiles
    private let scratch: ScratchFolder
    private let reserve: DiskReserve
    private let processor: PhotoProcessor
    let recogniser: BreedRecogniser
    /// Each upload uses a growing file of at most 16 MiB and a connection, but hardly any memory.
    private let uploads = ConcurrencyLimit(256)
    private let removal = BackgroundTask()

    /// - Parameters:
    ///   - scratch: the folder for photos that arrive.
    ///   - reserve: the disk of this folder, or of the folder of the photos.
    package init(
        photos: PhotoStore,
        reports: ReportStore,
        files: any PhotoFiles,
        scratch: ScratchFolder,
        reserve: DiskReserve,
        processor: PhotoProcessor,
        recogniser: BreedRecogniser
    ) {
        self.photos = photos
        self.reports = reports
        self.files = files
        self.scratch = scratch
        self.reserve = reserve
        self.processor = processor
        self.recogniser = recogniser
    }

    /// The result of storing a photo.
    package struct Receipt: Sendable {
        package let entry: StoredPhoto
        /// Whether the photo did not replace another one.
        package let isNew: Bool
        package let classification: RecordedClassification?
    }

    /// Whether the files are in a bucket of an object store.
    var hasBucket: Bool { files.figures != nil }

    /// The number of photos that are arriving, and the number that wait for their turn.
    var load: (arriving: Int, waiting: Int) {
        (uploads.inUse, processor.waiting)
    }

    /// Receives and stores the photo of a request.
    ///
    /// - Parameter check: the client's precondition on the photo that is replaced.
    func receive(
        _ request: Request,
        _ owner: PhotoStore.Owner,
        _ check: @escaping PhotoStore.Check
    ) async throws -> Receipt {
        try await store(try await process(request), owner, try request.language(), check)
    }

    /// Returns the classification of the photo in a request. The photo is not stored.
    func classify(_ request: Request) async throws -> RecordedClassification {
        try await recogniser.classify(try await process(request))
    }

    private func process(_ request: Request) async throws -> ProcessedPhoto {
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > PhotoProcessor.maxFileSize {
            throw ServiceError.largePhoto
        }
        return try await process(request.body)
    }

    /// Receives and processes the photo in the body of a request or in a file of a form. It stores nothing.
    package func process<Pieces: AsyncSequence & Sendable>(_ photo: Pieces) async throws -> ProcessedPhoto
    where Pieces.Element == ByteBuffer {
        try await process(try await receive(photo))
    }

    /// A photo that has arrived completely. The file has no name, and is deleted with the last reference to it.
    package final class ReceivedPhoto: Sendable {
        fileprivate let file: SystemPackage.FileDescriptor
        private let permit: ConcurrencyLimit.Permit

        fileprivate init(_ file: SystemPackage.FileDescriptor, _ permit: ConcurrencyLimit.Permit) {
            self.file = file
            self.permit = permit
        }

        deinit { try? file.close() }
    }

    /// Writes a photo to the disk as it arrives. While it arrives, it does not occupy a processor.
    package func receive<Pieces: AsyncSequence & Sendable>(_ photo: Pieces) async throws -> ReceivedPhoto
    where Pieces.Element == ByteBuffer {
        guard let permit = uploads.take() else {
            throw ServiceError(.unavailable, "too many photos at once: try again in a moment")
        }
        let file = try onDisk {
            try reserve.check()
            return try scratch.openFile()
        }
        let received = ReceivedPhoto(file, permit)
        try await write(photo, to: received.file)
        return received
    }

    /// Decodes a photo when it is its turn.
    package func process(_ photo: ReceivedPhoto) async throws -> ProcessedPhoto {
        try await processor.process(photo.file, pixels: PhotoProcessor.classifiedSide)
    }

    /// Stores a photo. It replaces the owner's photo with the same number.
    ///
    /// - Parameters:
    ///   - language: the language of the breed's name, if the listing gets the recognised breed.
    ///   - known: what the model saw in the photo, if it was asked before.
    package func store(
        _ photo: ProcessedPhoto,
        _ owner: PhotoStore.Owner,
        _ language: Language,
        known: RecordedClassification? = nil,
        _ check: @escaping PhotoStore.Check = { _ in }
    ) async throws -> Receipt {
        // Pictures of accounts are not classified, for privacy.
        var found: RecordedClassification?
        if case .listing = owner {
            if let known { found = known } else { found = await recogniser.classifyIfPossible(photo) }
        }
        let (entry, replaced) = try await store(photo, found, language) { entry, breed in
            try await photos.put(entry, owner, found, breed: breed, check)
        }
        if replaced { await removeDeletedFiles() }
        return Receipt(entry: entry, isNew: !replaced, classification: found)
    }

    /// Stores a photo from the address that an import named.
    func store(_ photo: ProcessedPhoto, for remote: RemotePhoto, in remotes: RemotePhotoStore) async throws {
        let found = await recogniser.classifyIfPossible(photo)
        _ = try await store(photo, found, remote.language) { entry, breed in
            try await remotes.store(entry, for: remote, found, breed: breed)
        }
    }

    /// Writes the files of a photo, and then calls `record`, which stores its row and receives the breed of the listing, if one
    /// was recognised.
    func store<Stored>(
        _ photo: ProcessedPhoto,
        _ found: RecordedClassification?,
        _ language: Language,
        _ record: (StoredPhoto, PhotoStore.Breed?) async throws -> Stored
    ) async throws -> (StoredPhoto, Stored) {
        let breed = recogniser.breed(of: found).map { breed in
            let name = breed.name(in: language)
            return PhotoStore.Breed(
                key: breed.key,
                name: name,
                breeds: recogniser.breeds.listingBreeds(name, key: breed.key, species: .dog)
            )
        }
        let entry = try await write(photo)
        let stored: Stored
        do {
            stored = try await record(entry, breed)
        } catch {
            await discard(entry)
            throw error
        }
        // A photo is accepted even if its copies cannot be looked for.
        if found != nil { try? await reports.fileCopies(of: [entry.id]) }
        return (entry, stored)
    }

    /// Writes the files of a photo.
    func write(_ photo: ProcessedPhoto) async throws -> StoredPhoto {
        let id = UUID()
        // After this line, either the row of the photo or the list of reserved IDs refers to the files, whatever
        // happens.
        try await photos.reserve(id)
        do { try await files.write(photo, id: id) } catch { throw explained(error) }
        return StoredPhoto(id: id, width: photo.jpegs[0].width, height: photo.jpegs[0].height)
    }

    /// Gives up files that no row refers to. They are not removed here: a commit that the disk did not confirm may still
    /// be present after a crash, and then a row refers to them.
    func discard(_ photo: StoredPhoto) async {
        try? await photos.release(photo.id)
        await removeDeletedFiles()
    }

    private func write<Pieces: AsyncSequence>(
        _ photo: Pieces,
        to file: SystemPackage.FileDescriptor
    ) async throws where Pieces.Element == ByteBuffer {
        var size = 0
        for try await piece in photo {
            size += piece.readableBytes
            guard size <= PhotoProcessor.maxFileSize else { throw ServiceError.largePhoto }
            try onDisk { try piece.withUnsafeReadableBytes { _ = try file.writeAll($0) } }
        }
        guard size > 0 else {
            throw ServiceError.invalid("body", "expected a photo as \(PhotoProcessor.formats.alternatives)")
        }
        try file.seek(offset: 0, from: .start)
    }

    func bytes(of id: UUID, side: Int) async throws -> ByteBuffer {
        do {
            return ByteBuffer(data: try await files.readAsStored(PhotoFileName(id, side: side)))
        } catch let error as BucketFailure {
            throw error.serviceError
        } catch let error as ServiceError {
            throw error
        } catch {
            throw photos.faults.note(error)?.serviceError ?? ServiceError(.notFound, "no such photo")
        }
    }

    /// Converts errors of the disk, so that the response explains them.
    private func onDisk<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw explained(error) }
    }

    /// Returns an error that explains to the client why files cannot be written.
    private func explained(_ error: any Error) -> any Error {
        switch error {
        case let failure as BucketFailure: return failure.serviceError
        case let error as Errno:
            let error = POSIXError(POSIXErrorCode(rawValue: error.rawValue) ?? .EIO)
            return photos.faults.note(error, isWrite: true)?.serviceError ?? error
        default: return photos.faults.note(error, isWrite: true)?.serviceError ?? error
        }
    }

    /// Returns the largest size of a listing's photo.
    func bytes(of photo: ListingPhoto) async throws -> Data {
        Data(buffer: try await bytes(of: photo, side: PhotoProcessor.sides[0]))
    }

    /// Returns the size of a listing's photo that its page shows: at most 800 pixels.
    func medium(of photo: ListingPhoto) async throws -> [UInt8] {
        [UInt8](buffer: try await bytes(of: photo, side: PhotoProcessor.sides[1]))
    }

    /// Returns the smallest size of a listing's photo.
    func thumbnail(of photo: ListingPhoto) async throws -> [UInt8] {
        [UInt8](buffer: try await bytes(of: photo, side: PhotoProcessor.sides[PhotoProcessor.sides.count - 1]))
    }

    private func bytes(of photo: ListingPhoto, side: Int) async throws -> ByteBuffer {
        let name = photo.url.split(separator: "/").last ?? ""
        guard let id = UUID(uuidString: String(name.prefix(36))) else { throw ServiceError(.notFound, "no such photo") }
        return try await bytes(of: id, side: side)
    }

    /// Returns a listing's photo for a picture.
    func pixels(of photo: ListingPhoto) async throws -> Picture.Photo? {
        let file = try await receive([ByteBuffer(data: try await bytes(of: photo))].async)
        let pixels = try await processor.process(file.file, pixels: Picture.side).pixels
        return pixels.flatMap { Picture.Photo(width: $0.width, height: $0.height, pixels: $0.bytes) }
    }

    /// Returns the JPEG of a picture.
    func jpeg(of png: Data) async throws -> ByteBuffer {
        let file = try await receive([ByteBuffer(data: png)].async)
        return ByteBuffer(bytes: try await processor.process(file.file).jpegs[0].bytes)
    }

    /// Removes the files of deleted photos. Files that cannot be removed remain for the next call; nothing refers to
    /// them. Files in a bucket are removed in the background.
    package func removeDeletedFiles() async {
        guard files.figures != nil else { return await sweep() }
        removal.start { await sweep() }
    }

    private func sweep() async { try? await photos.sweep { await files.remove($0) } }

    /// The numbers of requests to the bucket of the photos; nil for a folder.
    var figures: BucketFigures? { files.figures }

    /// Throws if the files of photos cannot be reached.
    func checkFiles() async throws {
        do { try await files.check() } catch { throw PhotoFilesFailure(location: "\(files)", reason: "\(error)") }
    }
}

/// The files of photos cannot be reached.
struct PhotoFilesFailure: Error, CustomStringConvertible {
    let location: String
    let reason: String

    var description: String { "the photos in \(location) cannot be reached: \(reason)" }
}

extension Array where Element: Sendable {
    fileprivate var async: AsyncStream<Element> {
        AsyncStream { stream in
            for element in self { stream.yield(element) }
            stream.finish()
        }
    }
}
