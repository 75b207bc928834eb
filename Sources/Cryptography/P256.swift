import COpenSSL
package import Foundation

/// A key of the elliptic curve P-256 (FIPS 186-4, secp256r1).
final class P256Key: @unchecked Sendable {
    // OpenSSL's keys do not change after they were made, and all threads may use them.
    let key: OpaquePointer

    init(_ key: OpaquePointer) { self.key = key }

    convenience init(_ key: OpaquePointer?, _ operation: String) throws(CryptographyError) {
        guard let key else { throw CryptographyError(operation) }
        self.init(key)
    }

    deinit { EVP_PKEY_free(key) }

    /// The public key as an uncompressed point, 65 bytes.
    var point: Data {
        var (bytes, length) = ([UInt8](repeating: 0, count: 65), 0)
        let name = OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY
        guard EVP_PKEY_get_octet_string_param(key, name, &bytes, bytes.count, &length) == 1, length == bytes.count
        else { preconditionFailure("a key without a public point") }
        return Data(bytes)
    }
}

/// A public key of P-256.
package struct P256PublicKey: Sendable {
    let key: P256Key

    /// - Parameter point: an uncompressed point, 65 bytes. Throws if it is not on the curve.
    package init(point: some DataProtocol) throws(CryptographyError) {
        guard point.count == 65, point.first == 4 else { throw CryptographyError("not an uncompressed point of P-256") }
        let bytes = Array(point)
        let key = try P256Key(EVP_PKEY_new(), "EVP_PKEY_new")
        guard EVP_PKEY_copy_parameters(key.key, Self.curve.key) == 1,
            EVP_PKEY_set1_encoded_public_key(key.key, bytes, bytes.count) == 1
        else { throw CryptographyError("not a point of P-256") }
        self.key = key
    }

    /// A key from which the curve is copied: that takes a twentieth of the time of `d2i_PUBKEY`.
    private static let curve = P256PrivateKey().key

    init(_ key: P256Key) { self.key = key }

    /// An uncompressed point, 65 bytes.
    package var point: Data { key.point }

    /// Whether a signature by ECDSA with SHA-256, 32 bytes of `r` and 32 bytes of `s`, is one of this key.
    package func isValid(_ signature: Data, for data: some DataProtocol) -> Bool {
        guard signature.count == 64, let encoded = try? P256Signature.encoded(signature),
            let context = EVP_MD_CTX_new()
        else { return false }
        defer { EVP_MD_CTX_free(context) }
        let bytes = Array(data)
        return EVP_DigestVerifyInit(context, nil, HashFunction.sha256.method, nil, key.key) == 1
            && EVP_DigestVerify(context, encoded, encoded.count, bytes, bytes.count) == 1
    }
}

