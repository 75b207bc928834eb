import Domain
import Testing

@testable import OutgoingHTTP

@Suite("Addresses that users give")
struct OutgoingURLTests {
    @Test(
        "Good addresses are written in one form",
        arguments: [
            ("https://example.org", "https://example.org/"), ("HTTPS://Example.ORG/Hook", "https://example.org/Hook"),
            ("https://example.org:443/a?b=c&d", "https://example.org/a?b=c&d"),
            ("https://example.org?x=@", "https://example.org/?x=@"),
            ("https://example.org./", "https://example.org/"),
            ("https://xn--forl-2pa.example/", "https://xn--forl-2pa.example/"),
            ("https://8.8.8.8/", "https://8.8.8.8/"), ("https://134744072/", "https://8.8.8.8/"),
            ("https://0x8.010.8.8/", "https://8.8.8.8/"), ("https://8.8.2056./", "https://8.8.8.8/"),
            ("https://[2A00:1450:4001:81B:0::200e]/", "https://[2a00:1450:4001:81b::200e]/"),
            ("https://example.org/../a%2Fb/./c", "https://example.org/../a%2Fb/./c"),
            ("https://127.0.0.1.example.org/", "https://127.0.0.1.example.org/"),
            ("https://localhost/", "https://localhost/"), ("https://0xfg/", "https://0xfg/"),
        ]
    )
    func good(text: String, form: String) throws {
        let url = try OutgoingURL(text)
        #expect(url.text == form)
        #expect(try OutgoingURL(form) == url)
        #expect(form.hasPrefix(url.origin + "/"))
    }

    @Test("Addresses that lead elsewhere, or that programs read differently, are refused", arguments: hostileURLs)
    func hostile(text: String, expectation: String) {
        let error = #expect(throws: ServiceError.self) { _ = try OutgoingURL(text) }
        #expect(error?.field == "url" && error?.code == .invalid)
        #expect(error?.message.text.contains(expectation) == true, "\(error?.message.text ?? "")")
    }

    @Test("There are more than a hundred hostile addresses and names")
    func count() {
        #expect(hostileURLs.count + privateAddresses.count > 100)
    }

    @Test("Long addresses are refused", arguments: [2_000, 2_001, 1_000_000])
    func length(bytes: Int) {
        let text = "https://example.org/" + String(repeating: "a", count: bytes - 20)
        #expect(((try? OutgoingURL(text)) != nil) == (bytes <= 2_000))
    }

    @Test("The operator allows ports and networks")
    func settings() throws {
        var settings = OutgoingSettings()
        settings.ports = [443, 8443]
        settings.allowedNetworks = ["10.1.0.0/16", "::1/128"].compactMap { IPNetwork($0) }
        for good in ["https://10.1.255.1:8443/", "https://[::1]/", "https://0xa010001/"] {
            _ = try OutgoingURL(good, settings: settings)
        }
        for bad in ["https://10.2.0.1/", "https://[::2]/", "https://[::ffff:10.1.0.1]/", "https://example.org:444/"] {
            #expect(throws: ServiceError.self, "\(bad)") { _ = try OutgoingURL(bad, settings: settings) }
        }
    }

    @Test("http is refused unless the settings permit it, and its hosts have to be as public")
    func http() throws {
        var settings = OutgoingSettings()
        settings.schemes = [.https, .http]
        settings.ports = [80, 443]
        let url = try OutgoingURL("HTTP://Example.org:80/a", settings: settings)
        #expect(url.text == "http://example.org/a" && url.port == 80 && url.scheme == .http)
        #expect(try OutgoingURL("https://example.org", settings: settings).port == 443)
        for text in privateAddresses {
            let plain = "http://\(text.contains(":") ? "[\(text)]" : text)/"
            #expect(throws: ServiceError.self, "\(plain)") { _ = try OutgoingURL(plain, settings: settings) }
        }
        #expect(throws: ServiceError.self) { _ = try OutgoingURL("http://example.org/") }
        #expect(!OutgoingSettings().permits(url))
        let error = #expect(throws: ServiceError.self) { _ = try OutgoingURL("ftp://a/", settings: settings) }
        #expect(error?.message.text == "url: expected https://... or http://...")
    }

    @Test("Errors name the field and the reason", arguments: ["endpoint", "url"])
    func errors(field: String) {
        let error = #expect(throws: ServiceError.self) { _ = try OutgoingURL("https://127.1/", field: field) }
        #expect(
            error?.message.text
                == "\(field): expected a host on the public Internet; 127.0.0.1 is loopback (RFC 1122)"
        )
    }
}

