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
    /// About 40 photos, each of which takes up to half a megabyte on the disk.
    private static let maxPhotoBytes = 20_000_000.0

    private let limits: RateLimits
    private let messages: RateLimiter
    private let conversationsPerHour: RateLimiter
    private let conversationsPerDay: RateLimiter
    /// The limit on conversations that begin with the same text, about any listings.
    private let copies: RateLimiter
    private let sightingsPerHour: RateLimiter
    private let sightingsPerDay: RateLimiter
    /// The limit on the bytes of photos of messages and sightings.
    private let photoBytesPerDay: RateLimiter

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
        photoBytesPerDay = limiter("photo-bytes-day", Self.maxPhotoBytes, Self.day)
    }

    /// Counts a message. A message that is refused does not count, neither for its sender nor for other accounts of the
    /// address. Throws `RateLimitExceededError`.
    ///
    /// - Parameters:
    ///   - photoBytes: the size of the photo; 0 for none.
    ///   - begins: whether the message begins a conversation.
    func take(
        _ text: String,
        photoBytes: Int = 0,
        begins: Bool,
        by account: Account,
        from client: NetworkAddress
    ) throws {
        guard limits.factor > 0 else { return }
        let address = Self.address(of: client)
        var charges = Self.charges(messages, account.key, address) + photoCharges(photoBytes, account, address)
        if begins {
            charges += Self.charges(conversationsPerHour, account.key, address)
            charges += Self.charges(conversationsPerDay, account.key, address)
            charges += copyCharges(text, account, address)
        }
        try Self.take(charges)
    }

    /// Counts a sighting of a lost animal, like `take(_:photoBytes:begins:by:from:)`.
    ///
    /// - Parameters:
    ///   - text: nil if the author has said nothing.
    ///   - photoBytes: the size of the photo; 0 for none.
    func takeSighting(_ text: String?, photoBytes: Int = 0, by account: Account, from client: NetworkAddress) throws {
        guard limits.factor > 0 else { return }
        let address = Self.address(of: client)
        var charges =
            Self.charges(sightingsPerHour, account.key, address) + Self.charges(sightingsPerDay, account.key, address)
            + photoCharges(photoBytes, account, address)
        if let text { charges += copyCharges(text, account, address) }
        try Self.take(charges)
    }

    /// Returns nil for requests from the machine itself: they may come from any client of a proxy that is not configured
    /// as a trusted proxy.
    private static func address(of client: NetworkAddress) -> NetworkAddress? {
        client.isLoopback ? nil : client.site
    }

    private func photoCharges(_ bytes: Int, _ account: Account, _ address: NetworkAddress?) -> [QuotaCharge] {
        bytes == 0 ? [] : Self.charges(photoBytesPerDay, account.key, address, amount: Double(bytes))
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
        _ address: (some Hashable)?,
        amount: Double = 1
    ) -> [QuotaCharge] {
        let own = QuotaCharge(limiter: limiter, caller: account.hashValue, amount: amount)
        guard let address else { return [own] }
        return [own, QuotaCharge(limiter: limiter, caller: address.hashValue, amount: amount / accountsPerAddress)]
    }

    private struct Copy<Sender: Hashable>: Hashable {
        let text: String
        let sender: Sender
    }
}
