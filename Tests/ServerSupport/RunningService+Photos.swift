import Foundation

extension RunningService {
    /// The number of files in the photos folder.
    package func photoFiles() throws -> Int {
        let folder = board.folder.url.appending(path: "photos")
        guard FileManager.default.fileExists(atPath: folder.path) else { return 0 }
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path).count { $0.hasSuffix(".jpg") }
    }
}
