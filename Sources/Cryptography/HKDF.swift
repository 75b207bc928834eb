package import Foundation

/// Derives keys from a secret (HKDF with SHA-256, RFC 5869).
package enum HKDF {
    /// - Parameter count: the number of bytes, at most 32: one block.
    package static func deriveKey(
        from secret: some DataProtocol,
        salt: some DataProtocol,
        info: some DataProtocol,
        count: Int
    ) -> Data {
        precondition((1...32).contains(count), "more than one block")
        let key = HashFunction.sha256.authenticationCode(of: secret, key: salt)
        return HashFunction.sha256.authenticationCode(of: Array(info) + [1], key: key).prefix(count)
    }
}
