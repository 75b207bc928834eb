import Concurrency
package import Domain
package import Foundation
import Subprocess
package import SystemPackage

/// Decodes photos, which may be hostile, each in a process of its own that can do nothing else (`photo-worker`).
package struct PhotoProcessor: Sendable {
    /// The longer sides of what is kept, pixels.
    package static let sides = [1600, 800, 320]
    /// The longer side of the pixels that models are shown.
    package static let classifiedSide = 800
    /// Bytes.
    package static let maxFileSize = 16 << 20

    private let worker: FilePath
    private let turns: AsyncSemaphore
    private let patience: Duration

    /// - Parameters:
    ///   - worker: the program `photo-worker`.
    ///   - atOnce: how many photos are decoded side by side; the others wait.
    ///   - patience: how long one may take.
    package init(
        worker: FilePath,
        atOnce: Int = max(1, ProcessInfo.processInfo.activeProcessorCount / 2),
        patience: Duration = .seconds(20)
    ) {
        self.worker = worker
        turns = AsyncSemaphore(permits: atOnce, maxWaiting: .max)
        self.patience = patience
    }

    /// How many photos wait to be decoded.
    package var waiting: Int { turns.load.waiting }

    /// - Parameters:
    ///   - file: the photo, from where it stands to its end.
    ///   - pixels: the longer side of the pixels wanted besides; 0 for none.
    /// - Throws: `ServiceError`, in words for who sent it.
    package func process(_ file: FileDescriptor, pixels: Int = 0) async throws -> ProcessedPhoto {
        try await turns.withPermit {
            let arguments = [Self.maxFileSize, pixels] + Self.sides
            // Who is cancelled kills its process.
            let result = try await withTimeout(patience, orElse: .slowPhoto) {
                try await Subprocess.run(
                    .path(worker),
                    arguments: Arguments(arguments.map(String.init)),
                    environment: .custom([:]),
                    input: .fileDescriptor(file, closeAfterSpawningProcess: false),
                    output: .bytes(limit: Self.maxOutputSize)
                )
            }
            guard case .exited(let code) = result.terminationStatus else { throw ServiceError.damagedPhoto }
            guard code == 0 else { throw ServiceError(workerEndedWith: code) }
            guard let photo = ProcessedPhoto(frames: result.standardOutput),
                photo.jpegs.count == Self.sides.count
            else { throw ServiceError.damagedPhoto }
            return photo
        }
    }

    /// The same of a file on disk.
    package func process(_ url: URL, pixels: Int = 0) async throws -> ProcessedPhoto {
        let file = try FileDescriptor.open(FilePath(url.path), .readOnly)
        defer { try? file.close() }
        return try await process(file, pixels: pixels)
    }

    /// JPEGs of 1600, 800 and 320 pixels, and pixels of at most 1600.
    private static let maxOutputSize = 32 << 20
}

extension ServiceError {
    fileprivate static let slowPhoto = ServiceError.invalid("body", "this photo takes too long to read")

    package static let damagedPhoto = ServiceError.invalid(
        "body",
        "the photo is damaged or cut off: expected a whole JPEG, PNG or WebP"
    )

    package static let largePhoto = ServiceError(
        .tooLarge,
        "body: expected a photo of at most \(PhotoProcessor.maxFileSize >> 20) MB and 50 megapixels",
        field: "body"
    )

    /// The numbers of `outcome` in the worker's `picture.h`.
    fileprivate init(workerEndedWith code: Int32) {
        switch code {
        case 66:
            self = ServiceError(.unsupportedMediaType, "body: expected a photo as JPEG, PNG or WebP", field: "body")
        case 67: self = .largePhoto
        case 69: self = ServiceError(.unavailable, "this system's kernel lets no photo be read safely")
        case 70: self = ServiceError(.unavailable, "there is not enough memory for this photo now")
        default: self = .damagedPhoto
        }
    }
}
