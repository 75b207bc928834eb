import Foundation
package import Photos
import SystemPackage

extension PhotoProcessor {
    /// With the worker just built, which lies beside the test bundle. Other tests keep the machine busy: it has time.
    package static func built(patience: Duration = .seconds(180)) -> PhotoProcessor {
        PhotoProcessor(worker: FilePath(workerPath), atOnce: 4, patience: patience)
    }

    package static var workerPath: String {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "photo-worker").path
    }

    /// Of bytes at hand.
    package func process(_ bytes: [UInt8], pixels: Int = 0) async throws -> ProcessedPhoto {
        let folder = try TemporaryFolder()
        let file = try PhotoFolder(data: folder.url).scratchFile()
        defer { try? file.close() }
        _ = try file.writeAll(bytes)
        try file.seek(offset: 0, from: .start)
        return try await process(file, pixels: pixels)
    }
}
