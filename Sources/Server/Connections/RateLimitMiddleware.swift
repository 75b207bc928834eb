import Concurrency
import Domain
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// Applies the rate limits, so that one caller cannot use the whole capacity. Writes are counted, and refused above the
/// limit. Reads are charged with the time that they took, and are delayed before they are refused. A read with the signed
/// cursor of a `next` link is refused later than others, because many clients would present the pages that they have
/// received as the complete list.
///
/// Requests from the machine itself are not limited: they come from the operator, or from a proxy that is not
/// configured as a trusted proxy, behind which all callers would share one bucket.
final class RateLimitMiddleware: RouterMiddleware {
    /// The maximum number of reads that are delayed at the same time. Each of them uses a connection and little else.
    private static let maxWaiting = 1000
    /// The minimum cost of a read in milliseconds: the time to read the request and to send the response.
    private static let minCost = 0.02
    /// The bytes of a streamed response that cost one millisecond.
    private static let bytesPerMillisecond = 64.0 * 1024

    /// A bucket that several callers share, so that nobody multiplies a quota by creating accounts or by using many
    /// addresses of a network.
    private struct Share {
        let hash: Int
        /// The quota, as a multiple of the quota of one caller.
        let callers: Double
        let isOfNetwork: Bool

        init(hash: Int, callers: Double, isOfNetwork: Bool) {
            self.hash = hash
            self.callers = callers
            self.isOfNetwork = isOfNetwork
        }

        /// The bucket of all accounts of one address.
        init(address: Int) {
            self.init(hash: [address, address].hashValue, callers: 10, isOfNetwork: false)
        }
    }

    private let limits: RateLimits
    private let limiters: [RateLimiter]
    private let policies: [String]
    private let waiting = Atomic(0)
    /// The number of requests refused, by kind, and of reads delayed, since the start.
    private let counts = Mutex((refused: [Int](repeating: 0, count: RateLimits.Kind.allCases.count), slowed: 0))

    init(_ limits: RateLimits) {
        self.limits = limits
        limiters = limits.limiters()
        policies = limiters.map(\.limit.policy)
    }

