import Concurrency
import Domain
import HTTP

/// Limits the messages that a caller sends to others, in addition to the limit on all writes. The limits apply to each
/// account, and to all accounts of a network address together, because guest accounts are free.
struct MessageLimits: Sendable {
    /// The quota of all accounts of one network address together, as a multiple of the quota of one account.
    private static let accountsPerAddress = 4.0
    private static let hour = 3600.0
    private static let day = 24 * hour
    /// About 40 photos, each of which takes up to half a megabyte on the disk.
    private static let maxPhotoBytes = 20_000_000.0

    private let counters: any LimitCounters
    private let factor: Double
    private let messages: RateLimit
    private let conversationsPerHour: RateLimit
    private let conversationsPerDay: RateLimit
    /// The limit on conversations that begin with the same text, about any listings.
    private let copies: RateLimit
    private let sightingsPerHour: RateLimit
    private let sightingsPerDay: RateLimit
    /// The limit on the bytes of photos of messages and sightings.
    private let photoBytesPerDay: RateLimit

    init(_ limits: RateLimits, _ counters: any LimitCounters) {
        self.counters = counters
        factor = limits.factor
        messages = limits.limit("message", quota: 60, window: Self.hour)
        conversationsPerHour = limits.limit("conversation", quota: 10, window: Self.hour)
        conversationsPerDay = limits.limit("conversation-day", quota: 30, window: Self.day)
        copies = limits.limit("message-copy", quota: 3, window: Self.day)
        sightingsPerHour = limits.limit("sighting", quota: 10, window: Self.hour)
        sightingsPerDay = limits.limit("sighting-day", quota: 30, window: Self.day)
        photoBytesPerDay = limits.limit("photo-bytes-day", quota: Self.maxPhotoBytes, window: Self.day)
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
    ) async throws {
        guard factor > 0 else { return }
        let callers = Self.callers(account, client)
        var charges = charges(messages, callers) + photoCharges(photoBytes, callers)
        if begins {
            charges += self.charges(conversationsPerHour, callers) + self.charges(conversationsPerDay, callers)
            charges += copyCharges(text, callers)
        }
        try await counters.take(charges)
    }

    /// Counts a sighting of a lost animal, like `take(_:photoBytes:begins:by:from:)`.
    ///
    /// - Parameters:
    ///   - text: nil if the author has said nothing.
    ///   - photoBytes: the size of the photo; 0 for none.
    func takeSighting(
        _ text: String?,
        photoBytes: Int = 0,
        by account: Account,
        from client: NetworkAddress
    ) async throws {
        guard factor > 0 else { return }
        let callers = Self.callers(account, client)
        var charges = charges(sightingsPerHour, callers) + charges(sightingsPerDay, callers)
        charges += photoCharges(photoBytes, callers)
        if let text { charges += copyCharges(text, callers) }
        try await counters.take(charges)
    }

    private typealias Callers = (account: String, address: String?)

    /// Requests from the machine itself have no address: they may come from any client of a proxy that is not configured
    /// as a trusted proxy.
    private static func callers(_ account: Account, _ client: NetworkAddress) -> Callers {
        (QuotaCharge.name(of: account), client.isLoopback ? nil : QuotaCharge.name(of: client))
    }

    private func photoCharges(_ bytes: Int, _ callers: Callers) -> [QuotaCharge] {
        bytes == 0 ? [] : charges(photoBytesPerDay, callers, amount: Double(bytes))
    }

    private func copyCharges(_ text: String, _ callers: Callers) -> [QuotaCharge] {
        let folded = text.folded
        return charges(copies, ("\(callers.account) \(folded)", callers.address.map { "\($0) \(folded)" }))
    }

    private func charges(_ limit: RateLimit, _ callers: Callers, amount: Double = 1) -> [QuotaCharge] {
        let own = QuotaCharge(limit, callers.account, amount: amount)
        guard let address = callers.address else { return [own] }
        return [own, QuotaCharge(limit, address, amount: amount / Self.accountsPerAddress)]
    }
}
