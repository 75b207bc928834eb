import Domain
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore

/// Refuses addresses that cannot be read, and gives the others one form, which links in answers are made of: without the host that
/// proxies are sent, without empty segments, and so without a slash at the end. What is encoded stays so: `%2F` parts no
/// segments, and dots are segments like others.
struct TargetMiddleware: RouterMiddleware {
    /// Bytes. A search with every filter takes a tenth.
    private static let maxLength = 16 << 10

    func handle(
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

    /// Byte by byte: this is asked of every request.
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
