import Cryptography
package import Domain
package import OutgoingHTTP

/// A browser's subscription to an application's messages (W3C Push API, `PushSubscription`).
package struct PushSubscription: Sendable {
    package static let maxEndpointBytes = 1_000

    /// The address of the push service for this browser. Whoever knows it can send messages to it.
    package let endpoint: OutgoingURL
    /// The public key of the browser, an uncompressed point of P-256.
    package let p256dh: [UInt8]
    /// A secret that the browser shares with the application.
    package let auth: [UInt8]
    let key: P256PublicKey

    /// - Parameters:
    ///   - p256dh: 65 bytes in base64url.
    ///   - auth: 16 bytes in base64url.
    package init(
        endpoint: String,
        p256dh: String,
        auth: String,
        settings: OutgoingSettings = OutgoingSettings()
    ) throws(ServiceError) {
        self.endpoint = try OutgoingURL(
            endpoint,
            field: "endpoint",
            maxBytes: Self.maxEndpointBytes,
            settings: settings
        )
        self.p256dh = try Self.bytes(p256dh, 65, "p256dh")
        self.auth = try Self.bytes(auth, 16, "auth")
        guard let key = try? P256PublicKey(point: self.p256dh) else {
            throw .invalid("p256dh", "expected an uncompressed point on the curve P-256")
        }
        self.key = key
    }

    private static func bytes(_ text: String, _ count: Int, _ field: String) throws(ServiceError) -> [UInt8] {
        // Padding adds at most two letters.
        guard text.utf8.count <= (count * 4 + 2) / 3 + 2, let bytes = Base64URL.bytes(text), bytes.count == count else {
            throw .invalid(field, "expected \(count) bytes in base64url")
        }
        return bytes
    }
}