    func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        guard limits.factor > 0, let caller = Caller(context),
            let kind = RateLimits.Kind(request, route: context.endpointPath)
        else { return try await next(request, context) }
        let balance: RateLimiter.Balance
        var response: Response
        if kind == .read {
            (response, balance) = try await read(caller, request, context, next)
        } else {
            if !caller.isRegistered, RateLimits.Kind.isNewListing(request, route: context.endpointPath) {
                _ = try take(.guestListing, caller)
            }
            balance = try take(kind, caller)
            response = try await next(request, context)
        }
        response.headers[.rateLimitPolicy] = policies[kind.rawValue]
        response.headers[.rateLimit] = limiters[kind.rawValue].limit.state(left: balance.left, reset: balance.reset)
        return response
    }

    private func take(_ kind: RateLimits.Kind, _ caller: Caller) throws -> RateLimiter.Balance {
        let limiter = limiters[kind.rawValue]
        // A client that guesses passwords or posts spam can create any number of guest accounts.
        let hash = kind.isOfAddress ? caller.address : caller.hash
        let now = MonotonicClock.seconds
        for share in caller.shares where !kind.isOfAddress || share.isOfNetwork {
            if case .failure(let refusal) = limiter.take(share.hash, 1 / share.callers, now: now) {
                throw self.refusal(kind, wait: refusal.wait)
            }
        }
        switch limiter.take(hash, now: now) {
        case .success(let balance): return balance
        case .failure(let refusal):
            throw self.refusal(kind, wait: refusal.wait)
        }
    }

    private func read(
        _ caller: Caller,
        _ request: Request,
        _ context: ServiceContext,
        _ next: (Request, ServiceContext) async throws -> Response
    ) async throws -> (Response, RateLimiter.Balance) {
        let limiter = limiters[RateLimits.Kind.read.rawValue]
        try await wait(limiter, caller, goesOn: request.isFollowingPage)
        let meter = RequestMeter.current
        let (begin, waitedBefore) = (MonotonicClock.seconds, meter?.secondsWaited ?? 0)
        func spend() -> RateLimiter.Balance {
            let now = MonotonicClock.seconds
            // Waiting for other requests costs the server nothing.
            let seconds = now - begin - ((meter?.secondsWaited ?? 0) - waitedBefore)
            return Self.spend(max(Self.minCost, 1000 * seconds), limiter, caller, now: now)
        }
        do {
            var response = try await next(request, context)
            let balance = spend()
            if response.body.contentLength == nil { charge(&response, limiter, caller) }
            return (response, balance)
        } catch {
            _ = spend()
            throw error
        }
    }

    @discardableResult
    private static func spend(
        _ amount: Double,
        _ limiter: RateLimiter,
        _ caller: Caller,
        now: Double
    ) -> RateLimiter.Balance {
        for share in caller.shares { limiter.spend(amount / share.callers, share.hash, now: now) }
        return limiter.spend(amount, caller.hash, now: now)
    }

    /// Delays a caller whose quota is used up until it is refilled, and throws `RateLimitExceededError` if that would
    /// take too long.
    private func wait(_ limiter: RateLimiter, _ caller: Caller, goesOn: Bool) async throws {
        let now = MonotonicClock.seconds
        var left = limiter.balance(caller.hash, now: now).left
        for share in caller.shares { left = min(left, limiter.balance(share.hash, now: now).left) }
        guard left < 0 else { return }
        let due = limiter.limit.time(for: -left)
        let maxDelay = limits.maxDelay / .seconds(1)
        let isFull = waiting.add(1, ordering: .relaxed).newValue > Self.maxWaiting
        defer { waiting.subtract(1, ordering: .relaxed) }
        let isPatient = goesOn && -left < limits.maxDebtOfPages
        if isFull || due > maxDelay, !isPatient {
            throw refusal(.read, wait: due)
        }
        counts.withLock { $0.slowed += 1 }
        if !isFull || isPatient { try await Task.sleep(for: .seconds(min(due, maxDelay))) }
    }

    private func charge(_ response: inout Response, _ limiter: RateLimiter, _ caller: Caller) {
        let body = response.body
        response.body = ResponseBody { writer in
            try await body.write(
                Meter(base: writer) { bytes in
                    Self.spend(Double(bytes) / Self.bytesPerMillisecond, limiter, caller, now: MonotonicClock.seconds)
                }
            )
        }
    }

    private func refusal(_ kind: RateLimits.Kind, wait: Double) -> RateLimitExceededError {
        counts.withLock { $0.refused[kind.rawValue] += 1 }
        return RateLimitExceededError(wait: wait, limit: limiters[kind.rawValue].limit)
    }

    /// The number of requests since the start: those refused, by the name of the limit, and the reads that were
    /// delayed. `waiting` is the number of reads that are delayed now.
    var figures: (refused: [(policy: String, count: Int)], slowed: Int, waiting: Int) {
        let (refused, slowed) = counts.withLock(\.self)
        return (
            zip(limiters, refused).map { ($0.limit.name, $1) }, slowed, waiting.load(ordering: .relaxed)
        )
    }

    /// The hashes that identify the caller's buckets.
    private struct Caller {
        let hash: Int
        let address: Int
        let isRegistered: Bool
        /// The buckets that the caller shares with others.
        let shares: [Share]

        /// Returns nil for requests from the machine itself.
        init?(_ context: ServiceContext) {
            if context.client.isLoopback { return nil }
            address = context.client.site.hashValue
            isRegistered = context.caller.map { $0.account.role != .guest } ?? false
            let account = context.caller?.account.key
            hash = account?.hashValue ?? address
            let prefixes = RequestMeter.current?.client.hashes.dropLast() ?? []
            let networks = zip(prefixes, context.client.isIPv4 ? [64] : [32, 8])
                .map { Share(hash: $0, callers: $1, isOfNetwork: true) }
            shares = networks + (account == nil ? [] : [Share(address: address)])
        }
    }
}

/// A body writer that reports the number of bytes written.
private struct Meter: ResponseBodyWriter {
    var base: any ResponseBodyWriter
    let count: @Sendable (Int) -> Void

    mutating func write(_ part: ByteBuffer) async throws {
        count(part.readableBytes)
        try await base.write(part)
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try await base.finish(trailingHeaders)
    }
}

extension Request {
    /// Whether the request follows the `next` link of a list. The signature of the cursor proves it.
    fileprivate var isFollowingPage: Bool {
        guard let parameters = uri.query?.split(separator: "&"),
            let cursor = parameters.first(where: { $0.hasPrefix("cursor=") })
        else { return false }
        return PageCursor.isSigned(String(cursor.dropFirst("cursor=".count)))
    }
}
