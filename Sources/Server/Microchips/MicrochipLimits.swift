import Concurrency
import Domain
import HTTP

/// Limits lookups of microchips and the setting of them on listings, so that nobody tries out numbers. The limits apply
/// to each account and to all callers of a network address together.
struct MicrochipLimits: Sendable {
    /// The quota of all callers of one address together, as a multiple of the quota of one account.
    private static let accountsPerAddress = 2.0
    /// The same for requests from the machine itself, which may come from all clients of a proxy that is not configured.
    private static let accountsOfMachine = 20.0

    private let factor: Double
    private let lookups: [RateLimiter]
    private let listings: [RateLimiter]

    init(_ limits: RateLimits) {
        factor = limits.factor
        func limiter(_ name: String, _ quota: Double, _ hours: Double) -> RateLimiter {
            RateLimiter(
                RateLimit(name: name, quota: max(1, quota * limits.factor), window: hours * 3_600, unit: nil)
            )
        }
        lookups = [limiter("microchip", 6, 1), limiter("microchip-day", 20, 24)]
        listings = [limiter("microchip-listing", 30, 1), limiter("microchip-listing-day", 100, 24)]
    }

    /// Counts a lookup. One that is refused does not count. Throws `RateLimitExceededError`.
    func takeLookup(by account: Account?, from client: NetworkAddress) throws {
        try take(lookups, account, client)
    }

    /// Counts a number that an owner sets on a listing, because the matches of the listing tell the owner which other
    /// listing carries it. One that is refused does not count. Throws `RateLimitExceededError`.
    ///
    /// - Parameter former: the content before; nil for a new listing.
    func takeChange(
        to content: ListingContent,
        from former: ListingContent? = nil,
        by account: Account?,
        at client: NetworkAddress
    ) throws {
        guard let number = content[.microchip], number != former?[.microchip] else { return }
        try take(listings, account, client)
    }

    private func take(_ limiters: [RateLimiter], _ account: Account?, _ client: NetworkAddress) throws {
        guard factor > 0 else { return }
        let callers = client.isLoopback ? Self.accountsOfMachine : Self.accountsPerAddress
        let charges = limiters.flatMap { limiter in
            [QuotaCharge(limiter: limiter, caller: client.site.hashValue, amount: 1 / callers)]
                + (account.map { [QuotaCharge(limiter: limiter, caller: $0.key.hashValue, amount: 1)] } ?? [])
        }
        let now = MonotonicClock.seconds
        for charge in charges { try charge.checkQuota(now: now) }
        for charge in charges { try charge.take(now: now) }
    }
}
