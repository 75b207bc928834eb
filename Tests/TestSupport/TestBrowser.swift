import Crypto
package import Foundation

/// The keys of a browser that receives push messages, and their decryption by RFC 8291 and RFC 8188.
package struct TestBrowser: Sendable {
    private let key = P256.KeyAgreement.PrivateKey()
    private let secret = SymmetricKey(size: .bits128)

    package init() {}

    package var p256dh: String { Self.text(key.publicKey.x963Representation) }
    package var auth: String { Self.text(secret.withUnsafeBytes { Data($0) }) }

    /// The JSON of the browser's `PushSubscription`.
    package func subscription(_ endpoint: String) -> String {
        #"{"endpoint": "\#(endpoint)", "expirationTime": null, "keys": {"p256dh": "\#(p256dh)", "auth": "\#(auth)"}}"#
    }

    package func text(of body: Data) throws -> String {
        let bytes = [UInt8](body)
        let (salt, sender, sealed) = (bytes[0..<16], bytes[21..<86], bytes[86...])
        let own = key.publicKey.x963Representation
        let shared = try key.sharedSecretFromKeyAgreement(with: .init(x963Representation: sender))
        let material = shared.hkdfDerivedSymmetricKey(
            using: SHA256.self,
            salt: secret.withUnsafeBytes { Data($0) },
            sharedInfo: Data("WebPush: info\0".utf8) + own + sender,
            outputByteCount: 32
        )
        func derive(_ info: String, _ count: Int) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: material,
                salt: salt,
                info: Data(info.utf8),
                outputByteCount: count
            )
        }
        let nonce = derive("Content-Encoding: nonce\0", 12).withUnsafeBytes { Data($0) }
        let box = try AES.GCM.SealedBox(
            nonce: .init(data: nonce),
            ciphertext: sealed.dropLast(16),
            tag: sealed.suffix(16)
        )
        let plain = try AES.GCM.open(box, using: derive("Content-Encoding: aes128gcm\0", 16))
        // 2 ends the text; zeros follow.
        let end = plain.lastIndex(of: 2) ?? plain.endIndex
        return String(decoding: plain[..<end], as: UTF8.self)
    }

    private static func text(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
