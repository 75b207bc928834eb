/// When a message that a receiver did not take is sent again, and when its webhook is disabled. The times are those that
/// Standard Webhooks 1.0.0 recommends.
package enum DeliverySchedule {
    /// In seconds: 5 s, 5 and 30 min, 2, 5, 10, 14, 20 and 24 h.
    static let delays = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
    /// The largest part by which delays are longer.
    static let jitter = 0.1
    /// Five days in seconds.
    package static let maxFailure = 432_000.0

    /// Returns the seconds to wait after a failed attempt; nil after the last one.
    ///
    /// - Parameters:
    ///   - attempt: 1 for the first attempt.
    ///   - chance: a random number from 0 to 1. It divides the attempts of messages that failed together.
    ///   - asked: the seconds for which the receiver asked by `Retry-After`. It can make a delay longer, up to a day.
    package static func delay(afterAttempt attempt: Int, chance: Double, asked: Int? = nil) -> Double? {
        guard delays.indices.contains(attempt - 1) else { return nil }
        let usual = Double(delays[attempt - 1]) * (1 + jitter * min(1, max(0, chance)))
        return max(usual, Double(min(asked ?? 0, 86_400)))
    }

    /// Whether a webhook is disabled: its receiver has taken nothing for five days.
    ///
    /// - Parameters:
    ///   - begin: the time of the first failed attempt since the last successful one, in seconds; nil if there is none.
    package static func isDisabled(failingSince begin: Double?, now: Double) -> Bool {
        begin.map { now - $0 >= maxFailure } ?? false
    }

    /// Whether a receiver has taken a message. Redirects are not followed, so they are failures.
    package static func isDelivered(status: Int) -> Bool { (200...299).contains(status) }
}
