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
    /// What pages are styled with. It stands in each of them: a phone far from a mast paints a whole round trip earlier.
    let stylesheet: String
    /// Of the stylesheet, as a Content-Security-Policy names it.
    package let stylesheetHash: String
    private let files: [String: File]

    private static let types = [
        "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml", "png": "image/png",
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
        let style = try Data(contentsOf: folder.appending(path: "app.css"))
        digest.update(data: style)
        stylesheet = String(decoding: style, as: UTF8.self)
        stylesheetHash = "sha256-" + Data(SHA256.hash(data: style)).base64EncodedString()
        version = digest.finalize().prefix(6).map { String(format: "%02x", $0) }.joined()
    }

    package func file(_ name: String) -> File? { files[name] }

    package var names: [String] { files.keys.sorted() }
}
