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

    private let counters: any LimitCounters
    private let factor: Double
    private let lookups: [RateLimit]
    private let listings: [RateLimit]

    init(_ limits: RateLimits, _ counters: any LimitCounters) {
        self.counters = counters
        factor = limits.factor
        let (hour, day) = (3_600.0, 86_400.0)
        lookups = [
            limits.limit("microchip", quota: 6, window: hour), limits.limit("microchip-day", quota: 20, window: day),
        ]
        listings = [
            limits.limit("microchip-listing", quota: 30, window: hour),
            limits.limit("microchip-listing-day", quota: 100, window: day),
        ]
    }

    /// Counts a lookup. One that is refused does not count. Throws `RateLimitExceededError`.
    func takeLookup(by account: Account?, from client: NetworkAddress) async throws {
        try await take(lookups, account, client)
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
    ) async throws {
        guard let number = content[.microchip], number != former?[.microchip] else { return }
        try await take(listings, account, client)
    }

    private func take(_ limits: [RateLimit], _ account: Account?, _ client: NetworkAddress) async throws {
        guard factor > 0 else { return }
        let callers = client.isLoopback ? Self.accountsOfMachine : Self.accountsPerAddress
        let charges = limits.flatMap { limit in
            [QuotaCharge(limit, QuotaCharge.name(of: client), amount: 1 / callers)]
                + (account.map { [QuotaCharge(limit, QuotaCharge.name(of: $0))] } ?? [])
        }
        try await counters.take(charges)
    }
}
