import Synchronization

/// The amount of requests of one kind that a caller may make.
package struct RateLimit: Sendable {
    /// The name in the `RateLimit` header.
    package let name: String
    /// The size of the token bucket, in requests or in milliseconds of work: the amount that can be spent at once, and
    /// that is refilled in one window.
    package let quota: Double
    /// The duration of the window in seconds.
    package let window: Double
    package let unit: StaticString?

    package init(name: String, quota: Double, window: Double, unit: StaticString?) {
        (self.name, self.quota, self.window, self.unit) = (name, quota, window, unit)
    }

    /// Returns the time in seconds in which `amount` is refilled.
    package func time(for amount: Double) -> Double { amount / quota * window }

    /// Takes an amount from a token bucket if that much is left.
    ///
    /// - Parameter full: the time in seconds at which the bucket will be full again.
    /// - Returns: this time after the amount was taken.
    package func take(_ amount: Double, full: Double, now: Double) -> Result<Double, Exceeded> {
        let full = max(full, now) + time(for: amount)
        guard full - now <= window + 1e-6 else { return .failure(Exceeded(wait: full - now - window)) }
        return .success(full)
    }

    package struct Exceeded: Error {
        /// The time in seconds until the amount is available.
        package let wait: Double
    }

    /// Returns the value of the `RateLimit` header: the remaining quota, and the seconds until all of it is available
    /// again.
    package func state(left: Double, reset: Double) -> String {
        // An error of rounding is no second.
        "\"" + name + "\";r=" + String(Int(max(0, left))) + ";t=" + String(Int((reset - 1e-6).rounded(.up)))
    }

    /// The value of the `RateLimit-Policy` header (draft-ietf-httpapi-ratelimit-headers-10).
    package var policy: String {
        "\"\(name)\";q=\(Int(quota));w=\(Int(window))" + (unit.map { ";qu=\"\($0)\"" } ?? "")
    }
}

/// The token buckets of all callers of a node, in memory of a fixed size. Two callers share a bucket with a probability of
/// 1 to 10^9.
package final class RateLimiter: Sendable {
    private static let cells = 1 << 15

    package let limit: RateLimit
    /// The times in seconds at which the buckets will be full again.
    private let buckets: Mutex<CountMinSketch>

    package init(_ limit: RateLimit) {
        self.limit = limit
        buckets = Mutex(CountMinSketch(cells: Self.cells))
    }

    /// The state of a bucket after a request. `left` is negative if more than the quota was spent.
    package struct Balance: Sendable {
        package let left: Double
        /// The time in seconds until the bucket is full.
        package let reset: Double
    }

    /// Returns the state of the caller's bucket.
    ///
    /// - Parameters:
    ///   - caller: a hash that clients cannot predict.
    ///   - now: the time of a monotonic clock in seconds.
    package func balance(_ caller: Int, now: Double) -> Balance {
        balance(buckets.withLock { $0[caller] }, now)
    }

    /// Takes the amount from the bucket, even if less is left.
    @discardableResult
    package func spend(_ amount: Double, _ caller: Int, now: Double) -> Balance {
        let time = limit.time(for: amount)
        let full = buckets.withLock { buckets in
            let full = max(buckets[caller], now) + time
            buckets[caller] = full
            return full
        }
        return balance(full, now)
    }

    /// Takes the amount from the bucket if that much is left. Otherwise returns the seconds until it will be.
    package func take(_ caller: Int, _ amount: Double = 1, now: Double) -> Result<Balance, RateLimit.Exceeded> {
        let full = buckets.withLock { buckets in
            let full = limit.take(amount, full: buckets[caller], now: now)
            if case .success(let full) = full { buckets[caller] = full }
            return full
        }
        return full.map { balance($0, now) }
    }

    private func balance(_ full: Double, _ now: Double) -> Balance {
        let debt = max(0, full - now)
        let left = limit.quota * (1 - debt / limit.window)
        // Rounding removes the error of floating-point sums, so that exactly used quotas give exactly 0.
        return Balance(left: (left * 1e6).rounded() / 1e6, reset: debt)
    }
}
