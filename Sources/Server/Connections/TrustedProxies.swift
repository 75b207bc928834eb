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
        let told = headers[.forwardedFor].map { last(of: $0[...], peer) { $0 } }
        let standard = headers[.forwarded].map { last(of: $0[...], peer, Self.node) }
        switch (told, standard) {
        case (nil, nil): return peer
        case (let client?, nil), (nil, let client?): return client
        // A proxy writes one and leaves the other as the client sent it.
        case (let client?, let other?): return client == other ? client : nil
        }
    }

    func isTrusted(_ address: NetworkAddress) -> Bool { ranges.contains { $0.contains(address) } }

    /// The last one that none of our proxies is, of a list with commas; nil where it cannot be read.
    private func last(
        of list: Substring,
        _ peer: NetworkAddress,
        _ node: (Substring) -> Substring
    ) -> NetworkAddress? {
        guard !list.utf8.isEmpty else { return peer }
        let comma = list.utf8.lastIndex(of: UInt8(ascii: ","))
        let text = list[(comma.map(list.utf8.index(after:)) ?? list.startIndex)...]
        guard let address = Self.address(node(text.withoutSpaces)) else { return nil }
        guard isTrusted(address), let comma else { return address }
        return last(of: list[..<comma], address, node)
    }

    /// Of `for="[2001:db8::1]:4711";proto=https`.
    private static func node(_ element: Substring) -> Substring {
        let pairs = element.split(separator: ";").map { $0.withoutSpaces.split(separator: "=", maxSplits: 1) }
        let value = pairs.first { $0.count == 2 && $0[0].lowercased() == "for" }?[1] ?? ""
        return value.hasPrefix("\"") && value.hasSuffix("\"") ? value.dropFirst().dropLast() : value
    }

    /// With or without a port.
    private static func address(_ text: Substring) -> NetworkAddress? {
        if text.hasPrefix("[") { return NetworkAddress(text.dropFirst().prefix { $0 != "]" }) }
        return NetworkAddress(text) ?? NetworkAddress(text.prefix { $0 != ":" })
    }
}

extension Substring {
    /// At its ends, as headers have them: all of Unicode's would take longer than all the rest.
    fileprivate var withoutSpaces: Substring {
        var bytes = utf8[...]
        while let byte = bytes.first, byte == 0x20 || byte == 0x09 { bytes.removeFirst() }
        while let byte = bytes.last, byte == 0x20 || byte == 0x09 { bytes.removeLast() }
        return Substring(bytes)
    }
}
