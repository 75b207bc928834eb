import CZlib
import Foundation
import OpenStreetMap

/// A file that is deleted with this object.
final class TemporaryFile {
    let url: URL

    init(_ bytes: some Sequence<UInt8>, named name: String = "file") throws {
        url = FileManager.default.temporaryDirectory.appending(path: "\(UUID())-\(name)")
        try Data(bytes).write(to: url)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}

func read(_ bytes: some Sequence<UInt8>) throws -> Extract {
    let file = try TemporaryFile(bytes)
    return try withExtendedLifetime(file) { try PointsOfInterestFile(file.url).read() }
}

func read(_ text: String) throws -> Extract {
    try read(text.utf8)
}

/// The text of the error after the file's name, or nil if the file is read without error.
func failure(_ bytes: some Sequence<UInt8>) throws -> String? {
    do {
        _ = try read(bytes)
        return nil
    } catch let error as OpenStreetMapFileError {
        return error.reason
    }
}

func failure(_ text: String) throws -> String? {
    try failure(text.utf8)
}

func gzipped(_ bytes: some Sequence<UInt8>) throws -> [UInt8] {
    let file = try TemporaryFile([])
    let content = Array(bytes)
    let stream = gzopen(file.url.path, "wb")
    gzwrite(stream, content, UInt32(content.count))
    gzclose_w(stream)
    return Array(try Data(contentsOf: file.url))
}

func zlibbed(_ bytes: [UInt8]) -> [UInt8] {
    var length = compressBound(UInt(bytes.count))
    return [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
        compress(buffer.baseAddress, &length, bytes, UInt(bytes.count))
        count = Int(length)
    }
}
