import Concurrency
import Domain
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// Applies the rate limits, so that one caller cannot use the whole capacity. Writes are counted, and refused above the
/// limit. Reads are charged with the time that they took, and are delayed before they are refused. A read that requests
/// a further page of a list is refused later than others, because many clients would present the pages that they have
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

    /// The quota of all accounts of one network address together, as a multiple of the quota of one account. Without it
    /// a client could multiply its quota by creating accounts.
    private static let accountsPerAddress = 10.0

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
        guard limits.factor > 0, let caller = Caller(request, context, limits.proxies),
            let kind = RateLimits.Kind(request, route: context.endpointPath)
        else { return try await next(request, context) }
        let balance: RateLimiter.Balance
        var response: Response
        if kind == .read {
            (response, balance) = try await read(caller, request, context, next)
        } else {
            balance = try take(kind, caller)
            response = try await next(request, context)
        }
        response.headers[.rateLimitPolicy] = policies[kind.rawValue]
        response.headers[.rateLimit] = limiters[kind.rawValue].limit.state(left: balance.left, reset: balance.reset)
        return response
    }

    private func take(_ kind: RateLimits.Kind, _ caller: Caller) throws -> RateLimiter.Balance {
        let limiter = limiters[kind.rawValue]
        // Sign-ins are limited by address, because a client that guesses passwords can create any number of guest
        // accounts.
        let hash = kind == .signIn ? caller.address : caller.hash
        let now = MonotonicClock.seconds
        if kind != .signIn, let sharedAddress = caller.sharedAddress,
            case .failure(let refusal) = limiter.take(sharedAddress, 1 / Self.accountsPerAddress, now: now)
        {
            throw self.refusal(kind, wait: refusal.wait)
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
        let begin = MonotonicClock.seconds
        do {
            var response = try await next(request, context)
            let now = MonotonicClock.seconds
            let balance = Self.spend(max(Self.minCost, 1000 * (now - begin)), limiter, caller, now: now)
            if response.body.contentLength == nil { charge(&response, limiter, caller) }
            return (response, balance)
        } catch {
            let now = MonotonicClock.seconds
            Self.spend(max(Self.minCost, 1000 * (now - begin)), limiter, caller, now: now)
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
        if let sharedAddress = caller.sharedAddress {
            limiter.spend(amount / accountsPerAddress, sharedAddress, now: now)
        }
        return limiter.spend(amount, caller.hash, now: now)
    }

    /// Delays a caller whose quota is used up until it is refilled, and throws `RateLimitExceededError` if that would
    /// take too long.
    private func wait(_ limiter: RateLimiter, _ caller: Caller, goesOn: Bool) async throws {
        let now = MonotonicClock.seconds
        var left = limiter.balance(caller.hash, now: now).left
        if let sharedAddress = caller.sharedAddress { left = min(left, limiter.balance(sharedAddress, now: now).left) }
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
        /// The bucket of all accounts of the address together; nil for callers who are not signed in.
        let sharedAddress: Int?

        /// Returns nil for requests from the machine itself.
        init?(_ request: Request, _ context: ServiceContext, _ proxies: TrustedProxies) {
            guard let peer = context.peer else { return nil }
            let client = proxies.client(peer: peer, request.headers)
            if client.isLoopback { return nil }
            address = client.site.hashValue
            let account = context.caller?.account.key
            hash = account?.hashValue ?? address
            sharedAddress = account == nil ? nil : [address, address].hashValue
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
    /// Whether the request follows the `next` link of a list.
    fileprivate var isFollowingPage: Bool {
        uri.query.map { query in
            query.split(separator: "&").contains { $0.hasPrefix("cursor=") || $0.hasPrefix("offset=") }
        }
            ?? false
    }
}
