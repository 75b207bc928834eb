import Crypto
import Foundation

/// The two files of a model, read and checked against each other.
struct ModelFolder {
    static let manifestName = "manifest.json"
    static let networkName = "model.onnx"
    private static let maxManifestBytes = 4 << 20
    private static let maxNetworkBytes = 512 << 20

    let manifest: ModelManifest
    let manifestBytes: Data
    let network: Data

    init(_ folder: URL) throws(ModelError) {
        manifestBytes = try Self.manifestBytes(folder)
        manifest = try ModelManifest(json: manifestBytes)
        network = try SmallFile.read(folder.appending(path: Self.networkName), most: Self.maxNetworkBytes)
        let found = SHA256.hash(data: network).map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
        guard found == manifest.sha256 else { throw .checksum(expected: manifest.sha256, found: found) }
    }

    static func manifest(_ folder: URL) throws(ModelError) -> ModelManifest {
        try ModelManifest(json: manifestBytes(folder))
    }

    private static func manifestBytes(_ folder: URL) throws(ModelError) -> Data {
        try SmallFile.read(folder.appending(path: manifestName), most: maxManifestBytes)
    }
}

enum SmallFile {
    /// Returns the bytes of a regular file of at most `most` bytes.
    static func read(_ url: URL, most: Int) throws(ModelError) -> Data {
        // Without O_NONBLOCK, opening a pipe would wait for a writer.
        let descriptor = open(url.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(url) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(url) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .file(path: url.path, reason: "not a file") }
        let size = Int(status.st_size)
        guard size > 0 else { throw .file(path: url.path, reason: "the file is empty") }
        guard size <= most else { throw .file(path: url.path, reason: "\(size) bytes, more than \(most)") }
        do {
            return try file.read(upToCount: size) ?? Data()
        } catch {
            throw .file(path: url.path, reason: "\(error)")
        }
    }

    /// Returns an error with the message for `errno`.
    static func failure(_ url: URL) -> ModelError {
        .file(path: url.path, reason: String(cString: strerror(errno)))
    }
}
