import Domain
import HTTPTypes
import Synchronization

/// What a kind of request may cost one caller.
struct RateLimit: Sendable {
    /// As `RateLimit` names it.
    let name: String
    /// Requests, or milliseconds of work; what may be spent at once, and what is given back in a window.
    let quota: Double
    /// Seconds.
    let window: Double
    let unit: StaticString?

    /// Seconds until that much has been given back.
    func time(for amount: Double) -> Double { amount / quota * window }

    /// As `RateLimit` tells what is left of it, and in how many seconds all of it is.
    func state(left: Double, reset: Double) -> String {
        "\"" + name + "\";r=" + String(Int(max(0, left))) + ";t=" + String(Int(reset.rounded(.up)))
    }

    /// As `RateLimit-Policy` tells it (draft-ietf-httpapi-ratelimit-headers-10).
    var policy: String {
        "\"\(name)\";q=\(Int(quota));w=\(Int(window))" + (unit.map { ";qu=\"\($0)\"" } ?? "")
    }
}

/// Token buckets of all callers in a place that does not grow: each caller has one cell by chance in each of two rows, and its debt is
/// that of the one which others share least (a count-min sketch). An attacker with a million addresses fills cells, not memory; two
/// callers meet in both rows once in 10^9.
final class RateLimiter: Sendable {
    private static let cells = 1 << 15

    let limit: RateLimit
    /// The time at which each bucket will be full again, seconds.
    private let rows: Mutex<[Double]>

    init(_ limit: RateLimit) {
        self.limit = limit
        rows = Mutex(Array(repeating: 0, count: 2 * Self.cells))
    }

    /// What of the quota is left, less than 0 where more was spent.
    struct Balance: Sendable {
        let left: Double
        /// Seconds until the bucket is full.
        let reset: Double
    }

    /// - Parameters:
    ///   - caller: a hash that nobody outside can foretell.
    ///   - now: seconds, of a clock that never goes back.
    func balance(_ caller: Int, now: Double) -> Balance {
        let (first, second) = Self.places(caller)
        let full = rows.withLock { min($0[first], $0[second]) }
        return balance(full, now)
    }

    /// Takes an amount, whatever is left.
    @discardableResult
    func spend(_ amount: Double, _ caller: Int, now: Double) -> Balance {
        let (first, second) = Self.places(caller)
        let time = limit.time(for: amount)
        let full = rows.withLock { rows in
            let full = max(min(rows[first], rows[second]), now) + time
            // Only as far as this caller is in debt: who shares the other cell has nothing to do with it.
            rows[first] = max(rows[first], full)
            rows[second] = max(rows[second], full)
            return full
        }
        return balance(full, now)
    }

    /// Takes an amount where there is as much; else tells when there will be, in seconds.
    func take(_ caller: Int, _ amount: Double = 1, now: Double) -> Result<Balance, Exceeded> {
        let (first, second) = Self.places(caller)
        let time = limit.time(for: amount)
        let full: Result<Double, Exceeded> = rows.withLock { rows in
            let full = max(min(rows[first], rows[second]), now) + time
            guard full - now <= limit.window + 1e-6 else { return .failure(Exceeded(wait: full - now - limit.window)) }
            rows[first] = max(rows[first], full)
            rows[second] = max(rows[second], full)
            return .success(full)
        }
        return full.map { balance($0, now) }
    }

    struct Exceeded: Error {
        /// Seconds.
        let wait: Double
    }

    private func balance(_ full: Double, _ now: Double) -> Balance {
        let debt = max(0, full - now)
        let left = limit.quota * (1 - debt / limit.window)
        // Sums of fractions: two of two are two.
        return Balance(left: (left * 1e6).rounded() / 1e6, reset: debt)
    }

    private static func places(_ caller: Int) -> (Int, Int) {
        let bits = UInt(bitPattern: caller)
        return (Int(bits % UInt(cells)), cells + Int((bits >> 32) % UInt(cells)))
    }
}

extension RateLimitExceededError {
    /// - Parameter wait: seconds.
    init(wait: Double, limit: RateLimit) {
        let seconds = max(1, Int(wait.rounded(.up)))
        self.init(
            error: ServiceError(.tooManyRequests, "too much at once: try again in \(seconds) s"),
            headers: [
                .retryAfter: String(seconds), .rateLimitPolicy: limit.policy,
                .rateLimit: limit.state(left: 0, reset: Double(seconds)),
            ]
        )
    }
}
