import NIOCore

/// Decides whether the other side of a connection is fast enough. Waiting time accumulates as debt, and each byte
/// reduces the debt by the time that it takes at the minimum rate.
struct ThroughputMeter {
    /// The minimum throughput.
    struct Limit: Sendable {
        /// The maximum time without progress.
        let maxStall: TimeAmount
        /// The minimum average rate in bytes per second.
        let rate: Double
    }

    private let limit: Limit
    /// The waiting time in seconds that received bytes have not compensated for.
    private var debt = 0.0

    init(_ limit: Limit) {
        self.limit = limit
    }

    var left: TimeAmount { limit.maxStall - .nanoseconds(Int64(debt * 1e9)) }

    mutating func wait(_ time: TimeAmount) { debt += Double(time.nanoseconds) / 1e9 }

    mutating func move(_ bytes: Int) { debt = max(0, debt - Double(bytes) / limit.rate) }
}
