/// The addresses at which no server of the public Internet can be, as IANA lists them.
///
/// Sources: IANA IPv4 Special-Purpose Address Registry, IPv6 Special-Purpose Address Registry (both of RFC 6890), IPv4
/// Multicast Address Space Registry and Internet Protocol Version 6 Address Space, as of October 2024. Blocks that these
/// call globally reachable are included where they contain no servers of their own: relays, and name servers for
/// private addresses.
enum SpecialPurpose {
    private struct Block {
        let network: IPNetwork
        let name: String
    }

    /// Returns what an address is for; nil if it is an ordinary unicast address of the public Internet.
    static func name(of address: IPAddress) -> String? {
        if let block = (address.isIPv6 ? ipv6 : ipv4).first(where: { $0.network.contains(address) }) {
            return block.name
        }
        let isOutside = address.isIPv6 && globalUnicast?.contains(address) != true
        return isOutside ? "outside of IPv6 global unicast (RFC 4291)" : nil
    }

    /// All that IANA has assigned for global unicast. The rest, more than seven eighths, is refused without a list.
    private static let globalUnicast = IPNetwork("2000::/3")

    private static let ipv4 = blocks(
        """
        0.0.0.0/8 this network (RFC 791)
        10.0.0.0/8 private use (RFC 1918)
        100.64.0.0/10 shared address space of providers (RFC 6598)
        127.0.0.0/8 loopback (RFC 1122)
        169.254.0.0/16 link local (RFC 3927)
        172.16.0.0/12 private use (RFC 1918)
        192.0.0.0/24 IETF protocol assignments (RFC 6890)
        192.0.2.0/24 documentation (RFC 5737)
        192.31.196.0/24 AS112 (RFC 7535)
        192.52.193.0/24 AMT relays (RFC 7450)
        192.88.99.0/24 6to4 relays (RFC 7526)
        192.168.0.0/16 private use (RFC 1918)
        192.175.48.0/24 AS112 (RFC 7534)
        198.18.0.0/15 benchmarking (RFC 2544)
        198.51.100.0/24 documentation (RFC 5737)
        203.0.113.0/24 documentation (RFC 5737)
        224.0.0.0/4 multicast (RFC 5771)
        240.0.0.0/4 reserved (RFC 1112)
        """
    )

    /// The blocks outside of `2000::/3` are listed for their names in error messages.
    private static let ipv6 = blocks(
        """
        ::/128 unspecified (RFC 4291)
        ::1/128 loopback (RFC 4291)
        ::ffff:0:0/96 IPv4-mapped (RFC 4291)
        ::/96 IPv4-compatible (RFC 4291)
        64:ff9b::/96 IPv4/IPv6 translation (RFC 6052)
        64:ff9b:1::/48 IPv4/IPv6 translation (RFC 8215)
        100::/64 discard only (RFC 6666)
        100:0:0:1::/64 dummy prefix (RFC 9780)
        2001::/32 Teredo (RFC 4380)
        2001:2::/48 benchmarking (RFC 5180)
        2001::/23 IETF protocol assignments (RFC 2928)
        2001:db8::/32 documentation (RFC 3849)
        2002::/16 6to4 (RFC 3056)
        2620:4f:8000::/48 AS112 (RFC 7534)
        3fff::/20 documentation (RFC 9637)
        5f00::/16 segment identifiers (RFC 9602)
        fc00::/7 unique local (RFC 4193)
        fe80::/10 link local (RFC 4291)
        fec0::/10 site local (RFC 3879)
        ff00::/8 multicast (RFC 4291)
        """
    )

    private static func blocks(_ lines: String) -> [Block] {
        lines.split(separator: "\n").map { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            guard let network = IPNetwork(String(parts[0])), parts.count == 2 else {
                preconditionFailure("not a network and a name: \(line)")
            }
            return Block(network: network, name: String(parts[1]))
        }
    }
}
