import Cryptography
import Domain
package import Formats
package import Foundation
package import HTTPTypes
package import Hummingbird

extension Response {
    package init(_ json: borrowing JSONWriter, status: HTTPResponse.Status = .ok, type: String = "application/json") {
        self.init(
            status: status,
            headers: [.contentType: type],
            body: ResponseBody(byteBuffer: json.withBytes { ByteBuffer(bytes: $0) })
        )
    }

    /// Returns a response with the JSON that `write` writes.
    package static func json(
        status: HTTPResponse.Status = .ok,
        _ write: (inout JSONWriter) throws -> Void
    ) rethrows -> Response {
        var json = JSONWriter()
        try write(&json)
        return Response(json, status: status)
    }

    /// Returns a response with a JSON object.
    package static func object(
        status: HTTPResponse.Status = .ok,
        _ members: (inout JSONWriter) throws -> Void
    ) rethrows -> Response {
        try json(status: status) { try $0.object(members) }
    }

    package static var noContent: Response { Response(status: .noContent) }

    /// Adds names of request headers that the response depends on to `Vary` (RFC 9110, 12.5.5).
    package mutating func vary(by names: String) {
        headers[.vary] = [headers[.vary], names].compactMap(\.self).joined(separator: ", ")
    }
}

extension Collection<UInt8> {
    /// A strong entity tag: the first 12 bytes of the SHA-256 digest, in hexadecimal.
    package var entityTag: String {
        // Other targets call this without specialization, where copying byte by byte would be slow.
        let digest = withContiguousStorageIfAvailable { Data.sha256(UnsafeRawBufferPointer($0)) } ?? .sha256(Data(self))
        return "\"" + digest.prefix(12).hexadecimal + "\""
    }
}

extension ByteBuffer {
    package var sha256: Data { withUnsafeReadableBytes { .sha256($0) } }
}

extension Response {
    /// Returns a GeoJSON FeatureCollection with links.
    ///
    /// - Parameters:
    ///   - selfLink: the URL of this page.
    ///   - capacity: the expected number of features, each about 1 KiB of JSON.
    ///   - write: writes the features, and returns their number and the URL of the next page.
    ///   - members: writes further members behind them.
    package static func collection(
        selfLink: String,
        capacity: Int,
        _ write: (inout JSONWriter) throws -> (count: Int, next: String?),
        members: (inout JSONWriter, _ count: Int) throws -> Void
    ) rethrows -> Response {
        let type = "application/geo+json"
        var links = [Link(rel: "self", href: selfLink, type: type)]
        var json = JSONWriter(capacity: 1024 + capacity * 1024)
        try json.object { json in
            json.field("type", "FeatureCollection")
            var count = 0
            try json.array("features") { json in
                let written = try write(&json)
                count = written.count
                if let next = written.next { links.append(Link(rel: "next", href: next, type: type)) }
            }
            json.field("numberReturned", count)
            try members(&json, count)
            json.links(links)
        }
        var response = Response(json, type: type)
        response.headers[.link] = links.header
        return response
    }

    package static func collection(
        selfLink: String,
        capacity: Int,
        _ write: (inout JSONWriter) throws -> (count: Int, next: String?)
    ) rethrows -> Response {
        try collection(selfLink: selfLink, capacity: capacity, write) { _, _ in }
    }

    package static func collection<Items: Collection>(
        _ items: Items,
        selfLink: String,
        _ write: (inout JSONWriter, Items.Element) throws -> Void
    ) rethrows -> Response {
        try collection(selfLink: selfLink, capacity: items.count) { json in
            for item in items { try write(&json, item) }
            return (items.count, nil)
        }
    }
}

extension Response {
    /// Returns a page of a list that no cache may store.
    ///
    /// - Parameters:
    ///   - next: the cursor of the next page.
    ///   - members: writes further members of the object.
    package static func list<Item>(
        _ name: StaticString,
        _ items: [Item],
        _ baseURL: BaseURL,
        _ request: Request,
        next: String?,
        _ write: (inout JSONWriter, Item) -> Void,
        members: (inout JSONWriter) -> Void = { _ in }
    ) -> Response {
        let links = baseURL.links(request, next: next)
        var response = Response.uncachedObject { json in
            json.array(name, items, write)
            json.field("numberReturned", items.count)
            members(&json)
            json.links(links)
        }
        response.headers[.link] = links.header
        return response
    }
}

extension BaseURL {
    /// Returns the URL of the request itself.
    package func link(_ request: Request) -> String {
        let asked = request.uri.string
        // The target is copied as it is, unless it contains a character that could end a quoted link early.
        return asked.utf8.allSatisfy(\.isPlainInURI) ? text + asked : encodedLink(request)
    }

    /// Returns the URL of the request with the cursor of another page. Cursor tokens need no percent-encoding.
    package func link(_ request: Request, cursor: String) -> String {
        let own = link(request, without: ["cursor"])
        return own + (own.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + "cursor=" + cursor
    }

    /// Returns the links of a page of a list: to itself, and to the next page if there is a cursor.
    package func links(_ request: Request, next cursor: String?, type: String? = "application/json") -> [Link] {
        let next = cursor.map { [Link(rel: "next", href: link(request, cursor: $0), type: type)] } ?? []
        return [Link(rel: "self", href: link(request), type: type)] + next
    }

    /// Returns the URL of the request, or of another path with the same query, without the named parameters.
    package func link(_ request: Request, to path: String? = nil, without names: Set<String>) -> String {
        let parts = link(request).utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1)
        let kept = parts.dropFirst().flatMap { $0.split(separator: UInt8(ascii: "&")) }
            .filter { !names.contains(String(Substring($0.prefix { $0 != UInt8(ascii: "=") }))) }
            .map { String(Substring($0)) }
        let start = path.map(link) ?? String(Substring(parts[0]))
        return start + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
    }

    /// Returns the URL of the request with each part of it percent-encoded again.
    private func encodedLink(_ request: Request) -> String {
        let path = request.uri.path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
        let encoded = request.queryFields.map { "\($0.name.queryEncoded)=\($0.value.queryEncoded)" }
        return link(path) + (encoded.isEmpty ? "" : "?" + encoded.joined(separator: "&"))
    }
}

extension UInt8 {
    fileprivate var isPlainInURI: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "%"),
            UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "="), UInt8(ascii: "&"), UInt8(ascii: ","),
            UInt8(ascii: ":"), UInt8(ascii: "+"):
            true
        default: false
        }
    }
}

extension String {
    fileprivate var queryEncoded: String {
        addingPercentEncoding(withAllowedCharacters: Self.plainInQuery) ?? ""
    }

    private static let plainInQuery = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~,:"
    )
}
