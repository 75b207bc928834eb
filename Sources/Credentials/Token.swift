import Cryptography
package import Foundation

/// A bearer token of 256 random bits. The client keeps it; the database stores only its digest.
package struct Token: Sendable {
    /// The token in Base64url without padding, 43 characters.
    package let text: String

    package init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    private init(using generator: inout some RandomNumberGenerator) {
        let bytes = Data((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        text = bytes.base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    package init(_ text: String) {
        self.text = text
    }

    /// Returns a generated password. It never begins with a hyphen, because programs would read it as an option.
    package static func password() -> String {
        var generator = SystemRandomNumberGenerator()
        return password(using: &generator)
    }

    package static func password(using generator: inout some RandomNumberGenerator) -> String {
        var text = Token(using: &generator).text
        while text.hasPrefix("-") { text = Token(using: &generator).text }
        return text
    }

    /// The SHA-256 digest. A slow hash is unnecessary, because the token is random.
    package var digest: Data { .sha256(text) }
}
