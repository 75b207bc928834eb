import Cryptography
package import Foundation

/// The keys of a browser that receives push messages, and their decryption by RFC 8291 and RFC 8188.
package struct TestBrowser: Sendable {
    private let key = P256PrivateKey()
    private let secret = Data.random(count: 16)

    package init() {}

    package var p256dh: String { Self.text(key.publicKey.point) }
    package var auth: String { Self.text(secret) }

    /// The JSON of the browser's `PushSubscription`.
    package func subscription(_ endpoint: String) -> String {
        #"{"endpoint": "\#(endpoint)", "expirationTime": null, "keys": {"p256dh": "\#(p256dh)", "auth": "\#(auth)"}}"#
    }

    package func text(of body: Data) throws -> String {
        let bytes = [UInt8](body)
        let (salt, sender, sealed) = (bytes[0..<16], bytes[21..<86], bytes[86...])
        let material = HKDF.deriveKey(
            from: try key.sharedSecret(with: P256PublicKey(point: sender)),
            salt: secret,
            info: Data("WebPush: info\0".utf8) + key.publicKey.point + sender,
            count: 32
        )
        func derive(_ info: String, _ count: Int) -> Data {
            HKDF.deriveKey(from: material, salt: salt, info: Data(info.utf8), count: count)
        }
        let (nonce, cipher) = (derive("Content-Encoding: nonce\0", 12), derive("Content-Encoding: aes128gcm\0", 16))
        guard let plain = AESGCM(key: cipher).open(sealed, nonce: nonce, authenticating: []) else {
            throw CocoaError(.coderReadCorrupt)
        }
        // 2 ends the text; zeros follow.
        let end = plain.lastIndex(of: 2) ?? plain.endIndex
        return String(decoding: plain[..<end], as: UTF8.self)
    }

    private static func text(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
