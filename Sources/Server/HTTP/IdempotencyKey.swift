import Domain
import HTTPTypes
import Hummingbird

extension Request {
    /// What the sender calls this request, to be able to repeat it (draft-ietf-httpapi-idempotency-key-header): in quotes, or without as most
    /// clients send it.
    var idempotencyKey: String? {
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
