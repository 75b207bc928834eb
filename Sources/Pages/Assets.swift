import Cryptography
package import Foundation

/// The static files of the pages, in memory. Their URLs contain the version, so that browsers can cache them
/// permanently.
package struct Assets: Sendable {
    package struct File: Sendable {
        package let type: String
        package let data: Data

        package init(type: String, data: Data) {
            self.type = type
            self.data = data
        }
    }

    /// Changes whenever a file changes.
    package let version: String
    /// The stylesheet, which every page contains inline: on slow mobile connections, pages then appear one round trip
    /// earlier.
    let stylesheet: String
    /// The hash of the stylesheet in the form that a Content-Security-Policy uses.
    package let stylesheetHash: String
    private let files: [String: File]

    private static let types = [
        "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg",
    ]

    init(folder: URL) throws {
        var files: [String: File] = [:]
        var digest = Hash()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        for name in names {
            guard let type = Self.types[(name as NSString).pathExtension] else { continue }
            let data = try Data(contentsOf: folder.appending(path: name))
            files[name] = File(type: type, data: data)
            digest.update(data)
        }
        self.files = files
        let style = try Data(contentsOf: folder.appending(path: "app.css"))
        digest.update(style)
        stylesheet = String(decoding: style, as: UTF8.self)
        stylesheetHash = "sha256-" + Data.sha256(style).base64EncodedString()
        version = digest.finish().prefix(6).hexadecimal
    }

    package func file(_ name: String) -> File? { files[name] }

    /// The icon as an ICO file: a directory with one entry, and the PNG of 192 pixels.
    package var favicon: File? {
        guard let png = files["icon-192.png"]?.data else { return nil }
        // Type 1 (icon), one image; width, height, no palette, one colour plane, 32 bits a pixel, length and offset.
        let head: [UInt8] = [0, 0, 1, 0, 1, 0, 192, 192, 0, 0, 1, 0, 32, 0]
        let numbers = [UInt32(png.count), 22].flatMap { number in
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
        return File(type: "image/vnd.microsoft.icon", data: Data(head + numbers) + png)
    }

    package var names: [String] { files.keys.sorted() }
}
