import Domain
import Foundation
import Photos

extension PhotoService {
    /// Writes the files of a photo, and then calls `record`, which stores the photo's row and what it belongs to in one
    /// transaction. If that fails or was stored before, the new files are removed again.
    ///
    /// - Parameter photo: nil for none; `record` is called all the same.
    /// - Throws: `usedIdempotencyKey` if what was stored before has another photo.
    func attach<Stored: StoredOnce>(
        _ photo: ProcessedPhoto?,
        _ record: (StoredPhoto?) async throws -> Stored
    ) async throws -> Stored {
        guard let photo else { return try await record(nil) }
        let written = try await write(photo)
        let stored: Stored
        do {
            stored = try await record(written)
        } catch {
            await discard(written)
            throw error
        }
        guard stored.isRepeated else { return stored }
        await discard(written)
        if let known = stored.photo, try await !isSame(photo, known) { throw ServiceError.usedIdempotencyKey }
        return stored
    }

    /// Compares the smallest sizes. The same photo gives the same bytes again.
    func isSame(_ photo: ProcessedPhoto, _ stored: StoredPhoto) async throws -> Bool {
        guard let side = PhotoProcessor.sides.last, let size = photo.jpegs.last else { return false }
        return try await bytes(of: stored.id, side: side).readableBytesView.elementsEqual(size.bytes)
    }
}

extension ProcessedPhoto {
    /// The number of bytes that the photo takes on the disk.
    var byteCount: Int { jpegs.reduce(0) { $0 + $1.bytes.count } }
}
