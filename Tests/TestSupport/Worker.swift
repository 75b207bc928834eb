import Foundation
package import Photos
import SystemPackage

extension PhotoProcessor {
    /// A processor that uses the worker beside the test bundle. Its time limit is generous because other tests may keep
    /// the machine busy.
    package static func built(timeout: Duration = .seconds(180)) -> PhotoProcessor {
        PhotoProcessor(worker: FilePath(workerPath), maxConcurrent: 4, timeout: timeout)
    }

    package static var workerPath: String {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "photo-worker").path
    }

    /// Processes a photo in memory.
    package func process(_ bytes: [UInt8], pixels: Int = 0) async throws -> ProcessedPhoto {
        let folder = try TemporaryFolder()
        let file = try ScratchFolder(folder.url).openFile()
        defer { try? file.close() }
        _ = try file.writeAll(bytes)
        try file.seek(offset: 0, from: .start)
        return try await process(file, pixels: pixels)
    }
}
