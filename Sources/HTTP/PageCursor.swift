import Cryptography
package import Domain
import Foundation

/// The position at the end of a page of a list. `next` links carry it as a token that clients treat as opaque; it
/// contains nothing confidential.
///
/// The token ends with a signature of this process. It proves that the client received the page before, so the rate
/// limit is more patient with it. A token without a valid signature, for example from before a restart, is a valid
/// position.
package struct PageCursor {
    private static let key = Data.random(count: 32)
    /// The bytes of the signature in a token. A guess succeeds once in 2^64.
    private static let signatureLength = 8

    package let fields: [String]

    package init(_ fields: [String]) {
        self.fields = fields
    }

    /// - Parameter key: the key of the last item, greater than 0.
    package init(key: Int64) {
        self.init([String(key)])
    }

    /// Returns nil if the token is malformed.
    package init?(token: String) {
        guard let data = Self.parts(of: token)?.fields else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        self.init(text.split(separator: "|", omittingEmptySubsequences: false).map(String.init))
    }

    /// The fields and the signature, in base64url without padding (RFC 4648).
    package var token: String {
        let data = Data(fields.joined(separator: "|").utf8)
        return Base64URL.text(data) + "." + Base64URL.text(Self.signature(of: data))
    }

    /// Returns whether this process wrote the token.
    package static func isSigned(_ token: String) -> Bool {
        guard let parts = parts(of: token) else { return false }
        return parts.signature == signature(of: parts.fields)
    }

    private static func signature(of data: Data) -> Data {
        HashFunction.sha256.authenticationCode(of: data, key: key).prefix(signatureLength)
    }

    private static func parts(of token: String) -> (fields: Data, signature: Data?)? {
        let parts = token.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let fields = Base64URL.bytes(String(parts[0])) else { return nil }
        return (Data(fields), parts.count == 2 ? Base64URL.bytes(String(parts[1])).map { Data($0) } : nil)
    }
}

extension QueryReader {
    /// Reads the parameter `cursor`. Throws `invalid` if it is malformed, or if `decode` returns nil because it belongs
    /// to a search with other parameters.
    ///
    /// - Parameter count: the number of fields of the cursor.
    package func cursor<Value>(fields count: Int, _ decode: ([String]) -> Value?) throws(ServiceError) -> Value? {
        guard let token = try text("cursor") else { return nil }
        guard let cursor = PageCursor(token: token), cursor.fields.count == count, let value = decode(cursor.fields)
        else { throw .invalid("cursor", "expected the one of a next link, with the same parameters") }
        return value
    }

    /// Reads the parameter `cursor` of a list that is ordered by key.
    package func keyCursor() throws(ServiceError) -> Int64? {
        try cursor(fields: 1) { fields in Int64(fields[0]).flatMap { $0 > 0 ? $0 : nil } }
    }
}
