import Cryptography
package import Foundation

/// A code that replaces the code of an authenticator app once: 80 random bits as four groups of four letters and
/// digits.
package struct RecoveryCode: Sendable {
    /// For example `k7qd-2mzx-5fpa-tw3e`.
    package let text: String

    package init() {
        let letters = Array(Base32.text((0..<10).map { _ in UInt8.random(in: .min ... .max) }).lowercased())
        text = stride(from: 0, to: letters.count, by: 4).map { String(letters[$0..<$0 + 4]) }.joined(separator: "-")
    }

    /// The SHA-256 digest. A slow hash is unnecessary, because the code is random.
    package var digest: Data { Self.digest(of: Self.normalised(text)) }

    private static let length = 16

    private static func digest(of letters: String) -> Data { .sha256(letters) }

    private static func normalised(_ text: String) -> String {
        text.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    /// Returns the digest of a code as a person typed it, with or without hyphens and in any case; nil if it does not
    /// have the form of a recovery code.
    package static func digest(typed text: String) -> Data? {
        let letters = normalised(text)
        return letters.count == length ? digest(of: letters) : nil
    }
}
