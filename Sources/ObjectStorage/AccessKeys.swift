package import Domain

/// The keys by which an object store knows us. They appear in no message and no log.
package struct AccessKeys: Sendable, CustomReflectable {
    package static let expectation: ErrorMessage =
        "expected the lines aws_access_key_id = ... and aws_secret_access_key = ..., as in AWS's file of credentials"

    let id: String
    let secret: String
    /// Comes with temporary keys.
    let sessionToken: String?

    /// Reads the format of AWS's file of credentials, with one profile.
    package init(parsing text: String, field: String) throws(ServiceError) {
        var values: [String: String] = [:]
        var profiles = 0
        for (number, line) in zip(1..., text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)) {
            let line = Self.trimmed(line)
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasPrefix("["), line.hasSuffix("]") {
                profiles += 1
                guard profiles == 1 else { throw .invalid(field, "expected the keys of one profile") }
                continue
            }
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { Self.trimmed($0) }
            // A line may be a secret without its name.
            guard parts.count == 2 else { throw .invalid(field, "line \(number): expected NAME = VALUE") }
            guard values.updateValue(parts[1], forKey: parts[0]) == nil else {
                throw .invalid(field, "line \(number): expected each name once")
            }
        }
        guard let id = values["aws_access_key_id"], let secret = values["aws_secret_access_key"] else {
            throw .invalid(field, Self.expectation)
        }
        let token = values["aws_session_token"]
        guard [id, secret, token ?? "x"].allSatisfy(Self.isVisible) else {
            throw .invalid(field, "expected keys of visible ASCII characters")
        }
        self.id = id
        self.secret = secret
        sessionToken = token
    }

    package var customMirror: Mirror { Mirror(self, children: []) }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop(while: \.isWhitespace)
        return String(start.prefix(start.count - start.reversed().prefix(while: \.isWhitespace).count))
    }

    /// Other characters could end the header that they are written in.
    private static func isVisible(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
