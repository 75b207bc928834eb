package import Domain
package import HTTP
import HTTPTypes

/// The proxies that are trusted to name the client of a request, in one header that the operator chooses. Its list is
/// read from the right, because clients can write anything on the left. The other header is ignored, because a proxy
/// passes on what the client wrote in it.
package struct TrustedProxies: Sendable {
    package enum Header: String, CaseIterable, Sendable {
        case xForwardedFor = "x-forwarded-for"
        /// RFC 7239.
        case forwarded
    }

    private let ranges: [NetworkRange]
    private let header: Header

    package static let none = TrustedProxies([])

    package init(_ ranges: [NetworkRange], header: Header = .xForwardedFor) {
        self.ranges = ranges
        self.header = header
    }

    /// Parses a comma-separated list of addresses, ranges such as `10.0.0.0/8`, and `loopback`.
    package init(parsing list: String, header: Header = .xForwardedFor) throws(ServiceError) {
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
        self.init(ranges, header: header)
    }

    /// Returns the address of the client; `unspecified` if the header of the proxy does not contain one, so that all
    /// unidentified clients share one limit.
    func client(peer: NetworkAddress, _ headers: HTTPFields) -> NetworkAddress {
        guard !ranges.isEmpty, isTrusted(peer) else { return peer }
        let client =
            switch header {
            case .xForwardedFor: headers[.forwardedFor].map { last(of: $0[...], peer) { $0 } }
            case .forwarded: headers[.forwarded].map { last(of: $0[...], peer, Self.node) }
            }
        guard let client else { return peer }
        return client ?? .unspecified
    }

    func isTrusted(_ address: NetworkAddress) -> Bool { ranges.contains { $0.contains(address) } }

    /// Returns the last address in a comma-separated list that is not a trusted proxy, or nil if an entry cannot be
    /// parsed.
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

    /// Returns the `for` parameter of an element such as `for="[2001:db8::1]:4711";proto=https`.
    private static func node(_ element: Substring) -> Substring {
        let pairs = element.split(separator: ";").map { $0.withoutSpaces.split(separator: "=", maxSplits: 1) }
        let value = pairs.first { $0.count == 2 && $0[0].lowercased() == "for" }?[1] ?? ""
        return value.hasPrefix("\"") && value.hasSuffix("\"") ? value.dropFirst().dropLast() : value
    }

    /// Parses an address with or without a port.
    private static func address(_ text: Substring) -> NetworkAddress? {
        if text.hasPrefix("[") { return NetworkAddress(text.dropFirst().prefix { $0 != "]" }) }
        return NetworkAddress(text) ?? NetworkAddress(text.prefix { $0 != ":" })
    }
}

extension Substring {
    /// The text without leading and trailing spaces and tabs. Trimming all Unicode white space would take longer than
    /// everything else here.
    fileprivate var withoutSpaces: Substring {
        var bytes = utf8[...]
        while let byte = bytes.first, byte == 0x20 || byte == 0x09 { bytes.removeFirst() }
        while let byte = bytes.last, byte == 0x20 || byte == 0x09 { bytes.removeLast() }
        return Substring(bytes)
    }
}
