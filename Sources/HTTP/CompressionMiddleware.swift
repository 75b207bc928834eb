import CDeflate
import HTTPTypes
package import Hummingbird
package import NIOCore
import Synchronization

/// Compresses response bodies with gzip for clients that accept it, if the body is text (or a vector tile, which is
/// mostly text), longer than a network packet, and completely in memory.
package struct CompressionMiddleware: RouterMiddleware {

    package init() {}

    /// The minimum size in bytes. Compression does not make shorter bodies arrive sooner.
    private static let minSize = 1400
    /// The maximum size in bytes. Compressing longer bodies would block the thread for too long.
    private static let maxSize = 8 << 20

    package func handle(
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
        // The entity tag becomes a weak one, because the compressed bytes differ from the original bytes (RFC 9110,
        // 8.8.1).
        if let tag = response.headers[.eTag], !tag.hasPrefix("W/") { response.headers[.eTag] = "W/" + tag }
        return response
    }

    /// Completes the headers of a 304 response: the entity tag takes the form that the client sent, so that caches find
    /// the stored response (RFC 9111, 4.3.4), and `Vary` has the value that a 200 response would have (RFC 9110,
    /// 15.4.5), even if that response might be too short to be compressed.
    private static func confirm(_ response: inout Response, _ request: Request) {
        response.vary(by: "Accept-Encoding")
        guard let tag = response.headers[.eTag], !tag.hasPrefix("W/"),
            request.headers[.ifNoneMatch]?.contains("W/" + tag) == true
        else { return }
        response.headers[.eTag] = "W/" + tag
    }

    private static let textTypes = ["vector-tile", "json", "xml", "javascript"].map { Array($0.utf8) }

    /// Compares bytes: Foundation's search for a text takes a microsecond, and each response needs several.
    private static func holdsText(_ type: String) -> Bool {
        let bytes = type.utf8
        return type.hasPrefix("text/")
            || textTypes.contains { name in bytes.indices.contains { bytes[$0...].starts(with: name) } }
    }

    /// Returns whether the `Accept-Encoding` header allows gzip. A weight of 0 means "not acceptable" (RFC 9110,
    /// 12.5.3).
    private static func acceptsGzip(_ header: String) -> Bool {
        header.split(separator: ",").contains { part in
            let pieces = part.split(separator: ";").map(\.trimmed)
            guard let coding = pieces.first, ["gzip", "x-gzip", "*"].contains(coding.lowercased()) else { return false }
            return pieces.dropFirst().allSatisfy { !$0.hasPrefix("q=") || Double($0.dropFirst(2)) != 0 }
        }
    }
}

extension ResponseBody {
    /// The compression level, from 1 to 12. Level 1 takes two thirds of the time of level 6 and produces 5 % more
    /// bytes.
    private static let level: CInt = 1

    /// Returns the compressed bytes, or nil if they are not fewer than the original bytes.
    fileprivate func gzipped() async throws -> ByteBuffer? {
        let bytes = try await collected()
        // Allocating a compressor costs a tenth of a typical compression.
        guard let compressor = libdeflate_alloc_compressor(Self.level) else { return nil }
        defer { libdeflate_free_compressor(compressor) }
        var smaller = ByteBuffer()
        let written = bytes.withUnsafeReadableBytes { bytes in
            smaller.writeWithUnsafeMutableBytes(minimumWritableBytes: bytes.count) { space in
                // The function returns 0 if the output does not fit into as many bytes as the input has.
                libdeflate_gzip_compress(compressor, bytes.baseAddress, bytes.count, space.baseAddress, bytes.count)
            }
        }
        return written > 0 ? smaller : nil
    }

    /// Returns the complete body in one buffer.
    package func collected() async throws -> ByteBuffer {
        let collector = Collector()
        try await write(collector)
        return collector.contents
    }
}

/// A body writer that keeps the written bytes in memory.
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
