import Foundation
import NIOCore

/// An address of the internet. Those of IPv4 stand in the part of IPv6 that is kept for them (`::ffff:0:0/96`).
package struct NetworkAddress: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    private static let ipv4: UInt64 = 0xFFFF << 32

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    init(ipv4: UInt32) {
        self.init(high: 0, low: Self.ipv4 | UInt64(ipv4))
    }

    /// Nil for what is no address, such as a name.
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

    /// Nil for a socket of this machine's own.
    init?(_ address: SocketAddress?) {
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

    var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    var isLoopback: Bool { isIPv4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1 }

    /// What one customer of a provider has: of IPv6, a network of 64 bits.
    var site: NetworkAddress { isIPv4 ? self : NetworkAddress(high: high, low: 0) }
}

/// Addresses that begin alike, like `10.0.0.0/8` or `2001:db8::/32`.
package struct NetworkRange: Sendable {
    private let start: NetworkAddress
    /// Bits, of 128.
    private let prefix: Int

    package static let loopback = [
        NetworkRange(start: NetworkAddress(ipv4: 127 << 24), prefix: 104),
        NetworkRange(start: NetworkAddress(high: 0, low: 1), prefix: 128),
    ]

    private init(start: NetworkAddress, prefix: Int) {
        self.start = start
        self.prefix = prefix
    }

    /// An address alone is a range of one.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let start = parts.first.flatMap({ NetworkAddress($0) }) else { return nil }
        let longest = start.isIPv4 ? 32 : 128
        let length = parts.count == 2 ? Int(parts[1]) : longest
        guard let length, (0...longest).contains(length) else { return nil }
        self.init(start: start, prefix: length + 128 - longest)
    }

    func contains(_ address: NetworkAddress) -> Bool {
        (address.high ^ start.high) & Self.mask(prefix) == 0 && (address.low ^ start.low) & Self.mask(prefix - 64) == 0
    }

    /// A shift by the whole width gives 0.
    private static func mask(_ bits: Int) -> UInt64 { ~0 << UInt64(64 - min(max(bits, 0), 64)) }
}
