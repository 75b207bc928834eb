import Domain
import Foundation
import HTTP
import Photos
import Storage

/// Imports of photos.
extension ImportService {
    /// Processes the next file of a ZIP file of photos.
    func advancePhotos(_ listingImport: ListingImport, at now: Timestamp) async throws {
        guard let archive = try await archive(of: listingImport) else {
            return try await end(listingImport, .unreadable, at: now)
        }
        guard let total = listingImport.total else {
            guard !archive.names.isEmpty else { return try await end(listingImport, .empty, at: now) }
            return try await imports.start(
                listingImport, total: archive.names.count, unknownColumns: [], dates: nil, at: now)
        }
        guard listingImport.position < total, listingImport.position < archive.names.count else {
            if try await !imports.finish(listingImport, at: now) { try await close(listingImport) }
            return
        }
        if try await !add(listingImport.position, of: archive, listingImport, at: now) {
            try await close(listingImport)
        }
    }

    private func archive(of listingImport: ListingImport) async throws -> PhotoArchive? {
        let (id, url) = (listingImport.id, folder.url(listingImport.id))
        if let known = archives.withLock({ $0[id] }) { return known }
        guard let archive = try await slowReads.run(nil, { try? PhotoArchive(url) }) else { return nil }
        archives.withLock { $0[id] = archive }
        return archive
    }

    /// Adds a photo to the listing that its name means. Returns false if the import was cancelled.
    private func add(
        _ index: Int,
        of archive: PhotoArchive,
        _ listingImport: ListingImport,
        at now: Timestamp
    ) async throws -> Bool {
        let name = archive.names[index]
        func row(_ outcome: ImportedRow.Outcome, listing: UUID? = nil, _ error: ServiceError? = nil) -> ImportedRow {
            ImportedRow(
                number: index + 1,
                reference: String(name.suffix(80)),
                outcome: outcome,
                listing: listing,
                field: error?.field,
                message: error.map { String($0.message.text(in: listingImport.order.language).prefix(400)) }
            )
        }
        func write(_ row: ImportedRow, _ photo: ListingImportStore.Photo? = nil) async throws -> Bool {
            try await imports.write(row, photo, of: listingImport, at: now)
        }
        let meaning = PhotoName(name)
        guard let subject = try imports.findSubject(meaning.references, of: listingImport) else {
            return try await write(row(.rejected, Self.unknownName))
        }
        guard !listingImport.order.isDryRun else { return try await write(row(.created, listing: subject.id)) }
        let photo: ProcessedPhoto
        do {
            let bytes = try await slowReads.run(nil) { try archive.bytes(at: index) }
            photo = try await photos.process(PieceSequence(bytes))
        } catch let error as ServiceError where [.invalid, .tooLarge, .unsupportedMediaType].contains(error.code) {
            return try await write(row(.rejected, .invalid("photo", error.message)))
        }
        for known in subject.photos where try await photos.isSame(photo, known) {
            return try await write(row(.unchanged, listing: subject.id))
        }
        do {
            return try await photos.store(photo, of: subject, meaning.number, listingImport.order.language) {
                try await write(row(.created, listing: subject.id), $0)
            }
        } catch let error as ServiceError where error.code == .quotaExceeded {
            return try await write(row(.rejected, .invalid("photos", error.message)))
        }
    }

    private static let unknownName = ServiceError.invalid(
        "file",
        "no listing has the reference that the name of the file begins with: expected A-12.jpg or A-12-2.jpg for A-12"
    )
}

extension PhotoService {
    /// Writes the files of a photo and classifies it. Then `write` stores its row; it returns false if it did not.
    fileprivate func store(
        _ photo: ProcessedPhoto,
        of subject: ListingImportStore.Subject,
        _ number: Int,
        _ language: Language,
        _ write: (ListingImportStore.Photo) async throws -> Bool
    ) async throws -> Bool {
        let found = await recogniser.classifyIfPossible(photo)
        let (entry, isWritten) = try await store(photo, found, language) { entry, breed in
            try await write(.init(entry, of: subject, number: number, found, breed: breed))
        }
        if !isWritten { await discard(entry) }
        return isWritten
    }
}
