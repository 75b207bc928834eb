import Cryptography
package import Domain
import Foundation

/// The key that a webhook's receiver and the server share, by the specification of Standard Webhooks 1.0.0,
/// https://github.com/standard-webhooks/standard-webhooks.
package struct WebhookSecret: Hashable, Sendable, CustomStringConvertible {
    package static let sizes = 24...64
    private static let prefix = "whsec_"

    let bytes: [UInt8]

    /// Makes a new one of 32 bytes.
    package init() {
        bytes = Array(Data.random(count: 32))
    }

    /// - Parameter text: `whsec_` and the bytes in base64.
    package init(parsing text: String, field: String = "secret") throws(ServiceError) {
        guard text.hasPrefix(Self.prefix) else { throw .invalid(field, "expected whsec_ and base64") }
        let letters = String(text.dropFirst(Self.prefix.count))
        // The largest secret has 88 letters.
        guard letters.utf8.count <= 88, let data = Data(base64Encoded: letters) else {
            throw .invalid(field, "expected base64 of 24 to 64 bytes after whsec_")
        }
        guard Self.sizes.contains(data.count) else {
            throw .invalid(field, "expected 24 to 64 bytes, not \(data.count), in base64 after whsec_")
        }
        bytes = Array(data)
    }

    /// The form in which the receiver gets it.
    package var text: String { Self.prefix + Data(bytes).base64EncodedString() }

    /// Logs do not contain secrets.
    package var description: String { Self.prefix + "..." }
}
