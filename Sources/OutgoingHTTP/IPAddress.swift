import Foundation

/// An IPv4 or IPv6 address without a zone.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16 bytes in network order.
    package let bytes: [UInt8]

    /// - Parameter text: the usual notation: four decimal numbers, or IPv6 without brackets and zone.
    package init?(_ text: String) {
        var short = in_addr()
        var long = in6_addr()
        // inet_pton reads a C string, which would end at a null byte.
        guard !text.utf8.contains(0) else { return nil }
        if inet_pton(AF_INET, text, &short) == 1 {
            bytes = withUnsafeBytes(of: short) { Array($0) }
        } else if inet_pton(AF_INET6, text, &long) == 1 {
            bytes = withUnsafeBytes(of: long) { Array($0) }
        } else {
            return nil
        }
    }

    init(ipv4 number: UInt32) {
        bytes = withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// Returns nil for other families of addresses.
    init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            bytes = withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
        case AF_INET6:
            bytes = withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
        default: return nil
        }
    }

    package var isIPv6: Bool { bytes.count == 16 }

    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(isIPv6 ? AF_INET6 : AF_INET, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// As hosts are written in URLs.
    var urlText: String { isIPv6 ? "[\(self)]" : description }
}

/// All addresses with the same first bits, written as `10.0.0.0/8` or `fc00::/7`.
package struct IPNetwork: Hashable, Sendable {
    let first: IPAddress
    let length: Int

    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = IPAddress(String(parts[0])), let length = Int(parts[1]),
            (0...first.bytes.count * 8).contains(length)
        else { return nil }
        self.first = first
        self.length = length
    }

    package func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == first.bytes.count else { return false }
        let (whole, rest) = length.quotientAndRemainder(dividingBy: 8)
        guard address.bytes.prefix(whole) == first.bytes.prefix(whole) else { return false }
        return rest == 0 || (address.bytes[whole] ^ first.bytes[whole]) >> (8 - rest) == 0
    }
}
