import NIOCore

/// Whether the other side keeps up: it may fall behind by so long, and makes up for it with every byte.
struct ThroughputMeter {
    /// How slow one may be.
    struct Limit: Sendable {
        /// How long nothing may move.
        let patience: TimeAmount
        /// Bytes a second, on average.
        let rate: Double
    }

    private let limit: Limit
    /// Seconds waited that no byte has made up for.
    private var debt = 0.0

    init(_ limit: Limit) {
        self.limit = limit
    }

    var left: TimeAmount { limit.patience - .nanoseconds(Int64(debt * 1e9)) }

    mutating func wait(_ time: TimeAmount) { debt += Double(time.nanoseconds) / 1e9 }

    mutating func move(_ bytes: Int) { debt = max(0, debt - Double(bytes) / limit.rate) }
}
