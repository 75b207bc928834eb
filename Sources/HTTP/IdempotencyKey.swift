import Domain
import HTTPTypes
package import Hummingbird

extension Request {
    /// The key under which the client can retry this request (draft-ietf-httpapi-idempotency-key-header). The draft
    /// requires quotes around the key; keys without quotes are accepted too, because most clients send them so.
    package var idempotencyKey: String? {
        get throws(ServiceError) {
            guard let header = headers[.idempotencyKey] else { return nil }
            let isQuoted = header.count >= 2 && header.hasPrefix("\"") && header.hasSuffix("\"")
            let key = isQuoted ? String(header.dropFirst().dropLast()) : header
            guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 })
            else { throw .invalid("Idempotency-Key", "expected at most 255 letters, digits and signs, like a UUID") }
            return key
        }
    }
}
