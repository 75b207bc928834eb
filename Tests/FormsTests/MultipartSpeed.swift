import Forms
import Foundation
import NIOCore
import Testing

/// Prints the speed of reading files and asserts no times. The numbers are meaningful only with `-c release`, and the
/// suite runs only if `DOGGOFINDER_BENCH` is set.
@Suite("Multipart speed", .serialized, .enabled(if: ProcessInfo.processInfo.environment["DOGGOFINDER_BENCH"] != nil))
struct MultipartSpeed {
    private static let size = 256 << 20

    /// Each argument is a pattern that fills the file.
    @Test(
        "The speed of reading a file is measured",
        arguments: ["random", "\r", "\r\n", "\rx", "\r\n--X-", "\r\n--X-z", "\r\r\n--X-"]
    )
    func readFile(unit: String) async throws {
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
        #expect(size == piece.count * file.count)
        let rate = Double(size) / 1e6 / (time / .seconds(1))
        print("\(unit.debugDescription): \(Int(rate)) MB/s")
    }

    private func fileSize(_ pieces: [ByteBuffer]) async throws -> Int {
        let reader = try MultipartReader(body(pieces), contentType: ReadForm.contentType)
        var size = 0
        while case .file(let file)? = try await reader.next() {
            for try await piece in file { size += piece.readableBytes }
        }
        return size
    }
}
