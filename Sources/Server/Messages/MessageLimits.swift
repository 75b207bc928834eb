import Concurrency
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

    /// Counts a message; one that is refused counts for nothing, neither to its sender nor to all others of the address.
    /// Throws `RateLimitExceededError`.
    ///
    /// - Parameter begins: whether it is the first one to somebody.
    func take(_ text: String, begins: Bool, by account: Account, _ request: Request, _ peer: NetworkAddress?) throws {
        guard limits.factor > 0 else { return }
        let client = peer.flatMap { limits.proxies.client(peer: $0, request.headers) }
        // Of this machine itself come all whom a proxy brings that nobody told us of.
        let address = client.flatMap { $0.isLoopback ? nil : $0.site }
        var charges = Self.charges(messages, account.key, address)
        if begins {
            charges += Self.charges(conversationsAnHour, account.key, address)
            charges += Self.charges(conversationsADay, account.key, address)
            let folded = text.folded
            charges += Self.charges(
                copies,
                Copy(text: folded, sender: account.key),
                address.map { Copy(text: folded, sender: $0) }
            )
        }
        let now = MonotonicClock.seconds
        for charge in charges { try charge.expectRoom(now: now) }
        for charge in charges { try charge.take(now: now) }
    }

    private static func charges(
        _ limiter: RateLimiter,
        _ account: some Hashable,
        _ address: (some Hashable)?
    ) -> [Charge] {
        let own = Charge(limiter: limiter, caller: account.hashValue, amount: 1)
        guard let address else { return [own] }
        return [own, Charge(limiter: limiter, caller: address.hashValue, amount: 1 / accountsOfAddress)]
    }

    /// What a message takes of one bucket.
    private struct Charge {
        let limiter: RateLimiter
        let caller: Int
        let amount: Double

        /// Takes nothing. Throws where `take` would.
        func expectRoom(now: Double) throws {
            let limit = limiter.limit
            let wait = limiter.balance(caller, now: now).reset + limit.time(for: amount) - limit.window
            guard wait <= 1e-6 else { throw RateLimitExceededError(wait: wait, limit: limit) }
        }

        /// Others may have taken the room meanwhile.
        func take(now: Double) throws {
            guard case .failure(let refusal) = limiter.take(caller, amount, now: now) else { return }
            throw RateLimitExceededError(wait: refusal.wait, limit: limiter.limit)
        }
    }

    private struct Copy<Sender: Hashable>: Hashable {
        let text: String
        let sender: Sender
    }
}
