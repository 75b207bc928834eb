import Domain
import Foundation
import HTTPTypes
import Hummingbird
package import HummingbirdCore

/// Rejects request targets that cannot be decoded, and normalises the others, because links in responses are built from
/// them: it removes the host, which proxies receive, empty segments, and so a trailing slash too. `UnreservedPathResponder`
/// has decoded letters and digits; other percent-encoded characters stay encoded: `%2F` does not separate segments. `.`
/// and `..` are ordinary segments.
package struct TargetMiddleware: RouterMiddleware {

    package init() {}

    /// The maximum length in bytes. A search with all filters takes a tenth of it.
    private static let maxLength = 16 << 10

    package func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        guard !request.headers.contains(.host) else { throw ServiceError.invalid("Host", "expected once") }
        let target = request.head.path ?? ""
        guard target.utf8.count <= Self.maxLength else {
            throw ServiceError(.longAddress, "address: expected at most \(Self.maxLength / 1024) KiB")
        }
        if target.utf8.contains(UInt8(ascii: "%")) { try Self.check(request.uri) }
        guard !Self.isPlain(target), target != "*" else { return try await next(request, context) }
        let segments = request.uri.path.split(separator: "/")
        var head = request.head
        head.path = "/" + segments.joined(separator: "/") + (request.uri.query.map { "?" + $0 } ?? "")
        return try await next(Request(head: head, body: request.body), context)
    }

    private static func check(_ uri: URI) throws(ServiceError) {
        for (name, part) in [("path", uri.path), ("query", uri.query ?? "")] {
            guard let text = part.removingPercentEncoding, !text.utf8.contains(0) else {
                throw .invalid(name, "expected UTF-8 without NUL, encoded like %C3%A8")
            }
        }
    }

    /// Returns whether the target is already normalised. It compares bytes, because it runs for every request.
    private static func isPlain(_ target: String) -> Bool {
        let slash = UInt8(ascii: "/")
        var last: UInt8 = 0
        var length = 0
        for byte in target.utf8 {
            if byte == UInt8(ascii: "?") { break }
            guard byte == slash || length > 0, byte != slash || last != slash else { return false }
            last = byte
            length += 1
        }
        return length == 1 || length > 1 && last != slash
    }
}
