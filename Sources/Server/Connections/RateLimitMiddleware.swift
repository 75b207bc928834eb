import Concurrency
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// Keeps one caller from taking all there is. Writes are counted and refused; reads are charged what they took, and slowed before any is
/// refused. One that goes on with a list is never refused: many clients show what they have got by then as if it were all.
///
/// Requests of this machine itself are not limited: they are the operator's, or come from a proxy that nobody told us of, behind which
/// all callers would share one bucket.
final class RateLimitMiddleware: RouterMiddleware {
    /// Reads that wait at once, each with a connection and little else.
    private static let maxWaiting = 1000
    /// Milliseconds: what reading the request and sending the answer takes.
    private static let minCost = 0.02
    /// Of an answer that is sent as it is made.
    private static let bytesAMillisecond = 64.0 * 1024

    /// Accounts that may ask for all that one may, of one address: it may have as many as it likes.
    private static let accountsOfAddress = 10.0

    private let limits: RateLimits
    private let limiters: [RateLimiter]
    private let policies: [String]
    private let waiting = Atomic(0)
    /// Since the start, by kind.
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
        // Whoever guesses passwords has as many guests as they like.
        let hash = kind == .signIn ? caller.address : caller.hash
        let now = MonotonicClock.seconds
        if kind != .signIn, let crowd = caller.crowd,
            case .failure(let refusal) = limiter.take(crowd, 1 / Self.accountsOfAddress, now: now)
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
        try await wait(limiter, caller, goesOn: request.goesOnWithList)
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
        if let crowd = caller.crowd { limiter.spend(amount / accountsOfAddress, crowd, now: now) }
        return limiter.spend(amount, caller.hash, now: now)
    }

    /// Who has spent more than there is waits until it is given back.
    private func wait(_ limiter: RateLimiter, _ caller: Caller, goesOn: Bool) async throws {
        let now = MonotonicClock.seconds
        var left = limiter.balance(caller.hash, now: now).left
        if let crowd = caller.crowd { left = min(left, limiter.balance(crowd, now: now).left) }
        guard left < 0 else { return }
        let due = limiter.limit.time(for: -left)
        let patience = limits.patience / .seconds(1)
        let isFull = waiting.add(1, ordering: .relaxed).newValue > Self.maxWaiting
        defer { waiting.subtract(1, ordering: .relaxed) }
        if isFull || due > patience, !goesOn {
            throw refusal(.read, wait: due)
        }
        counts.withLock { $0.slowed += 1 }
        if !isFull || goesOn { try await Task.sleep(for: .seconds(min(due, patience))) }
    }

    private func charge(_ response: inout Response, _ limiter: RateLimiter, _ caller: Caller) {
        let body = response.body
        response.body = ResponseBody { writer in
            try await body.write(
                Meter(base: writer) { bytes in
                    Self.spend(Double(bytes) / Self.bytesAMillisecond, limiter, caller, now: MonotonicClock.seconds)
                }
            )
        }
    }

    private func refusal(_ kind: RateLimits.Kind, wait: Double) -> RateLimitExceededError {
        counts.withLock { $0.refused[kind.rawValue] += 1 }
        return RateLimitExceededError(wait: wait, limit: limiters[kind.rawValue].limit)
    }

    /// Requests since the start: the refused ones by the name of the limit, the reads that had to wait, and those that wait now.
    var figures: (refused: [(policy: String, count: Int)], slowed: Int, waiting: Int) {
        let (refused, slowed) = counts.withLock(\.self)
        return (
            zip(limiters, refused).map { ($0.limit.name, $1) }, slowed, waiting.load(ordering: .relaxed)
        )
    }

    /// Whose bucket it is.
    private struct Caller {
        let hash: Int
        let address: Int
        /// All accounts of the address together; nil for who is not signed in.
        let crowd: Int?

        /// Nil for this machine itself.
        init?(_ request: Request, _ context: ServiceContext, _ proxies: TrustedProxies) {
            guard let peer = context.peer else { return nil }
            let client = proxies.client(peer: peer, request.headers)
            if let client, client.isLoopback { return nil }
            address = client?.site.hashValue ?? 0
            let account = context.caller?.account.key
            hash = account?.hashValue ?? address
            crowd = account == nil ? nil : [address, address].hashValue
        }
    }
}

/// Tells how much goes through.
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
    /// Whether it was made of the `next` link of what came before.
    fileprivate var goesOnWithList: Bool {
        uri.query.map { query in
            query.split(separator: "&").contains { $0.hasPrefix("cursor=") || $0.hasPrefix("offset=") }
        }
            ?? false
    }
}
