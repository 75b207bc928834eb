import Concurrency
package import Domain
import Foundation
import Hummingbird
package import NIOCore
package import Photos
package import Storage
import SystemPackage

/// Takes photos in: to disk as they arrive, decoded out of harm's way, and on record only when all of it is there.
package struct PhotoService: Sendable {
    private let photos: PhotoStore
    private let folder: PhotoFolder
    private let processor: PhotoProcessor
    let recogniser: BreedRecogniser
    /// Each holds a file that grows and a connection, but hardly any memory.
    private let uploads = AsyncSemaphore(permits: 64, maxWaiting: 1000)

    /// How long sending one may take.
    private static let patience = Duration.seconds(60)

    package init(
        photos: PhotoStore,
        folder: PhotoFolder,
        processor: PhotoProcessor,
        recogniser: BreedRecogniser
    ) {
        self.photos = photos
        self.folder = folder
        self.processor = processor
        self.recogniser = recogniser
    }

    /// What became of a photo.
    package struct Receipt: Sendable {
        package let entry: PhotoStore.Entry
        /// Whether nothing was there before.
        package let isNew: Bool
        package let classification: RecordedClassification?
    }

    /// How many photos are being taken in, and how many wait for their turn.
    var load: (arriving: Int, waiting: Int) {
        let uploads = uploads.load
        return (uploads.inUse, uploads.waiting + processor.waiting)
    }

    /// - Parameter check: what the sender insists on of what was there.
    func receive(
        _ request: Request,
        _ owner: PhotoStore.Owner,
        _ check: @escaping PhotoStore.Check
    ) async throws -> Receipt {
        try await keep(try await process(request), owner, try request.language(), check)
    }

    /// What the photo of a request shows; nothing of it is kept.
    func classify(_ request: Request) async throws -> RecordedClassification {
        try await recogniser.classify(try await process(request))
    }

    private func process(_ request: Request) async throws -> ProcessedPhoto {
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > PhotoProcessor.maxFileSize {
            throw ServiceError.largePhoto
        }
        return try await process(request.body)
    }

    /// Takes a photo in as it arrives: the body of a request, or a file in a form. None of it stays but what is told.
    package func process<Pieces: AsyncSequence & Sendable>(_ photo: Pieces) async throws -> ProcessedPhoto
    where Pieces.Element == ByteBuffer {
        try await uploads.withPermit {
            let file = try onDisk { try folder.scratchFile() }
            defer { try? file.close() }
            try await withTimeout(Self.patience, orElse: .slowArrival) { try await spool(photo, to: file) }
            return try await processor.process(file, pixels: PhotoProcessor.classifiedSide)
        }
    }

    /// Puts a photo on record, in the place of what its owner had there.
    ///
    /// - Parameter language: of the breed's name that a listing may get.
    package func keep(
        _ photo: ProcessedPhoto,
        _ owner: PhotoStore.Owner,
        _ language: Language,
        _ check: @escaping PhotoStore.Check = { _ in }
    ) async throws -> Receipt {
        // Of whom there is a picture is nobody's business.
        let found =
            if case .listing = owner { await recogniser.classifyIfPossible(photo) } else {
                nil as RecordedClassification?
            }
        let breed = recogniser.breed(of: found).map { PhotoStore.Breed(key: $0.key, name: $0.name(in: language)) }
        let id = UUID()
        // From here on, whatever happens: either a row tells of the files, or the list of leftovers does.
        try await photos.reserve(id)
        try onDisk { try folder.write(photo, id: id) }
        let entry = PhotoStore.Entry(id: id, width: photo.jpegs[0].width, height: photo.jpegs[0].height)
        let replaced: Bool
        do {
            replaced = try await photos.put(entry, owner, found, breed: breed, check)
        } catch {
            // Not removed here: what the disk refused to confirm may yet come to light after a crash, and then it has a row.
            try? await photos.release(id)
            await sweep()
            throw error
        }
        if replaced { await sweep() }
        return Receipt(entry: entry, isNew: !replaced, classification: found)
    }

    private func spool<Pieces: AsyncSequence>(
        _ photo: Pieces,
        to file: SystemPackage.FileDescriptor
    ) async throws where Pieces.Element == ByteBuffer {
        var size = 0
        for try await piece in photo {
            size += piece.readableBytes
            guard size <= PhotoProcessor.maxFileSize else { throw ServiceError.largePhoto }
            try onDisk { try piece.withUnsafeReadableBytes { _ = try file.writeAll($0) } }
        }
        guard size > 0 else { throw ServiceError.invalid("body", "expected a photo as JPEG, PNG or WebP") }
        try file.seek(offset: 0, from: .start)
    }

    func bytes(of id: UUID, side: Int) throws -> ByteBuffer {
        do {
            return ByteBuffer(data: try Data(contentsOf: folder.url(id, side: side)))
        } catch {
            throw photos.faults.note(error)?.serviceError ?? ServiceError(.notFound, "no such photo")
        }
    }

    /// What the disk does to the body is told in its words.
    private func onDisk<Value>(_ body: () throws -> Value) throws -> Value {
        try photos.faults.explaining {
            do { return try body() } catch let error as Errno {
                throw POSIXError(POSIXErrorCode(rawValue: error.rawValue) ?? .EIO)
            }
        }
    }

    /// The largest size of a listing's photo.
    func bytes(of photo: ListingPhoto) throws -> Data {
        let name = photo.url.split(separator: "/").last ?? ""
        guard let id = UUID(uuidString: String(name.prefix(36))) else { throw ServiceError(.notFound, "no such photo") }
        return try Data(contentsOf: folder.url(id, side: PhotoProcessor.sides[0]))
    }

    /// Removes the files of photos that are gone. What fails is left for the next time: those photos are gone all the same.
    package func sweep() async {
        try? await photos.sweep { try folder.remove($0) }
    }
}

extension ServiceError {
    fileprivate static let slowArrival = ServiceError(.tooSlow, "the photo took too long to arrive")
}
