import Foundation

package struct OutgoingRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    package let url: OutgoingURL
    package let method: Method
    package let body: [UInt8]?
    package let headers: [(name: String, value: String)]

    /// - Parameters:
    ///   - method: nil for POST with a body, and GET without.
    ///   - headers: names are tokens and values are visible ASCII with spaces; anything else is a mistake of the
    ///     code, as are the headers that belong to the connection.
    package init(
        _ url: OutgoingURL,
        _ method: Method? = nil,
        body: [UInt8]? = nil,
        headers: [(name: String, value: String)] = []
    ) {
        for (name, value) in headers {
            precondition(!name.isEmpty && name.utf8.allSatisfy(Self.isToken), "not a name of a header")
            precondition(!Self.reserved.contains(name.lowercased()), "a header that the client sets")
            precondition(
                !value.isEmpty && value.utf8.allSatisfy { (0x20...0x7E).contains($0) },
                "not a value of a header"
            )
        }
        self.url = url
        self.method = method ?? (body == nil ? .get : .post)
        self.body = body
        self.headers = headers
    }

    /// Letters, digits and hyphens. A regular expression would cost a tenth of a push message's processor time.
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D: true
        default: false
        }
    }

    private static let reserved: Set = ["connection", "content-length", "expect", "host", "te", "transfer-encoding"]

    /// As libcurl takes them: a name without a value removes what it would add.
    var headerLines: [String] {
        let hasType = headers.contains { $0.name.lowercased() == "content-type" }
        return headers.map { "\($0.name): \($0.value)" } + ["Expect:"] + (hasType ? [] : ["Content-Type:"])
    }
}

/// An answer of a server that a user named. Its body may be the secret of another service, so it is for code only and
/// not part of the description.
package struct OutgoingAnswer: Sendable, CustomStringConvertible, CustomReflectable {
    package let status: Int
    /// The first 64 KB by default, see `OutgoingSettings`.
    package let body: [UInt8]
    /// Whether the body was read to its end.
    package let isComplete: Bool
    private let headers: [String]

    init(status: Int, headers: [String], body: [UInt8], isComplete: Bool) {
        (self.status, self.headers, self.body, self.isComplete) = (status, headers, body, isComplete)
    }

    /// Returns the value of the first header with this name, whatever its case.
    package func header(_ name: String) -> String? {
        for line in headers {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { continue }
            return parts[1].trimmingCharacters(in: .whitespaces)
        }
        return nil
    }

    /// The seconds to wait before the next attempt, by RFC 9110, 10.2.3: a number, or a time with respect to `now`, which
    /// is in seconds since 1970.
    package func retryAfter(now: Double) -> Int? {
        guard let value = header("Retry-After") else { return nil }
        if !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return Int(value) ?? .max }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: value).map { max(0, Int(($0.timeIntervalSince1970 - now).rounded(.up))) }
    }

    package var description: String { "status \(status), \(body.count) bytes" }

    package var customMirror: Mirror { Mirror(self, children: ["status": status]) }
}

/// Why there is no answer. No case tells the address, because addresses of push services are secrets, or what a name
/// resolves to, because users could learn the names and addresses of a private network.
package enum OutgoingFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The settings do not permit the port or address.
    case notPermitted
    /// The name has no address, or has one that is not public.
    case noPublicAddress
    case notReachable
    /// No TLS connection, or a certificate that is not valid for the host.
    case notTrusted
    case tooSlow
    /// Anything but HTTP, headers without end, or a connection that broke.
    case noAnswer

    package var description: String {
        switch self {
        case .notPermitted: "the port or address is not permitted"
        case .noPublicAddress: "the host has no public address"
        case .notReachable: "the host cannot be reached"
        case .notTrusted: "the host has no valid certificate"
        case .tooSlow: "the answer took too long"
        case .noAnswer: "the host gave no valid answer"
        }
    }
}
