import Concurrency
import Domain
import HTTP

/// The amount that a request takes from one bucket, in addition to the limits of all requests.
struct QuotaCharge {
    let limiter: RateLimiter
    let caller: Int
    let amount: Double

    /// Throws `RateLimitExceededError` if `take(now:)` would throw, and takes nothing.
    func checkQuota(now: Double) throws {
        let limit = limiter.limit
        let wait = limiter.balance(caller, now: now).reset + limit.time(for: amount) - limit.window
        guard wait <= 1e-6 else { throw RateLimitExceededError(wait: wait, limit: limit) }
    }

    /// Takes the amount. It throws if other requests have used up the quota since `checkQuota(now:)`.
    func take(now: Double) throws {
        guard case .failure(let refusal) = limiter.take(caller, amount, now: now) else { return }
        throw RateLimitExceededError(wait: refusal.wait, limit: limiter.limit)
    }
}
