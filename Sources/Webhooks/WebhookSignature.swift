import Cryptography
import Domain
import Foundation

/// The headers by which a receiver knows that a message is from this server, Standard Webhooks 1.0.0.
package enum WebhookSignature {
    /// - Parameters:
    ///   - id: the same for all attempts to deliver a message, so that the receiver can skip repetitions.
    ///   - time: of this attempt, in seconds since 1970. Receivers refuse old ones.
    ///   - secrets: the present one, and the one before while the receiver changes them.
    package static func headers(
        id: String,
        time: Int,
        body: [UInt8],
        secrets: [WebhookSecret]
    ) -> [(name: String, value: String)] {
        // With a dot, another id and time could have the same signature.
        precondition(Base64URL.isText(id, count: 1...64), "not an id of a message")
        precondition(!secrets.isEmpty, "a message without a secret")
        let text = Array("\(id).\(time).".utf8) + body
        let signatures = secrets.map { secret in
            "v1," + HashFunction.sha256.authenticationCode(of: text, key: secret.bytes).base64EncodedString()
        }
        return [
            ("webhook-id", id), ("webhook-timestamp", "\(time)"),
            ("webhook-signature", signatures.joined(separator: " ")),
        ]
    }
}
