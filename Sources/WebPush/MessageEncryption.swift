import Cryptography
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
        sender: P256PrivateKey = P256PrivateKey(),
        salt: Data = .random(count: 16)
    ) throws -> [UInt8] {
        precondition(text.count <= length && length <= maxText && salt.count == 16)
        let senderKey = Array(sender.publicKey.point)
        let secret = HKDF.deriveKey(
            from: try sender.sharedSecret(with: subscription.key),
            salt: subscription.auth,
            info: Array("WebPush: info\0".utf8) + subscription.p256dh + senderKey,
            count: 32
        )
        let key = derive("Content-Encoding: aes128gcm\0", 16, secret, salt)
        let nonce = derive("Content-Encoding: nonce\0", 12, secret, salt)
        // 2 ends the text in the last record; zeros follow.
        let record = text + [2] + [UInt8](repeating: 0, count: length - text.count)
        let sealed = try AESGCM(key: key).seal(record, nonce: nonce, authenticating: [])
        let size = withUnsafeBytes(of: UInt32(maxBody).bigEndian) { Array($0) }
        return Array(salt) + size + [UInt8(senderKey.count)] + senderKey + Array(sealed)
    }

    private static func derive(_ info: String, _ count: Int, _ secret: Data, _ salt: Data) -> Data {
        HKDF.deriveKey(from: secret, salt: salt, info: Array(info.utf8), count: count)
    }
}
