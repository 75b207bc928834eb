import CDeflate
import HTTPTypes
import Hummingbird
import NIOCore

/// Gives every answer that may be kept, and has no tag of its own, one of its bytes, and lets who has them already keep them.
///
/// Two sums of 32 bits, together a tenth of what a digest costs: weak, for whoever reads again, and nobody's proof.
struct EntityTagMiddleware: RouterMiddleware {
    /// Bytes. What is longer would hold up the thread.
    private static let maxSize = 8 << 20

    func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard request.method == .get || request.method == .head, response.status == .ok,
            response.headers[.eTag] == nil, response.headers[.cacheControl]?.contains("no-store") != true,
            let length = response.body.contentLength, (1...Self.maxSize).contains(length)
        else { return response }
        let bytes = try await response.body.collected()
        let tag = "\"" + bytes.withUnsafeReadableBytes(Self.sums) + "\""
        guard request.knows(tag) else {
            response.headers[.eTag] = "W/" + tag
            return response
        }
        for name in [HTTPField.Name.contentType, .contentLength, .contentLanguage] { response.headers[name] = nil }
        response.headers[.eTag] = "W/" + tag
        return Response(status: .notModified, headers: response.headers)
    }

    /// What changes with any of the bytes, but for one change in four thousand million.
    static func sums(_ bytes: UnsafeRawBufferPointer) -> String {
        let sums =
            UInt64(libdeflate_crc32(0, bytes.baseAddress, bytes.count)) << 32
            | UInt64(libdeflate_adler32(1, bytes.baseAddress, bytes.count))
        return String(sums, radix: 36)
    }
}
