import Cryptography
package import Domain
package import Foundation
import HTTPTypes
package import Hummingbird

/// The key of a post that a client can safely repeat if the response was lost
/// (draft-ietf-httpapi-idempotency-key-header). Forms carry it in a hidden field.
package struct IdempotencyKey: Sendable {
    private let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Returns the ID of what the account creates with this key, so that a repetition finds it.
    ///
    /// It is a UUID of version 8 (RFC 9562, 5.8): a hash of the account and the key. Clients cannot choose the ID
    /// itself, because they could then put another listing at the address of a removed one.
    package func id(for account: Account) -> UUID {
        var bytes = Array(Data.sha256(account.id.lowercased + text).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}

extension Request {
    /// The key in the header `Idempotency-Key`. The draft requires quotes around it; keys without quotes are accepted
    /// too, because most clients send them so.
    package var idempotencyKey: IdempotencyKey? {
        get throws(ServiceError) {
            guard let header = headers[.idempotencyKey] else { return nil }
            let isQuoted = header.count >= 2 && header.hasPrefix("\"") && header.hasSuffix("\"")
            let key = isQuoted ? String(header.dropFirst().dropLast()) : header
            guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 })
            else { throw .invalid("Idempotency-Key", "expected at most 255 letters, digits and signs, like a UUID") }
            return IdempotencyKey(key)
        }
    }
}
