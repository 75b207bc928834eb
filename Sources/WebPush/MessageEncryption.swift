import Crypto
import Foundation

/// Message encryption for Web Push, RFC 8291, with one record of `aes128gcm`, RFC 8188.
enum MessageEncryption {
    /// The size of a whole body that push services must take, RFC 8291, section 4.
    static let maxBody = 4_096
    /// The salt, the size of records, and the length of the key with the key.
    private static let headerSize = 16 + 4 + 1 + 65
    private static let tagSize = 16
    /// Without the header, the tag and the byte that ends the text.
    static let maxText = maxBody - headerSize - tagSize - 1

    /// - Parameters:
    ///   - length: the length of the text after padding, not counting the byte that ends it.
    ///   - sender: a key for this message only.
    static func body(
        _ text: [UInt8],
        paddedTo length: Int,
        for subscription: PushSubscription,
        sender: P256.KeyAgreement.PrivateKey = .init(),
        salt: [UInt8] = randomSalt()
    ) throws -> [UInt8] {
        precondition(text.count <= length && length <= maxText && salt.count == 16)
        let senderKey = Array(sender.publicKey.x963Representation)
        let secret = try sender.sharedSecretFromKeyAgreement(with: subscription.key).hkdfDerivedSymmetricKey(
            using: SHA256.self,
            salt: subscription.auth,
            sharedInfo: Array("WebPush: info\0".utf8) + subscription.p256dh + senderKey,
            outputByteCount: 32
        )
        let key = derive("Content-Encoding: aes128gcm\0", 16, secret, salt)
        let nonce = derive("Content-Encoding: nonce\0", 12, secret, salt).withUnsafeBytes { Array($0) }
        // 2 ends the text in the last record; zeros follow.
        let record = text + [2] + [UInt8](repeating: 0, count: length - text.count)
        let sealed = try AES.GCM.seal(record, using: key, nonce: AES.GCM.Nonce(data: nonce))
        let size = withUnsafeBytes(of: UInt32(maxBody).bigEndian) { Array($0) }
        return salt + size + [UInt8(senderKey.count)] + senderKey + sealed.ciphertext + sealed.tag
    }

    private static func derive(_ info: String, _ count: Int, _ secret: SymmetricKey, _ salt: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: secret, salt: salt, info: Array(info.utf8), outputByteCount: count)
    }

    static func randomSalt() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<16).map { _ in .random(in: 0...255, using: &generator) }
    }
}
