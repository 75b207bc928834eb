import Foundation
package import NIOCore

/// An IP address. IPv4 addresses are stored as IPv4-mapped IPv6 addresses (`::ffff:0:0/96`).
package struct NetworkAddress: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt64

    private static let ipv4: UInt64 = 0xFFFF << 32

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package init(ipv4: UInt32) {
        self.init(high: 0, low: Self.ipv4 | UInt64(ipv4))
    }

    /// Returns nil if the text is not an IP address, for example a host name.
    package init?(_ text: some StringProtocol) {
        var short = in_addr()
        var long = in6_addr()
        let text = String(text)
        if inet_pton(AF_INET, text, &short) == 1 {
            self.init(ipv4: UInt32(bigEndian: short.s_addr))
        } else if inet_pton(AF_INET6, text, &long) == 1 {
            self.init(long)
        } else {
            return nil
        }
    }

    /// Returns nil for a Unix domain socket.
    package init?(_ address: SocketAddress?) {
        switch address {
        case .v4(let address): self.init(ipv4: UInt32(bigEndian: address.address.sin_addr.s_addr))
        case .v6(let address): self.init(address.address.sin6_addr)
        default: return nil
        }
    }

    private init(_ address: in6_addr) {
        self = withUnsafeBytes(of: address) { bytes in
            NetworkAddress(
                high: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    /// `::`, the address of clients that cannot be identified. No client has it.
    package static let unspecified = NetworkAddress(high: 0, low: 0)

    /// The bits of the address in hexadecimal digits.
    package var hexadecimal: String { String(high, radix: 16) + ":" + String(low, radix: 16) }

    package var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    package var isLoopback: Bool { isIPv4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1 }

    /// The part of the address that identifies one customer of a provider: the first 64 bits of an IPv6 address, or the
    /// whole IPv4 address.
    package var site: NetworkAddress { isIPv4 ? self : NetworkAddress(high: high, low: 0) }

    /// The networks that contain the address and that one customer may own, the widest one first: the /48, the /56 and
    /// the /64 of an IPv6 address; the /24 of an IPv4 address and the address.
    package var networks: [NetworkAddress] {
        if isIPv4 { return [NetworkAddress(high: high, low: low & ~0xFF), self] }
        return [48, 56, 64].map { NetworkAddress(high: high & NetworkRange.mask($0), low: 0) }
    }
}

/// A range of addresses with a common prefix, such as `10.0.0.0/8` or `2001:db8::/32`.
package struct NetworkRange: Sendable {
    private let start: NetworkAddress
    /// The length of the prefix in bits, from 0 to 128.
    private let prefix: Int

    package static let loopback = [
        NetworkRange(start: NetworkAddress(ipv4: 127 << 24), prefix: 104),
        NetworkRange(start: NetworkAddress(high: 0, low: 1), prefix: 128),
    ]

    private init(start: NetworkAddress, prefix: Int) {
        self.start = start
        self.prefix = prefix
    }

    /// Parses a range in CIDR notation. An address without a prefix length is a range of one address.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let start = parts.first.flatMap({ NetworkAddress($0) }) else { return nil }
        let longest = start.isIPv4 ? 32 : 128
        let length = parts.count == 2 ? Int(parts[1]) : longest
        guard let length, (0...longest).contains(length) else { return nil }
        self.init(start: start, prefix: length + 128 - longest)
    }

    package func contains(_ address: NetworkAddress) -> Bool {
        (address.high ^ start.high) & Self.mask(prefix) == 0 && (address.low ^ start.low) & Self.mask(prefix - 64) == 0
    }

    /// Returns a mask of the first `bits` of 64 bits; the count is clamped to 0...64. `<<` by 64 returns 0.
    fileprivate static func mask(_ bits: Int) -> UInt64 { ~0 << UInt64(64 - min(max(bits, 0), 64)) }
}
