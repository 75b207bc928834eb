package import Foundation

/// A temporary folder that is deleted with the object.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "doggofinder-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}

/// Files of the repository.
package enum Repository {
    /// The folder of `Package.swift`.
    package static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
}

/// Real data that may exist in a folder beside the repository. Tests that need it are skipped if it is absent.
package enum SharedData {
    package static func url(_ path: String) -> URL {
        Repository.root.appending(path: "../shared/data/\(path)").standardized
    }

    package static let isAvailable = FileManager.default.fileExists(atPath: url("geo").path)
    package static let absence = "the shared data is not beside the project"
}
