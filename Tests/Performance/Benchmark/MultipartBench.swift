import Domain
import Forms
import Foundation
import NIOCore

/// Measures how fast files in forms are read.
struct MultipartBench {
    private static let size = 256 << 20

    /// The patterns that fill the file; some resemble the boundary.
    private static let patterns = ["random", "\r", "\r\n", "\rx", "\r\n--X-", "\r\n--X-z", "\r\r\n--X-"]

    func files() async throws {
        for pattern in Self.patterns { try await readFile(pattern) }
    }

    private func readFile(_ unit: String) async throws {
        let piece: [UInt8]
        if unit == "random" {
            piece = (0..<1 << 16).map { _ in UInt8.random(in: 0...255) }
        } else {
            piece = Array(String(repeating: unit, count: (1 << 16) / unit.utf8.count).utf8)
        }
        let head = ByteBuffer(string: "--X-y\r\nContent-Disposition: form-data; name=a; filename=b\r\n\r\n")
        let file = Array(repeating: ByteBuffer(bytes: piece), count: Self.size / piece.count)
        let pieces = [head] + file + [ByteBuffer(string: "\r\n--X-y--")]
        var size = 0
        let time = try await ContinuousClock().measure { size = try await fileSize(pieces) }
        guard size == piece.count * file.count else { throw ServiceError.invalid("body", "read \(size) bytes") }
        let rate = Double(size) / 1e6 / (time / .seconds(1))
        print("\(unit.debugDescription): \(Int(rate)) MB/s")
    }

    private func fileSize(_ pieces: [ByteBuffer]) async throws -> Int {
        let reader = try MultipartReader(
            AsyncStream(pieces),
            contentType: "multipart/form-data; boundary=X-y"
        )
        var size = 0
        while case .file(let file)? = try await reader.next() {
            for try await piece in file { size += piece.readableBytes }
        }
        return size
    }
}

extension AsyncStream where Element: Sendable {
    fileprivate init(_ elements: [Element]) {
        self.init { continuation in
            for element in elements { continuation.yield(element) }
            continuation.finish()
        }
    }
}
