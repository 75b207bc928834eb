package import Domain

/// An address that a user gave, https unless the settings permit http as well, taken apart by strict rules and written again, so that no other reader of URLs can
/// understand it differently.
package struct OutgoingURL: Hashable, Sendable {
    package enum Scheme: String, Sendable {
        case http
        case https

        package var port: Int { self == .https ? 443 : 80 }
    }

    package static let maxBytes = 2_000

    package let scheme: Scheme
    /// A name in small letters without a dot at its end, or an address.
    package let host: String
    /// The address if the host is not a name.
    package let address: IPAddress?
    package let port: Int
    /// Begins with a slash.
    package let path: String

    /// - Parameter field: the input field for error messages, which contain nothing of the address but a literal host.
    package init(
        _ text: String,
        field: String = "url",
        maxBytes: Int = maxBytes,
        settings: OutgoingSettings = OutgoingSettings()
    ) throws(ServiceError) {
        guard text.utf8.count <= maxBytes else { throw .invalid(field, "expected at most \(maxBytes) bytes") }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !Self.excluded.contains($0) }) else {
            throw .invalid(
                field,
                "expected ASCII; other letters are written as xn--... in the host and as %XX after it"
            )
        }
        scheme = try Self.scheme(of: text, settings, field)
        guard !text.contains("#") else { throw .invalid(field, "expected an address without #") }
        let rest = text.dropFirst("\(scheme)://".count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { throw .invalid(field, "expected no user name or password") }
        let (host, port) = try Self.split(authority, field)
        self.port = port ?? scheme.port
        let address = try Self.address(of: host, field)
        self.address = address
        if let address { self.host = address.urlText } else { self.host = try Self.name(host, field) }
        let path = rest.dropFirst(authority.count)
        self.path = path.hasPrefix("/") ? String(path) : "/" + path
        try check(settings, field)
    }

    /// The scheme, host and port: the origin, by RFC 6454.
    package var origin: String { "\(scheme)://\(host)" + (port == scheme.port ? "" : ":\(port)") }

    package var text: String { origin + path }

    /// RFC 3986 permits none of these in a URL. Some programs read a backslash as a slash.
    private static let excluded = Set("\"<>\\^`{|}".utf8)

    private func check(_ settings: OutgoingSettings, _ field: String) throws(ServiceError) {
        guard settings.ports.contains(port) else {
            let ports = settings.ports.sorted().map(String.init).joined(separator: ", ")
            throw .invalid(field, "expected one of the ports \(ports)")
        }
        guard let address, let reason = settings.refusal(of: address) else { return }
        throw .invalid(field, "expected a host on the public Internet; \(address) is \(reason)")
    }

    private static func scheme(
        of text: String,
        _ settings: OutgoingSettings,
        _ field: String
    ) throws(ServiceError) -> Scheme {
        let name = text.prefix { $0 != ":" }
        let scheme = Scheme(rawValue: name.lowercased())
        guard let scheme, settings.schemes.contains(scheme), text.dropFirst(name.count).hasPrefix("://") else {
            let schemes = settings.schemes.map { "\($0)://..." }.sorted(by: >).alternatives
            throw .invalid(field, "expected \(schemes)")
        }
        return scheme
    }

    /// Divides the part between `://` and the path. The port is nil if there is none.
    private static func split(_ authority: Substring, _ field: String) throws(ServiceError) -> (String, Int?) {
        let end: Substring.Index
        if authority.hasPrefix("[") {
            guard let bracket = authority.firstIndex(of: "]") else { throw .invalid(field, "expected ] in the host") }
            end = authority.index(after: bracket)
        } else {
            end = authority.firstIndex(of: ":") ?? authority.endIndex
        }
        let host = authority[..<end].lowercased()
        let rest = authority[end...]
        guard !rest.isEmpty else { return (host, nil) }
        let digits = rest.dropFirst()
        guard rest.hasPrefix(":"), (1...5).contains(digits.count),
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(digits), (1...65_535).contains(port)
        else { throw .invalid(field, "expected a port from 1 to 65535 after the host") }
        return (host, port)
    }

    /// Returns nil if the host is a name.
    private static func address(of host: String, _ field: String) throws(ServiceError) -> IPAddress? {
        if host.hasPrefix("[") {
            guard let address = IPAddress(String(host.dropFirst().dropLast())), address.isIPv6 else {
                throw .invalid(field, "expected an IPv6 address without a zone in [ ]")
            }
            return address
        }
        let plain = host.hasSuffix(".") ? String(host.dropLast()) : host
        guard IPv4Notation.isUsed(by: plain) else { return nil }
        guard let address = IPv4Notation.address(plain) else {
            throw .invalid(field, "expected an IPv4 address or a name")
        }
        return address
    }

    /// Letters, digits and hyphens, by RFC 1123, 2.1.
    private static func name(_ host: String, _ field: String) throws(ServiceError) -> String {
        let plain = host.hasSuffix(".") ? String(host.dropLast()) : host
        let labels = plain.split(separator: ".", omittingEmptySubsequences: false)
        let isName =
            plain.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
                    && label.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
            }
        guard isName else { throw .invalid(field, "expected a host of letters, digits, hyphens and dots") }
        return plain
    }
}
