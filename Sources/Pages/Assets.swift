import Crypto
package import Foundation

/// The files that pages need, in memory. Their address names their version, so that browsers keep them for good.
package struct Assets: Sendable {
    package struct File: Sendable {
        package let type: String
        package let data: Data

        package init(type: String, data: Data) {
            self.type = type
            self.data = data
        }
    }

    /// Changes whenever a file does.
    package let version: String
    private let files: [String: File]

    private static let types = [
        "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
        "png": "image/png",
    ]

    init(folder: URL) throws {
        var files: [String: File] = [:]
        var digest = SHA256()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        for name in names {
            guard let type = Self.types[(name as NSString).pathExtension] else { continue }
            let data = try Data(contentsOf: folder.appending(path: name))
            files[name] = File(type: type, data: data)
            digest.update(data: data)
        }
        self.files = files
        version = digest.finalize().prefix(6).map { String(format: "%02x", $0) }.joined()
    }

    package func file(_ name: String) -> File? { files[name] }

    package var names: [String] { files.keys.sorted() }
}
