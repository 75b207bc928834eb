import COpenSSL
package import Foundation

/// A hash function of OpenSSL.
package struct HashFunction: Sendable {
    /// Objects of OpenSSL that never change are shared by all threads.
    nonisolated(unsafe) let method: OpaquePointer

    /// Broken; for checksums of object stores.
    package static let md5 = HashFunction("MD5")
    /// Broken for signatures; for authenticator apps (RFC 6238) and lists of breached passwords.
    package static let sha1 = HashFunction("SHA1")
    package static let sha256 = HashFunction("SHA2-256")

    /// Fetches the function once, because OpenSSL 3 searches its providers each time.
    private init(_ name: String) {
        guard let method = EVP_MD_fetch(nil, name, nil) else { preconditionFailure("OpenSSL has no \(name)") }
        self.method = method
    }

    /// Returns the digest of some bytes.
    package func digest(_ data: some DataProtocol) -> Data {
        var hash = Hash(self)
        hash.update(data)
        return hash.finish()
    }

    /// Returns the authentication code of some bytes (HMAC, RFC 2104).
    package func authenticationCode(of data: some DataProtocol, key: some DataProtocol) -> Data {
        var code = Data(count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        let (key, data) = ([UInt8](key), [UInt8](data))
        let result = code.withUnsafeMutableBytes { code in
            HMAC(method, key, CInt(key.count), data, data.count, code.bindMemory(to: UInt8.self).baseAddress, &length)
        }
        precondition(result != nil, "HMAC has failed")
        return code.prefix(Int(length))
    }
}

/// A digest of bytes that come in parts.
package struct Hash: ~Copyable {
    private let context: OpaquePointer

    package init(_ function: HashFunction = .sha256) {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex2(context, function.method, nil) == 1 else {
            preconditionFailure("no memory for a digest")
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    package mutating func update(_ data: some DataProtocol) {
        for region in data.regions { region.withUnsafeBytes { update($0) } }
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        precondition(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1, "a digest has failed")
    }

    package consuming func finish() -> Data {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        precondition(EVP_DigestFinal_ex(context, &digest, &length) == 1, "a digest has failed")
        return Data(digest.prefix(Int(length)))
    }
}

extension Data {
    package static func sha256(_ data: some DataProtocol) -> Data { HashFunction.sha256.digest(data) }

    package static func sha256(_ text: String) -> Data { sha256(Array(text.utf8)) }

    /// Random bytes for keys.
    package static func random(count: Int) -> Data {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<count).map { _ in .random(in: .min ... .max, using: &generator) })
    }

    /// In lower-case hexadecimal digits.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
