import Concurrency
import Domain
import HTTP
import Hummingbird

/// Limits the messages that a caller sends to others, in addition to the limit on all writes. The limits apply to each
/// account, and to all accounts of a network address together, because guest accounts are free.
struct MessageLimits: Sendable {
    /// The quota of all accounts of one network address together, as a multiple of the quota of one account.
    private static let accountsPerAddress = 4.0
    private static let hour = 3600.0
    private static let day = 24 * hour

    private let limits: RateLimits
    private let messages: RateLimiter
    private let conversationsPerHour: RateLimiter
    private let conversationsPerDay: RateLimiter
    /// The limit on conversations that begin with the same text, about any listings.
    private let copies: RateLimiter
    private let sightingsPerHour: RateLimiter
    private let sightingsPerDay: RateLimiter

    init(_ limits: RateLimits) {
        func limiter(_ name: String, _ quota: Double, _ window: Double) -> RateLimiter {
            RateLimiter(RateLimit(name: name, quota: max(1, quota * limits.factor), window: window, unit: nil))
        }
        self.limits = limits
        messages = limiter("message", 60, Self.hour)
        conversationsPerHour = limiter("conversation", 10, Self.hour)
        conversationsPerDay = limiter("conversation-day", 30, Self.day)
        copies = limiter("message-copy", 3, Self.day)
        sightingsPerHour = limiter("sighting", 10, Self.hour)
        sightingsPerDay = limiter("sighting-day", 30, Self.day)
    }

    /// Counts a message. A message that is refused does not count, neither for its sender nor for other accounts of the
    /// address. Throws `RateLimitExceededError`.
    ///
    /// - Parameter begins: whether the message begins a conversation.
    func take(_ text: String, begins: Bool, by account: Account, from client: NetworkAddress) throws {
        guard limits.factor > 0 else { return }
        let address = Self.address(of: client)
        var charges = Self.charges(messages, account.key, address)
        if begins {
            charges += Self.charges(conversationsPerHour, account.key, address)
            charges += Self.charges(conversationsPerDay, account.key, address)
            charges += copyCharges(text, account, address)
        }
        try Self.take(charges)
    }

    /// Counts a sighting of a lost animal, like `take(_:begins:by:from:)`.
    ///
    /// - Parameter text: nil if the author has said nothing.
    func takeSighting(_ text: String?, by account: Account, from client: NetworkAddress) throws {
        guard limits.factor > 0 else { return }
        let address = Self.address(of: client)
        var charges =
            Self.charges(sightingsPerHour, account.key, address) + Self.charges(sightingsPerDay, account.key, address)
        if let text { charges += copyCharges(text, account, address) }
        try Self.take(charges)
    }

    /// Returns nil for requests from the machine itself: they may come from any client of a proxy that is not configured
    /// as a trusted proxy.
    private static func address(of client: NetworkAddress) -> NetworkAddress? {
        client.isLoopback ? nil : client.site
    }

    private func copyCharges(_ text: String, _ account: Account, _ address: NetworkAddress?) -> [QuotaCharge] {
        let folded = text.folded
        return Self.charges(
            copies,
            Copy(text: folded, sender: account.key),
            address.map { Copy(text: folded, sender: $0) }
        )
    }

    private static func take(_ charges: [QuotaCharge]) throws {
        let now = MonotonicClock.seconds
        for charge in charges { try charge.checkQuota(now: now) }
        for charge in charges { try charge.take(now: now) }
    }

    private static func charges(
        _ limiter: RateLimiter,
        _ account: some Hashable,
        _ address: (some Hashable)?
    ) -> [QuotaCharge] {
        let own = QuotaCharge(limiter: limiter, caller: account.hashValue, amount: 1)
        guard let address else { return [own] }
        return [own, QuotaCharge(limiter: limiter, caller: address.hashValue, amount: 1 / accountsPerAddress)]
    }

    private struct Copy<Sender: Hashable>: Hashable {
        let text: String
        let sender: Sender
    }
}
