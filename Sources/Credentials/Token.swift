import Crypto
package import Foundation

/// A bearer token: 256 random bits that its holder keeps and the database knows only by digest.
package struct Token: Sendable {
    /// Base64url without padding, 43 characters.
    package let text: String

    package init() {
        var generator = SystemRandomNumberGenerator()
        let bytes = Data((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        text = bytes.base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    package init(_ text: String) {
        self.text = text
    }

    /// SHA-256; enough for what is random already.
    package var digest: Data { Data(SHA256.hash(data: Data(text.utf8))) }
}