/// A part of the error message, and addresses.
private let hostile: [(String, [String])] = [
    (
        "https://",
        [
            "http://example.org/", "ftp://example.org/", "file:///etc/passwd", "gopher://example.org/",
            "//example.org/", "example.org", "https:example.org", "https:/example.org", "javascript:alert(1)",
            "", "https", "smtps://a/", "data:text/plain,x", "unix:/run/docker.sock", "ws://example.org/",
            "view-source:https://example.org/",
        ]
    ),
    (
        "user name",
        [
            "https://user@example.org/", "https://user:secret@example.org/", "https://@example.org/",
            "https://:@127.0.0.1/", "https://example.org:443@127.0.0.1/", "https://127.0.0.1:443@example.org/",
            "https://a@b@c/",
        ]
    ),
    (
        "expected ASCII",
        [
            "https://example.org\\@127.0.0.1/", "https://127.0.0.1\\.example.org/", "https://exa mple.org/",
            "https://example.org/a b", "https://example.org\t/", "https://example.org/\r\nHost: x",
            "\u{0}https://a/", "https://example.org\u{0}.local/", " https://example.org/",
            "https://example.org/\n", "https://münchen.example/", "https://ⓔⓧⓐⓜⓟⓛⓔ.org/", "https://１２７.0.0.1/",
            "https://127。0。0。1/", "https://example.org/è", "https://exam\u{AD}ple.org/",
            "https://example.org\u{202E}/", "https://{127.0.0.1}/", "https://a|b/", "https://a^b/",
        ]
    ),
    (
        "without #",
        ["https://example.org/#x", "https://example.org#@127.0.0.1/", "https://127.0.0.1#.example.org/"]
    ),
    (
        "ports 443",
        [
            "https://example.org:80/", "https://example.org:22/", "https://example.org:8443/",
            "https://example.org:65535/", "https://[2a00:1450::1]:25/",
        ]
    ),
    (
        "expected a port",
        [
            "https://example.org:/", "https://example.org:0/", "https://example.org:65536/",
            "https://example.org:+443/", "https://example.org:443:443/", "https://example.org:000443/",
            "https://example.org:99999999999999999999/", "https://2a00:1450::1/", "https://[2a00:1450::1]443/",
            "https://[2a00:1450::1].example.org/", "https://[::1]]/", "https://example.org:443x/",
            "https://example.org:0x1bb/",
        ]
    ),
    (
        "letters, digits",
        [
            "https:///", "https://", "https://./", "https://..", "https://a..b/", "https://.example.org/",
            "https://example.org../", "https://-a.example/", "https://a-.example/",
            "https://127.0.0.1%2f.example.org/", "https://%31%32%37.0.0.%31/", "https://exam%00ple.org/",
            "https://*.example.org/", "https://a,b/", "https://a;b/", "https://a_b.example/",
            "https://example.org%20/", "https://$(id)/", "https://a+b/",
            "https://" + String(repeating: "a", count: 64) + ".org/",
            "https://" + String(repeating: "a.", count: 200) + "org/", "https://?host=example.org",
            "https:////example.org/",
        ]
    ),
    (
        "without a zone",
        [
            "https://[fe80::1%25eth0]/", "https://[fe80::1%eth0]/", "https://[]/", "https://[127.0.0.1]/",
            "https://[::1.2.3]/", "https://[v1.fe80]/", "https://[1:2:3:4:5:6:7:8:9]/",
            "https://[::ffff:0x7f.1]/", "https://[example.org]/", "https://[:::1]/", "https://[g::1]/",
        ]
    ),
    (
        "expected ]",
        [
            "https://[::1/", "https://[/",
        ]
    ),
    (
        "IPv4 address",
        [
            "https://256.1.1.1/", "https://1.2.3.4.5/", "https://1.2.3.256/", "https://4294967296/",
            "https://0x100000000/", "https://08.8.8.8/", "https://example.1/", "https://a.0x7f/",
            "https://8.8.65536/", "https://1.16777216/", "https://99999999999999999999999/", "https://1..1/",
            "https://8.8.8.09/",
        ]
    ),
    (
        "127.",
        [
            "https://127.0.0.1/", "https://127.0.0.1:443/", "https://127.1/", "https://127.0.1/",
            "https://2130706433/", "https://0x7f000001/", "https://0X7F.1/", "https://017700000001/",
            "https://0177.0.0.1/", "https://127.0.0.1./", "https://0x7f.0.0x0.01/", "https://127.255.255.254/",
            "https://0177.1/", "https://00000177.0.0.1/",
        ]
    ),
    (
        "public Internet",
        [
            "https://0/", "https://0x/", "https://0.0.0.0/", "https://00/", "https://10.0.0.1/",
            "https://167772161/", "https://192.168.1.1/", "https://0xc0a80101/", "https://169.254.169.254/",
            "https://2852039166/", "https://0251.0376.0251.0376/", "https://255.255.255.255/",
            "https://4294967295/", "https://[::]/", "https://[::1]/", "https://[::ffff:127.0.0.1]/",
            "https://[::FFFF:7F00:1]/", "https://[0:0:0:0:0:ffff:8.8.8.8]/", "https://[::8.8.8.8]/",
            "https://[64:ff9b::8.8.8.8]/", "https://[64:ff9b:1::1]/", "https://[2002:7f00:1::]/",
            "https://[fd00:ec2::254]/",
        ]
    ),
]

private let hostileURLs: [(String, String)] = hostile.flatMap { expectation, texts in texts.map { ($0, expectation) } }
