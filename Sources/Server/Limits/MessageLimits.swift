import Domain
import Hummingbird

/// How much one caller may write to others, besides what all writes are counted for: each account, and all accounts of an address
/// together, since a guest costs nothing.
struct MessageLimits: Sendable {
    /// Accounts that may write all that one may, of one address.
    private static let accountsOfAddress = 4.0
    private static let hour = 3600.0
    private static let day = 24 * hour

    private let limits: RateLimits
    private let messages: RateLimiter
    private let conversationsAnHour: RateLimiter
    private let conversationsADay: RateLimiter
    /// Of one text, to however many listings.
    private let copies: RateLimiter

    init(_ limits: RateLimits) {
        func limiter(_ name: String, _ quota: Double, _ window: Double) -> RateLimiter {
            RateLimiter(RateLimit(name: name, quota: max(1, quota * limits.factor), window: window, unit: nil))
        }
        self.limits = limits
        messages = limiter("message", 60, Self.hour)
        conversationsAnHour = limiter("conversation", 10, Self.hour)
        conversationsADay = limiter("conversation-day", 30, Self.day)
        copies = limiter("message-copy", 3, Self.day)
    }

    /// Counts a message. Throws `RateLimitRefusal`.
    ///
    /// - Parameter begins: whether it is the first one to somebody.
    func take(_ text: String, begins: Bool, by account: Account, _ request: Request, _ peer: NetworkAddress?) throws {
        guard limits.factor > 0 else { return }
        let client = peer.flatMap { limits.proxies.client(peer: $0, request.headers) }
        // Of this machine itself come all whom a proxy brings that nobody told us of.
        let address = client.flatMap { $0.isLoopback ? nil : $0.site }
        try take(messages, account.key, address)
        guard begins else { return }
        try take(conversationsAnHour, account.key, address)
        try take(conversationsADay, account.key, address)
        try take(
            copies,
            Copy(text: text.folded, sender: account.key),
            address.map { Copy(text: text.folded, sender: $0) }
        )
    }

    private func take(_ limiter: RateLimiter, _ account: some Hashable, _ address: (some Hashable)?) throws {
        let now = SteadyClock.seconds
        let crowd = address.map { limiter.take($0.hashValue, 1 / Self.accountsOfAddress, now: now) }
        for case .failure(let refusal)? in [crowd, limiter.take(account.hashValue, now: now)] {
            throw RateLimitRefusal(wait: refusal.wait, limit: limiter.limit)
        }
    }

    private struct Copy<Sender: Hashable>: Hashable {
        let text: String
        let sender: Sender
    }
}
