import Cryptography
package import Domain
import Foundation
package import OutgoingHTTP

/// The key pair by which push services recognise the server, RFC 8292. Browsers subscribe with its public half, so it is
/// made once and stored.
package struct VAPIDKey: Sendable {
    /// The lifetime of tokens in seconds. Push services refuse more than a day.
    package static let lifetime = 43_200

    private let key: P256PrivateKey

    package init() {
        key = P256PrivateKey()
    }

    /// - Parameter bytes: 32 bytes that `rawRepresentation` gave.
    package init(rawRepresentation bytes: [UInt8]) throws(ServiceError) {
        guard let key = try? P256PrivateKey(rawRepresentation: bytes) else {
            throw .invalid("key", "expected the 32 bytes of a private key of P-256")
        }
        self.key = key
    }

    /// - Parameter pem: as OpenSSL writes it: `PRIVATE KEY` or `EC PRIVATE KEY`.
    package init(pem: String, field: String = "key") throws(ServiceError) {
        guard let key = try? P256PrivateKey(pem: pem) else {
            throw .invalid(field, "expected a private key of P-256 as PEM")
        }
        self.key = key
    }

    /// The private key, which must stay secret.
    package var pem: String { key.pem }

    /// The private key, which must stay secret.
    package var rawRepresentation: [UInt8] { Array(key.rawRepresentation) }

    /// The `applicationServerKey` with which browsers subscribe, an uncompressed point in base64url.
    package var publicKey: String { Base64URL.text(key.publicKey.point) }

    /// Whether push services accept a subject: Apple's refuses those without a public domain, such as https://localhost.
    package static func isAccepted(_ subject: String) -> Bool {
        subject.wholeMatch(of: /(mailto:[^@\s]+@|https:\/\/)([A-Za-z0-9-]+\.)+[A-Za-z][A-Za-z0-9-]+([:\/]\S*)?/) != nil
    }

    /// Returns the value of the header `Authorization`. It is valid for all messages to the origin of the endpoint for
    /// half a day, so one for many messages saves signatures.
    ///
    /// - Parameters:
    ///   - subject: an address at which a push service reaches the operator, `mailto:` or `https:`.
    ///   - now: in seconds since 1970.
    package func authorization(for endpoint: OutgoingURL, subject: String, now: Double) throws -> String {
        guard subject.wholeMatch(of: /(mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)/) != nil else {
            throw ServiceError.invalid("subject", "expected mailto:... or https://...")
        }
        let claims = Claims(aud: endpoint.origin, exp: Int(now) + Self.lifetime, sub: subject)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let head = Base64URL.text(#"{"alg":"ES256","typ":"JWT"}"#.utf8)
        let text = try head + "." + Base64URL.text(encoder.encode(claims))
        let signature = try key.signature(for: Array(text.utf8))
        return "vapid t=\(text).\(Base64URL.text(signature)), k=\(publicKey)"
    }

    private struct Claims: Encodable {
        let aud: String
        let exp: Int
        let sub: String
    }
}
