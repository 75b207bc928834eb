import CDeflate
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// Compresses answers for clients that ask for it, where it pays: text, and tiles full of it, that is longer than a
/// packet and lies in memory as a whole.
struct CompressionMiddleware: RouterMiddleware {
    /// Bytes. What is shorter travels as fast as it is.
    private static let minSize = 1400
    /// Bytes. What is longer would hold up the thread.
    private static let maxSize = 8 << 20

    func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        if response.status == .notModified { Self.confirm(&response, request) }
        guard let length = response.body.contentLength, (Self.minSize...Self.maxSize).contains(length),
            response.headers[.contentEncoding] == nil, response.headers[.contentType].map(Self.holdsText) == true
        else { return response }
        response.vary(by: "Accept-Encoding")
        guard request.headers[.acceptEncoding].map(Self.acceptsGzip) == true,
            let smaller = try await response.body.gzipped()
        else { return response }
        response.body = ResponseBody(byteBuffer: smaller)
        response.headers[.contentEncoding] = "gzip"
        response.headers[.contentLength] = String(smaller.readableBytes)
        // The same listing, but not the same bytes (RFC 9110, 8.8.1).
        if let tag = response.headers[.eTag], !tag.hasPrefix("W/") { response.headers[.eTag] = "W/" + tag }
        return response
    }

    /// With the tag that the client has, so that caches find what is meant (RFC 9111, 4.3.4), and what the whole answer would
    /// depend on (RFC 9110, 15.4.5), though it may be too short for that.
    private static func confirm(_ response: inout Response, _ request: Request) {
        response.vary(by: "Accept-Encoding")
        guard let tag = response.headers[.eTag], !tag.hasPrefix("W/"),
            request.headers[.ifNoneMatch]?.contains("W/" + tag) == true
        else { return }
        response.headers[.eTag] = "W/" + tag
    }

    private static func holdsText(_ type: String) -> Bool {
        type.hasPrefix("text/") || type.contains("vector-tile") || type.contains("json") || type.contains("xml")
            || type.contains("javascript")
    }

    /// RFC 9110, 12.5.3: a weight of 0 means "not this".
    private static func acceptsGzip(_ header: String) -> Bool {
        header.split(separator: ",").contains { part in
            let pieces = part.split(separator: ";").map(\.trimmed)
            guard let coding = pieces.first, ["gzip", "x-gzip", "*"].contains(coding.lowercased()) else { return false }
            return pieces.dropFirst().allSatisfy { !$0.hasPrefix("q=") || Double($0.dropFirst(2)) != 0 }
        }
    }
}

extension ResponseBody {
    /// Of 1 to 12. The least: two thirds of the time of level 6, for a twentieth more bytes.
    private static let level: CInt = 1

    /// Nil where that does not make it smaller.
    fileprivate func gzipped() async throws -> ByteBuffer? {
        let bytes = try await collected()
        // Making one is a tenth of what it then does.
        guard let compressor = libdeflate_alloc_compressor(Self.level) else { return nil }
        defer { libdeflate_free_compressor(compressor) }
        var smaller = ByteBuffer()
        let written = bytes.withUnsafeReadableBytes { bytes in
            smaller.writeWithUnsafeMutableBytes(minimumWritableBytes: bytes.count) { space in
                // 0 where it would not fit into as many bytes.
                libdeflate_gzip_compress(compressor, bytes.baseAddress, bytes.count, space.baseAddress, bytes.count)
            }
        }
        return written > 0 ? smaller : nil
    }

    /// All of it.
    func collected() async throws -> ByteBuffer {
        let collector = Collector()
        try await write(collector)
        return collector.contents
    }
}

/// Takes what a body writes.
private final class Collector: ResponseBodyWriter {
    private let buffer = Mutex(ByteBuffer())

    func write(_ part: ByteBuffer) async throws {
        buffer.withLock { buffer in
            if buffer.readableBytes == 0 {
                buffer = part
            } else {
                buffer.writeImmutableBuffer(part)
            }
        }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}

    var contents: ByteBuffer { buffer.withLock(\.self) }
}
