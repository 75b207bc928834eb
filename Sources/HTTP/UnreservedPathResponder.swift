package import Hummingbird
package import HummingbirdCore

/// Decodes percent-encoded letters, digits, `-`, `.`, `_` and `~` in the path before the router sees it, because
/// `/v1/%6cistings` is the same address as `/v1/listings` (RFC 3986, 6.2.2.2). Middleware would be too late: it runs after
/// the route was chosen.
package struct UnreservedPathResponder<Next: HTTPResponder>: HTTPResponder {
    private let next: Next

    package func respond(to request: Request, context: Next.Context) async throws -> Response {
        guard let target = request.head.path, let decoded = Self.decoded(target) else {
            return try await next.respond(to: request, context: context)
        }
        var head = request.head
        head.path = decoded
        return try await next.respond(to: Request(head: head, body: request.body), context: context)
    }

    /// Returns nil if the path contains no such character.
    private static func decoded(_ target: String) -> String? {
        guard target.utf8.contains(percent) else { return nil }
        let bytes = Array(target.utf8)
        let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        var result: [UInt8] = []
        var index = 0
        while index < end {
            if bytes[index] == percent, index + 2 < end, let high = hexValue(bytes[index + 1]),
                let low = hexValue(bytes[index + 2]), isUnreserved(high << 4 | low)
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        guard result.count < end else { return nil }
        return String(decoding: result + bytes[end...], as: UTF8.self)
    }

    private static var percent: UInt8 { UInt8(ascii: "%") }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }

    fileprivate init(_ next: Next) {
        self.next = next
    }
}

/// Builds the responder of a router behind an `UnreservedPathResponder`.
package struct UnreservedPathRouter<Router: HTTPResponderBuilder>: HTTPResponderBuilder {
    private let router: Router

    package init(_ router: Router) {
        self.router = router
    }

    package func buildResponder() -> UnreservedPathResponder<Router.Responder> {
        UnreservedPathResponder(router.buildResponder())
    }
}
