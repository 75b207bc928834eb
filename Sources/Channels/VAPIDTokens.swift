import Domain
import OutgoingHTTP
import Synchronization
import WebPush

/// The tokens for push services. One for each origin is signed in an hour.
final class VAPIDTokens: Sendable {
    private struct Token {
        let text: String
        let hour: Int
    }

    private static let maxOrigins = 1_000

    private let key: VAPIDKey
    let subject: String
    private let tokens = Mutex<[String: Token]>([:])

    init(_ key: VAPIDKey, subject: String) { (self.key, self.subject) = (key, subject) }

    /// - Parameter now: in seconds since 1970.
    func token(for endpoint: OutgoingURL, now: Double) throws -> String {
        let hour = Int(now / 3_600)
        return try tokens.withLock { tokens in
            if let known = tokens[endpoint.origin], known.hour == hour { return known.text }
            if tokens.count >= Self.maxOrigins { tokens = [:] }
            let text = try key.authorization(for: endpoint, subject: subject, now: now)
            tokens[endpoint.origin] = Token(text: text, hour: hour)
            return text
        }
    }
}
