import Concurrency
import Domain
import HTTP

/// The amount that a request takes from one bucket, in addition to the limits of all requests.
struct QuotaCharge: Sendable {
    let limit: RateLimit
    /// The owner of the bucket, as in `LimitKey.subject`.
    let caller: String
    let amount: Double

    init(_ limit: RateLimit, _ caller: String, amount: Double = 1) {
        self.limit = limit
        self.caller = caller
        self.amount = amount
    }
}

extension LimitCounters {
    /// Takes all charges, or none. Throws `RateLimitExceededError` if less is left of one of them.
    func take(_ charges: [QuotaCharge]) async throws {
        let refusal = try await update(charges.map { LimitKey($0.limit.name, $0.caller) }) { buckets, now in
            Self.take(charges, from: &buckets, now)
        }
        if let refusal { throw refusal }
    }

    private static func take(
        _ charges: [QuotaCharge],
        from buckets: inout [Double],
        _ now: Double
    ) -> RateLimitExceededError? {
        var full = buckets
        for (index, charge) in charges.enumerated() {
            switch charge.limit.take(charge.amount, full: buckets[index], now: now) {
            case .success(let time): full[index] = time
            case .failure(let refusal): return RateLimitExceededError(wait: refusal.wait, limit: charge.limit)
            }
        }
        buckets = full
        return nil
    }
}

/// The names of callers in keys of limits.
extension QuotaCharge {
    static func name(of account: Account) -> String { "account \(account.key)" }

    static func name(of client: NetworkAddress) -> String { "address \(client.site.hexadecimal)" }
}
