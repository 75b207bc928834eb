import CDeflate
import HTTPTypes
package import Hummingbird
import NIOCore

/// Computes a weak entity tag from the body of every cacheable response that has none yet, and answers 304 if the
/// client already has the same bytes.
///
/// The tag consists of two 32-bit checksums, which cost a tenth of a cryptographic digest. They detect accidental
/// changes and are no protection against forgery.
package struct EntityTagMiddleware: RouterMiddleware {

    package init() {}

    /// The maximum size in bytes. Computing the checksums of longer bodies would block the thread for too long.
    private static let maxSize = 8 << 20

    package func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard request.method == .get || request.method == .head, response.status == .ok,
            response.headers[.eTag] == nil, response.headers[.cacheControl]?.contains(CacheControl.noStore) != true,
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

    /// Returns the CRC-32 and the Adler-32 of the bytes, written in base 36. About one change in 2^32 leaves the result
    /// the same.
    package static func sums(_ bytes: UnsafeRawBufferPointer) -> String {
        let sums =
            UInt64(libdeflate_crc32(0, bytes.baseAddress, bytes.count)) << 32
            | UInt64(libdeflate_adler32(1, bytes.baseAddress, bytes.count))
        return String(sums, radix: 36)
    }
}
