import Cryptography
import Foundation

/// The files of a model, read and checked against each other.
struct ModelFolder {
    static let manifestName = "manifest.json"
    static let networkName = "model.onnx"
    static let projectionName = "projection.bin"
    private static let maxManifestBytes = 4 << 20
    private static let maxNetworkBytes = 512 << 20
    private static let maxProjectionBytes = 32 << 20

    let manifest: ModelManifest
    let manifestBytes: Data
    let network: Data
    /// The file of the network, to read it again.
    let networkFile: ModelFile
    /// The matrix that makes vectors of features; nil if the manifest names none.
    let projection: Data?

    init(_ folder: URL) throws(ModelError) {
        manifestBytes = try Self.manifestBytes(folder)
        manifest = try ModelManifest(json: manifestBytes)
        networkFile = try ModelFile(folder.appending(path: Self.networkName), most: Self.maxNetworkBytes)
        network = try manifest.checked(networkFile.read())
        if let expected = manifest.features?.projection?.sha256 {
            let file = try ModelFile(folder.appending(path: Self.projectionName), most: Self.maxProjectionBytes)
            projection = try file.read().checked(Self.projectionName, expected)
        } else {
            projection = nil
        }
    }

    static func manifest(_ folder: URL) throws(ModelError) -> ModelManifest {
        try ModelManifest(json: manifestBytes(folder))
    }

    private static func manifestBytes(_ folder: URL) throws(ModelError) -> Data {
        try ModelFile(folder.appending(path: manifestName), most: maxManifestBytes).read()
    }
}

extension ModelManifest {
    /// Returns the bytes of the network if they have the checksum of the manifest.
    func checked(_ network: Data) throws(ModelError) -> Data {
        try network.checked(ModelFolder.networkName, sha256)
    }
}

extension Data {
    /// Returns the bytes of a file if they have a checksum.
    fileprivate func checked(_ file: String, _ expected: String) throws(ModelError) -> Data {
        let found = Data.sha256(self).hexadecimal
        guard found == expected else { throw .checksum(file: file, expected: expected, found: found) }
        return self
    }
}

/// An open regular file of limited size. It remains readable when another file takes its name.
final class ModelFile: Sendable {
    private let url: URL
    private let size: Int
    private let descriptor: CInt

    /// - Parameter most: The maximum size in bytes.
    init(_ url: URL, most: Int) throws(ModelError) {
        self.url = url
        // Without O_NONBLOCK, opening a pipe would wait for a writer.
        descriptor = open(url.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(url) }
        do throws(ModelError) { size = try Self.size(descriptor, url, most: most) } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    /// Returns the bytes of the file. Several threads may read at the same time.
    func read() throws(ModelError) -> Data {
        var bytes = Data(count: size)
        var read = 0
        while read < size {
            let count = bytes.withUnsafeMutableBytes { bytes in
                pread(
                    descriptor,
                    UnsafeMutableRawBufferPointer(rebasing: bytes[read...]).baseAddress,
                    size - read,
                    off_t(read)
                )
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure(url) }
            guard count > 0 else { throw .file(path: url.path, reason: "the file became shorter") }
            read += count
        }
        return bytes
    }

    private static func size(_ descriptor: CInt, _ url: URL, most: Int) throws(ModelError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(url) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .file(path: url.path, reason: "not a file") }
        let size = Int(status.st_size)
        guard size > 0 else { throw .file(path: url.path, reason: "the file is empty") }
        guard size <= most else { throw .file(path: url.path, reason: "\(size) bytes, more than \(most)") }
        return size
    }

    /// Returns an error with the message for `errno`.
    static func failure(_ url: URL) -> ModelError {
        .file(path: url.path, reason: String(cString: strerror(errno)))
    }
}
