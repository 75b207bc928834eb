import OutgoingHTTP
import Testing

/// The first and last addresses of the blocks for special purposes, and some between.
let privateAddresses = [
    "0.0.0.0", "0.0.0.1", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.100.100.200",
    "100.127.255.255", "127.0.0.0", "127.0.0.53", "127.255.255.255", "169.254.0.0", "169.254.169.254",
    "169.254.255.255",
    "172.16.0.0", "172.31.255.255", "192.0.0.0", "192.0.0.192", "192.0.0.255", "192.0.2.0", "192.0.2.255",
    "192.31.196.1", "192.52.193.1", "192.88.99.0", "192.88.99.255", "192.168.0.0", "192.168.255.255", "192.175.48.1",
    "198.18.0.0", "198.19.255.255", "198.51.100.0", "198.51.100.255", "203.0.113.0", "203.0.113.255", "224.0.0.0",
    "233.252.0.1", "239.255.255.255", "240.0.0.0", "255.255.255.254", "255.255.255.255",
    "::", "::1", "::2", "::7f00:1", "::ffff:0.0.0.0", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:ffff:ffff",
    "::ffff:0:127.0.0.1", "::1:0:0:0", "64:ff9b::", "64:ff9b::127.0.0.1", "64:ff9b::ffff:ffff", "64:ff9b:1::",
    "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "64:ff9b:2::", "100::", "100::ffff:ffff:ffff:ffff", "100:0:0:1::1", "200::1",
    "1fff:ffff::", "2001::", "2001:0:7f00:1::", "2001:2::1", "2001:4:112::1", "2001:20::1", "2001:1ff:ffff::",
    "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2002::", "2002:7f00:1::1", "2002:ffff:ffff::",
    "2620:4f:8000::1", "3fff::", "3fff:fff:ffff::", "4000::", "5f00::1", "8000::1", "fc00::", "fd00:ec2::254",
    "fdff::1",
    "fe00::1", "fe80::", "fe80::1", "febf:ffff::", "fec0::1", "feff::1", "ff00::", "ff02::1", "ff0e::1",
    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
]

@Suite("Addresses for special purposes")
struct AddressTests {
    private let settings = OutgoingSettings()

    @Test("No address of a special purpose is permitted", arguments: privateAddresses)
    func special(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(settings.refusal(of: address) != nil)
    }

    @Test(
        "Their neighbours are permitted",
        arguments: [
            "1.0.0.0", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
            "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255",
            "192.0.1.0",
            "192.0.3.0", "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255",
            "198.20.0.0",
            "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "2000::", "2001:200::",
            "2001:db7:ffff::", "2001:db9::", "2003::", "2620:4f:7fff::1", "2620:4f:8001::1", "2a00:1450:4001:81b::200e",
            "3ffe:ffff::", "3fff:1000::",
        ]
    )
    func ordinary(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(settings.refusal(of: address) == nil)
    }

    @Test("Networks contain exactly the addresses with their first bits")
    func networks() throws {
        let cases = [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.0", false), ("0.0.0.0/0", "255.1.2.3", true),
            ("10.0.0.128/25", "10.0.0.128", true), ("10.0.0.128/25", "10.0.0.127", false),
            ("127.0.0.1/32", "127.0.0.1", true), ("127.0.0.1/32", "127.0.0.2", false),
            ("::ffff:0:0/96", "::ffff:1.2.3.4", true), ("0.0.0.0/0", "::ffff:1.2.3.4", false),
            ("::/0", "1.2.3.4", false),
            ("fc00::/7", "fdff::1", true), ("fc00::/7", "fe00::1", false), ("::1/128", "::1", true),
        ]
        for (network, address, isInside) in cases {
            #expect(
                try #require(IPNetwork(network)).contains(#require(IPAddress(address))) == isInside,
                "\(network) \(address)"
            )
        }
        for text in ["", "/", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/8/8", "a/8"] {
            #expect(IPNetwork(text) == nil, "\(text)")
        }
    }

    @Test(
        "Only the usual notation of addresses is read",
        arguments: ["127.1", "0x7f.0.0.1", "1.2.3.4\u{0}", "fe80::1%lo", "[::1]", "", " ::1"]
    )
    func notation(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test("The resolver of the system finds loopback, and nothing for names that do not exist")
    func systemResolver() async throws {
        let resolver = SystemResolver()
        let found = try await resolver.addresses(of: "localhost")
        #expect(!found.isEmpty && found.allSatisfy { settings.refusal(of: $0)?.hasPrefix("loopback") == true })
    }
}
