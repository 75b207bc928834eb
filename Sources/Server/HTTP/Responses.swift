import Crypto
import Domain
import Formats
import Foundation
import HTTPTypes
import Hummingbird

extension Response {
    init(_ json: borrowing JSONWriter, status: HTTPResponse.Status = .ok, type: String = "application/json") {
        self.init(
            status: status,
            headers: [.contentType: type],
            body: ResponseBody(byteBuffer: json.withBytes { ByteBuffer(bytes: $0) })
        )
    }

    static var noContent: Response { Response(status: .noContent) }

    /// Says what of a request the answer depends on besides its address (RFC 9110, 12.5.5).
    mutating func vary(by names: String) {
        headers[.vary] = [headers[.vary], names].compactMap(\.self).joined(separator: ", ")
    }
}

extension Collection<UInt8> {
    /// A tag that changes with any of the bytes.
    var entityTag: String {
        let digest = SHA256.hash(data: Data(self)).prefix(12)
        return "\"" + digest.map { String(format: "%02x", $0) }.joined() + "\""
    }
}

extension ByteBuffer {
    var sha256: Data { withUnsafeReadableBytes { Data(SHA256.hash(data: $0)) } }
}

/// A relation to another resource (RFC 8288).
struct Link {
    let rel: String
    let href: String
    var type: String?
    var title: String?
}

extension [Link] {
    /// As the header of that name tells them.
    var header: String {
        map { link in "<\(link.href)>; rel=\"\(link.rel)\"" + (link.type.map { "; type=\"\($0)\"" } ?? "") }
            .joined(separator: ", ")
    }
}

extension JSONWriter {
    mutating func links(_ links: [Link]) {
        array("links", links) { json, link in
            json.object { json in
                json.field("rel", link.rel)
                json.field("href", link.href)
                if let type = link.type { json.field("type", type) }
                if let title = link.title { json.field("title", title) }
            }
        }
    }
}

extension Response {
    /// A GeoJSON FeatureCollection with links; `write` writes the features and tells how many they were, and where the
    /// next page is.
    static func collection(
        selfLink: String,
        capacity: Int,
        _ write: (inout JSONWriter) throws -> (count: Int, next: String?)
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
            json.links(links)
        }
        var response = Response(json, type: type)
        response.headers[.link] = links.header
        return response
    }

    static func collection<Items: Collection>(
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

/// Where the service is reached from outside. Links start here, never from what a request claims in `Host`.
package struct BaseURL: Sendable {
    /// Without a slash at its end.
    let text: String

    /// Nil for anything but an absolute http or https address without query.
    package init?(_ text: String) {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host()?.isEmpty == false,
            url.query() == nil, url.fragment() == nil
        else { return nil }
        self.text = text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    var isSecure: Bool { text.hasPrefix("https:") }

    /// The path that every address begins with; empty at the root of a host.
    var path: String { URL(string: text).map { $0.path() } ?? "" }

    /// Scheme, host and port, as browsers name them in `Origin`.
    var origin: String { String(text.dropLast(path.utf8.count)) }

    func link(_ path: String) -> String { text + path }

    /// The request's own address.
    func link(_ request: Request) -> String {
        let asked = request.uri.string
        // As it came, unless a byte could end the link early where it is quoted.
        return asked.utf8.allSatisfy(\.isPlainInURI) ? text + asked : encodedLink(request)
    }

    /// The request's own address with the cursor of another page; the token needs no encoding.
    func link(_ request: Request, cursor: String) -> String {
        let own = link(request, without: ["cursor"])
        return own + (own.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + "cursor=" + cursor
    }

    /// The request's own address, or another path, with its parameters but for some.
    func link(_ request: Request, to path: String? = nil, without names: Set<String>) -> String {
        let parts = link(request).utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1)
        let kept = parts.dropFirst().flatMap { $0.split(separator: UInt8(ascii: "&")) }.map { String(Substring($0)) }
            .filter { !names.contains(String($0.prefix { $0 != "=" })) }
        let start = path.map(link) ?? String(Substring(parts[0]))
        return start + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
    }

    /// The request's own address, every part of it encoded anew.
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