/// A private key of P-256, for signatures (ECDSA) and shared secrets (ECDH).
package struct P256PrivateKey: Sendable {
    let key: P256Key

    /// The parts of an ECPrivateKey (RFC 5915) of P-256 around the 32 bytes of the key.
    private static let parts: (before: [UInt8], after: [UInt8]) = (
        [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20],
        [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    )

    /// A new random key.
    package init() {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else {
            preconditionFailure("no memory for a key")
        }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            EVP_PKEY_generate(context, &key) == 1, let key
        else { preconditionFailure("no memory for a key") }
        self.key = P256Key(key)
    }

    /// - Parameter bytes: the private number, 32 bytes. Throws if it is 0 or not less than the order of the curve.
    package init(rawRepresentation bytes: some DataProtocol) throws(CryptographyError) {
        guard bytes.count == 32 else { throw CryptographyError("not a private key of 32 bytes") }
        let encoded = Self.parts.before + Array(bytes) + Self.parts.after
        var key: OpaquePointer?
        encoded.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            key = d2i_PrivateKey(EVP_PKEY_EC, nil, &start, buffer.count)
        }
        self.key = try P256Key(key, "d2i_PrivateKey")
        try check()
    }

    /// - Parameter pem: `PRIVATE KEY` or `EC PRIVATE KEY`, without a passphrase.
    package init(pem: String) throws(CryptographyError) {
        let bytes = Array(pem.utf8)
        guard let input = BIO_new_mem_buf(bytes, CInt(bytes.count)) else { throw CryptographyError("BIO_new_mem_buf") }
        defer { BIO_free(input) }
        // Without this function, OpenSSL would ask for a passphrase at the terminal.
        let key = PEM_read_bio_PrivateKey(input, nil, { _, _, _, _ in 0 }, nil)
        self.key = try P256Key(key, "PEM_read_bio_PrivateKey")
        var name = [CChar](repeating: 0, count: 32)
        guard EVP_PKEY_get_group_name(self.key.key, &name, name.count, nil) == 1,
            String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) == "prime256v1"
        else { throw CryptographyError("not a key of P-256") }
        try check()
    }

    /// OpenSSL reads private numbers outside of the range.
    private func check() throws(CryptographyError) {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key.key, nil) else { throw CryptographyError("EC") }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_check(context) == 1 else { throw CryptographyError("EVP_PKEY_check") }
    }

    /// `PRIVATE KEY` (PKCS #8).
    package var pem: String {
        guard let output = BIO_new(BIO_s_mem()) else { preconditionFailure("no memory for a key") }
        defer { BIO_free(output) }
        guard PEM_write_bio_PKCS8PrivateKey(output, key.key, nil, nil, 0, nil, nil) == 1 else {
            preconditionFailure("a key cannot be written")
        }
        var text = [UInt8](repeating: 0, count: 1_024)
        let count = BIO_read(output, &text, CInt(text.count))
        return String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }

    /// The private number, 32 bytes.
    package var rawRepresentation: Data {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(key.key, OSSL_PKEY_PARAM_PRIV_KEY, &number) == 1, let number else {
            preconditionFailure("a private key without its number")
        }
        defer { BN_clear_free(number) }
        return number.bytes
    }

    package var publicKey: P256PublicKey { P256PublicKey(key) }

    /// Returns a signature by ECDSA with SHA-256: 32 bytes of `r` and 32 bytes of `s`.
    package func signature(for data: some DataProtocol) throws(CryptographyError) -> Data {
        guard let context = EVP_MD_CTX_new() else { throw CryptographyError("EVP_MD_CTX_new") }
        defer { EVP_MD_CTX_free(context) }
        // A signature of P-256 in DER has at most 72 bytes.
        var (encoded, length, bytes) = ([UInt8](repeating: 0, count: 80), 80, Array(data))
        guard EVP_DigestSignInit(context, nil, HashFunction.sha256.method, nil, key.key) == 1,
            EVP_DigestSign(context, &encoded, &length, &bytes, bytes.count) == 1
        else { throw CryptographyError("EVP_DigestSign") }
        return try P256Signature.raw(Array(encoded.prefix(length)))
    }

    /// Returns the secret that only the owners of both private keys know (ECDH), 32 bytes.
    package func sharedSecret(with other: P256PublicKey) throws(CryptographyError) -> Data {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key.key, nil) else { throw CryptographyError("EC") }
        defer { EVP_PKEY_CTX_free(context) }
        var (secret, length) = ([UInt8](repeating: 0, count: 32), 32)
        // The point of a key was checked when the key was made, so that it need not be checked again.
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer_ex(context, other.key.key, 0) == 1,
            EVP_PKEY_derive(context, &secret, &length) == 1, length == 32
        else { throw CryptographyError("EVP_PKEY_derive") }
        return Data(secret)
    }
}

/// Converts between the two forms of signatures: DER, and `r` and `s` of 32 bytes each as in JSON Web Signatures (RFC
/// 7518, section 3.4).
private enum P256Signature {
    static func raw(_ encoded: [UInt8]) throws(CryptographyError) -> Data {
        var signature: OpaquePointer?
        encoded.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            signature = d2i_ECDSA_SIG(nil, &start, buffer.count)
        }
        guard let signature, let r = ECDSA_SIG_get0_r(signature), let s = ECDSA_SIG_get0_s(signature) else {
            throw CryptographyError("d2i_ECDSA_SIG")
        }
        defer { ECDSA_SIG_free(signature) }
        return r.bytes + s.bytes
    }

    static func encoded(_ raw: Data) throws(CryptographyError) -> [UInt8] {
        guard let signature = ECDSA_SIG_new() else { throw CryptographyError("ECDSA_SIG_new") }
        defer { ECDSA_SIG_free(signature) }
        let (r, s) = (Array(raw.prefix(32)), Array(raw.suffix(32)))
        guard ECDSA_SIG_set0(signature, BN_bin2bn(r, 32, nil), BN_bin2bn(s, 32, nil)) == 1 else {
            throw CryptographyError("ECDSA_SIG_set0")
        }
        var encoded: UnsafeMutablePointer<UInt8>?
        let length = i2d_ECDSA_SIG(signature, &encoded)
        guard length > 0, let encoded else { throw CryptographyError("i2d_ECDSA_SIG") }
        defer { CRYPTO_free(encoded, #fileID, #line) }
        return Array(UnsafeBufferPointer(start: encoded, count: Int(length)))
    }
}

extension OpaquePointer {
    /// The 32 bytes of a number of OpenSSL (`BIGNUM`).
    fileprivate var bytes: Data {
        var bytes = [UInt8](repeating: 0, count: 32)
        BN_bn2binpad(self, &bytes, 32)
        return Data(bytes)
    }
}
