package import Domain
import HTTPTypes

/// The proxies whose word counts for where a request comes from: `Forwarded` (RFC 7239) or `X-Forwarded-For`, read from the right, because
/// the left is what clients say of themselves.
package struct TrustedProxies: Sendable {
    private let ranges: [NetworkRange]

    package static let none = TrustedProxies([])

    package init(_ ranges: [NetworkRange]) {
        self.ranges = ranges
    }

    /// Of a list with commas: addresses, ranges like `10.0.0.0/8`, and `loopback`.
    package init(parsing list: String) throws(ServiceError) {
        var ranges: [NetworkRange] = []
        for name in list.split(separator: ",").map(\.trimmed) where name != "none" {
            if name == "loopback" {
                ranges += NetworkRange.loopback
            } else if let range = NetworkRange(name) {
                ranges.append(range)
            } else {
                throw .invalid("trusted-proxies", "expected loopback or ranges like 10.0.0.0/8, got '\(name)'")
            }
        }
        self.init(ranges)
    }

    /// Where a request comes from; nil where that is not to be told from what the proxies say.
    func client(peer: NetworkAddress, _ headers: HTTPFields) -> NetworkAddress? {
        guard !ranges.isEmpty, isTrusted(peer) else { return peer }
        let told = headers[.forwardedFor].map { $0.split(separator: ",").map(\.trimmed) }
        let standard = headers[.forwarded].map { $0.split(separator: ",").map(Self.node) }
        switch (told, standard) {
        case (nil, nil): return peer
        case (let list?, nil), (nil, let list?): return last(of: list, peer)
        case (let told?, let standard?):
            // A proxy writes one and leaves the other as the client sent it.
            let both = (last(of: told, peer), last(of: standard, peer))
            return both.0 == both.1 ? both.0 : nil
        }
    }

    private func isTrusted(_ address: NetworkAddress) -> Bool { ranges.contains { $0.contains(address) } }

    /// The last one that none of our proxies is.
    private func last(of list: [Substring], _ peer: NetworkAddress) -> NetworkAddress? {
        var nearest = peer
        for text in list.reversed() {
            guard let address = Self.address(text) else { return nil }
            nearest = address
            guard isTrusted(address) else { break }
        }
        return nearest
    }

    /// Of `for="[2001:db8::1]:4711";proto=https`.
    private static func node(_ element: Substring) -> Substring {
        let pairs = element.split(separator: ";").map { $0.trimmed.split(separator: "=", maxSplits: 1) }
        let value = pairs.first { $0.count == 2 && $0[0].lowercased() == "for" }?[1] ?? ""
        return value.hasPrefix("\"") && value.hasSuffix("\"") ? value.dropFirst().dropLast() : value
    }

    /// With or without a port.
    private static func address(_ text: Substring) -> NetworkAddress? {
        if text.hasPrefix("[") { return NetworkAddress(text.dropFirst().prefix { $0 != "]" }) }
        return NetworkAddress(text) ?? NetworkAddress(text.prefix { $0 != ":" })
    }
}

extension HTTPField.Name {
    // Well-formed names never fail; nil would be a programming error, and `via` harmless.
    fileprivate static let forwarded = HTTPField.Name("Forwarded") ?? .via
    fileprivate static let forwardedFor = HTTPField.Name("X-Forwarded-For") ?? .via
}
