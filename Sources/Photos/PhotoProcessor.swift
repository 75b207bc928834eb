import Concurrency
package import Domain
public import Foundation
import Subprocess
package import SystemPackage

/// Decodes photos, which may be malicious, each in a separate sandboxed process (`photo-worker`).
public struct PhotoProcessor: Sendable {
    /// The longer sides of the stored sizes, in pixels.
    package static let sides = [1600, 800, 480, 320]
    /// The size that photos of earlier versions do not have. Where it is missing, the next larger one is sent.
    package static let laterSide = 480
    /// The longer side of the pixel image for models, in pixels.
    public static let classifiedSide = 800
    /// In bytes.
    package static let maxFileSize = 16 << 20

    /// For messages and descriptions. HEIC and AVIF need a library that is optional.
    package static let formats = ["JPEG", "PNG", "WebP", "HEIC", "AVIF"]

    private let worker: FilePath
    private let semaphore: AsyncSemaphore
    private let timeout: Duration

    /// - Parameters:
    ///   - worker: the path of the program `photo-worker`.
    ///   - maxConcurrent: the maximum number of photos that are decoded at once; others wait, and the
    ///     client that has used the least time is next.
    ///   - timeout: the time limit for one photo.
    package init(
        worker: FilePath,
        maxConcurrent: Int = max(1, ProcessInfo.processInfo.activeProcessorCount / 2),
        timeout: Duration = .seconds(20)
    ) {
        self.worker = worker
        semaphore = AsyncSemaphore(permits: maxConcurrent, maxWaiting: 128, maxWait: .seconds(60))
        self.timeout = timeout
    }

    /// A processor whose worker is in the same folder as the program.
    public static func besideThisProgram() throws -> PhotoProcessor {
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let worker = program.deletingLastPathComponent().appending(path: "photo-worker")
        guard FileManager.default.isExecutableFile(atPath: worker.path) else {
            throw ServiceError(.unavailable, "\(worker.path) is missing: photos are read by it")
        }
        return PhotoProcessor(worker: FilePath(worker.path))
    }

    /// The number of photos that wait to be decoded.
    package var waiting: Int { semaphore.load.waiting }

    /// Decodes a photo and creates its JPEG sizes.
    ///
    /// - Parameters:
    ///   - file: the photo, from the current position to the end.
    ///   - pixels: the longer side of an additional pixel image; 0 for none.
    /// - Throws: `ServiceError` with a message for the client.
    package func process(_ file: FileDescriptor, pixels: Int = 0) async throws -> ProcessedPhoto {
        try await semaphore.withPermit {
            let arguments = [Self.maxFileSize, pixels] + Self.sides
            // Cancellation kills the worker process.
            let result = try await withTimeout(timeout, orElse: .slowPhoto) {
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

    /// Decodes a photo from a file on the disk.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - pixels: the longer side of an additional pixel image; 0 for none.
    public func process(_ url: URL, pixels: Int = 0) async throws -> ProcessedPhoto {
        let file = try FileDescriptor.open(FilePath(url.path), .readOnly)
        defer { try? file.close() }
        return try await process(file, pixels: pixels)
    }

    /// In bytes: enough for JPEGs of all sizes, and a pixel image of at most 1600.
    private static let maxOutputSize = 32 << 20
}

extension ServiceError {
    fileprivate static let slowPhoto = ServiceError.invalid("body", "this photo takes too long to read")

    package static let damagedPhoto = ServiceError.invalid(
        "body",
        "the photo is damaged or cut off: expected a whole \(PhotoProcessor.formats.alternatives)"
    )

    /// libheif is not installed, or does not know how the picture in the file is coded.
    package static let heicPhoto = ServiceError(
        .unsupportedMediaType,
        """
        body: expected a photo as JPEG, PNG or WebP, found a HEIC or AVIF that this service cannot read: on an iPhone choose \
        Settings > Camera > Formats > Most Compatible, or send a screenshot of the photo
        """,
        field: "body"
    )

    package static let largePhoto = ServiceError(
        .tooLarge,
        "body: expected a photo of at most \(PhotoProcessor.maxFileSize >> 20) MB and 50 megapixels",
        field: "body"
    )

    /// The exit codes are the values of `outcome` in the worker's `picture.h`.
    fileprivate init(workerEndedWith code: Int32) {
        switch code {
        case 66:
            self = ServiceError(
                .unsupportedMediaType,
                "body: expected a photo as \(PhotoProcessor.formats.alternatives)",
                field: "body"
            )
        case 67: self = .largePhoto
        case 69: self = ServiceError(.unavailable, "this system's kernel lets no photo be read safely")
        case 70: self = ServiceError(.unavailable, "there is not enough memory for this photo now")
        case 71: self = .heicPhoto
        default: self = .damagedPhoto
        }
    }
}
