import Forms
import NIOCore

/// The complete contents of a form, including files.
struct ReadForm: Equatable {
    struct File: Equatable {
        var name: String
        var filename: String
        var contentType: String?
        var bytes: [UInt8] = []
    }

    var fields = FormFields()
    var files: [File] = []

    static let contentType = "multipart/form-data; boundary=X-y"

    /// - Parameter pieces: the body in the pieces in which it arrives.
    init(
        _ pieces: [ByteBuffer],
        contentType: String = contentType,
        limits: FormLimits = FormLimits()
    ) async throws {
        let reader = try MultipartReader(body(pieces), contentType: contentType, limits: limits)
        while let part = try await reader.next() {
            switch part {
            case .field(let name, let value): fields.append(name, value)
            case .file(let file):
                var read = File(name: file.name, filename: file.filename, contentType: file.contentType)
                for try await piece in file { read.bytes += piece.readableBytesView }
                files.append(read)
            }
        }
    }

    init(_ text: String, contentType: String = contentType, limits: FormLimits = FormLimits()) async throws {
        try await self.init([ByteBuffer(string: text)], contentType: contentType, limits: limits)
    }
}

func body(_ pieces: [ByteBuffer]) -> AsyncStream<ByteBuffer> {
    AsyncStream { continuation in
        for piece in pieces { continuation.yield(piece) }
        continuation.finish()
    }
}

/// A body whose lines end with CR LF. The boundary used in tests is `X-y`.
func lines(_ lines: String...) -> String { lines.map { $0 + "\r\n" }.joined() }

extension [UInt8] {
    /// Splits a body into pieces of equal size; the last one may be shorter.
    func pieces(of size: Int) -> [ByteBuffer] {
        stride(from: 0, to: count, by: size).map { ByteBuffer(bytes: self[$0..<Swift.min($0 + size, count)]) }
    }
}
