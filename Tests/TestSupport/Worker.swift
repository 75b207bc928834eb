import Foundation
package import Photos
import SystemPackage

extension PhotoDeveloper {
    /// With the worker just built, which lies beside the test bundle. Other tests keep the machine busy: it has time.
    package static func built(patience: Duration = .seconds(180)) -> PhotoDeveloper {
        PhotoDeveloper(worker: FilePath(workerPath), atOnce: 4, patience: patience)
    }

    package static var workerPath: String {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "photo-worker").path
    }

    /// Of bytes at hand.
    package func develop(_ bytes: [UInt8], pixels: Int = 0) async throws -> DevelopedPhoto {
        let folder = try TemporaryFolder()
        let file = try PhotoFolder(data: folder.url).scratchFile()
        defer { try? file.close() }
        _ = try file.writeAll(bytes)
        try file.seek(offset: 0, from: .start)
        return try await develop(file, pixels: pixels)
    }
}
