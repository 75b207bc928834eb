import Concurrency
import Domain
import Foundation
import HTTP
import Storage

/// Answers whether a microchip is listed, and delivers messages to the owner, for the API and the page alike.
struct MicrochipService: Sendable {
    let microchips: MicrochipStore
    let messages: MessageService
    let limits: MicrochipLimits

    /// - Parameter account: nil for callers without an account, who are limited by address.
    func isListed(_ microchip: Microchip, for account: Account?, from client: NetworkAddress) throws -> Bool {
        try limits.take(by: account, from: client)
        return try microchips.isListed(microchip)
    }

    /// Sends a message to the owner without naming the listing. Throws `notFound` if there is none. A message counts as
    /// a lookup, because its answer tells as much.
    ///
    /// - Parameters:
    ///   - viewer: nil for a visitor without an account.
    ///   - account: the viewer's account, or a new one, which is created only if there is somebody to write to.
    /// - Returns: the sender.
    @discardableResult
    func send(
        _ content: MessageContent,
        toOwnerOf microchip: Microchip,
        by viewer: Account?,
        from client: NetworkAddress,
        account: () async throws -> Account
    ) async throws -> Account {
        try limits.take(by: viewer, from: client)
        if viewer == nil, try !microchips.isListed(microchip) { throw ServiceError.unknownMicrochip }
        let sender = try await account()
        let address = MessageAddress.ownerOfAnimal(with: microchip)
        _ = try await messages.send(content, id: UUID(), to: address, by: sender, from: client)
        return sender
    }
}

/// Limits lookups of microchips, so that nobody tries out numbers. The limits apply to each account and to all callers
/// of a network address together.
struct MicrochipLimits: Sendable {
    /// The quota of all callers of one address together, as a multiple of the quota of one account.
    private static let accountsPerAddress = 2.0
    /// The same for requests from the machine itself, which may come from all clients of a proxy that is not configured.
    private static let accountsOfMachine = 20.0

    private let factor: Double
    private let limiters: [RateLimiter]

    init(_ limits: RateLimits) {
        factor = limits.factor
        limiters = [("microchip", 6.0, 3_600.0), ("microchip-day", 20, 86_400)].map { name, quota, window in
            RateLimiter(RateLimit(name: name, quota: max(1, quota * limits.factor), window: window, unit: nil))
        }
    }

    /// Counts a lookup. One that is refused does not count. Throws `RateLimitExceededError`.
    func take(by account: Account?, from client: NetworkAddress) throws {
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
