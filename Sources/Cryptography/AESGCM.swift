import COpenSSL
package import Foundation

/// Authenticated encryption by AES in Galois/Counter Mode (NIST SP 800-38D). The length of the key, 16 or 32 bytes,
/// chooses between AES-128 and AES-256.
package struct AESGCM: Sendable {
    package static let nonceLength = 12
    package static let tagLength = 16

    private let key: [UInt8]

    /// - Parameter key: 16 or 32 bytes.
    package init(key: some DataProtocol) {
        self.key = Array(key)
        precondition([16, 32].contains(self.key.count), "not a key of AES-128 or AES-256")
    }

    /// Returns the encrypted text and the tag.
    ///
    /// - Parameters:
    ///   - nonce: 12 bytes that were not used with this key before.
    ///   - authenticated: what is not part of the text and must be the same when it is decrypted.
    package func seal(
        _ text: some DataProtocol,
        nonce: some DataProtocol,
        authenticating authenticated: some DataProtocol
    ) throws -> Data {
        let cipher = try Cipher(key: key, nonce: Array(nonce), encrypts: true)
        try cipher.authenticate(Array(authenticated))
        let encrypted = try cipher.update(Array(text))
        try cipher.finish()
        return try Data(encrypted + cipher.tag())
    }

    /// Returns the text; nil if the key, the nonce, the tag or what was authenticated is another.
    ///
    /// - Parameter sealed: the encrypted text and the tag.
    package func open(
        _ sealed: some DataProtocol,
        nonce: some DataProtocol,
        authenticating authenticated: some DataProtocol
    ) -> Data? {
        guard sealed.count >= Self.tagLength, nonce.count == Self.nonceLength,
            let cipher = try? Cipher(key: key, nonce: Array(nonce), encrypts: false)
        else { return nil }
        return try? cipher.open(
            Array(sealed.dropLast(Self.tagLength)),
            tag: Array(sealed.suffix(Self.tagLength)),
            authenticating: Array(authenticated)
        )
    }
}

private struct Cipher: ~Copyable {
    private let context: OpaquePointer

    init(key: [UInt8], nonce: [UInt8], encrypts: Bool) throws(CryptographyError) {
        precondition(nonce.count == AESGCM.nonceLength, "not a nonce of 12 bytes")
        guard let context = EVP_CIPHER_CTX_new() else { throw CryptographyError("EVP_CIPHER_CTX_new") }
        let method = key.count == 16 ? EVP_aes_128_gcm() : EVP_aes_256_gcm()
        guard EVP_CipherInit_ex2(context, method, key, nonce, encrypts ? 1 : 0, nil) == 1 else {
            EVP_CIPHER_CTX_free(context)
            throw CryptographyError("EVP_CipherInit_ex2")
        }
        self.context = context
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    func authenticate(_ bytes: [UInt8]) throws(CryptographyError) {
        var length: CInt = 0
        // Without bytes, OpenSSL would write to the missing output.
        if !bytes.isEmpty { try check(EVP_CipherUpdate(context, nil, &length, bytes, CInt(bytes.count))) }
    }

    func update(_ bytes: [UInt8]) throws(CryptographyError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: bytes.count)
        var length: CInt = 0
        if !bytes.isEmpty { try check(EVP_CipherUpdate(context, &output, &length, bytes, CInt(bytes.count))) }
        return output
    }

    /// Throws if the tag is wrong. GCM has no last block, so there is no output.
    func finish() throws(CryptographyError) {
        var (output, length) = ([UInt8](repeating: 0, count: 16), CInt(0))
        try check(EVP_CipherFinal_ex(context, &output, &length))
    }

    func tag() throws(CryptographyError) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: AESGCM.tagLength)
        try check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, CInt(tag.count), &tag))
        return tag
    }

    func open(_ text: [UInt8], tag: [UInt8], authenticating bytes: [UInt8]) throws(CryptographyError) -> Data {
        var tag = tag
        try authenticate(bytes)
        let output = try update(text)
        try check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, CInt(tag.count), &tag))
        try finish()
        return Data(output)
    }

    private func check(_ result: CInt) throws(CryptographyError) {
        guard result == 1 else { throw CryptographyError("AES-GCM") }
    }
}
