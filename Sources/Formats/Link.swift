import Foundation

/// The URL under which clients reach the service. Links in responses begin with it, and never with the `Host` header,
/// which clients can forge.
package struct BaseURL: Sendable {
    /// The URL without a trailing slash.
    package let text: String

    /// Returns nil if the text is not an absolute `http` or `https` URL without query and fragment.
    package init?(_ text: String) {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host()?.isEmpty == false,
            url.query() == nil, url.fragment() == nil
        else { return nil }
        self.text = text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    package var isSecure: Bool { text.hasPrefix("https:") }

    /// The path that the URL of every resource begins with; empty if the service is at the root of a host.
    package var path: String { URL(string: text).map { $0.path() } ?? "" }

    /// The scheme, host and port, in the format of the `Origin` header.
    package var origin: String { String(text.dropLast(path.utf8.count)) }

    package func link(_ path: String) -> String { text + path }
}

/// A relation to another resource (RFC 8288).
package struct Link {
    package let rel: String
    package let href: String
    package let type: String?
    package let title: String?

    package init(rel: String, href: String, type: String? = nil, title: String? = nil) {
        (self.rel, self.href, self.type, self.title) = (rel, href, type, title)
    }
}

extension [Link] {
    /// The links in the format of the `Link` header.
    package var header: String {
        map { link in "<\(link.href)>; rel=\"\(link.rel)\"" + (link.type.map { "; type=\"\($0)\"" } ?? "") }
            .joined(separator: ", ")
    }
}

extension JSONWriter {
    package mutating func links(_ links: [Link]) {
        objects("links", links) { json, link in
            json.field("rel", link.rel)
            json.field("href", link.href)
            if let type = link.type { json.field("type", type) }
            if let title = link.title { json.field("title", title) }
        }
    }
}
