import Synchronization

/// The key of a counter.
package struct LimitKey: Hashable, Sendable {
    /// The name of the limit.
    package let limit: String
    /// The account, address or text that is counted. It is written in the same way on all nodes and after a restart.
    package let subject: String

    package init(_ limit: String, _ subject: String) {
        self.limit = limit
        self.subject = subject
    }
}

/// The counters of limits, in the memory of the process or in a database that several nodes share.
///
/// A counter is a time in seconds. Each thing that is counted moves it into the future, and what has passed is forgotten:
/// the time at which a token bucket will be full again, for example. It is 0 if nothing was counted.
package protocol LimitCounters: Sendable {
    /// Reads counters and changes them, atomically. Throws if the counters cannot be read or stored.
    ///
    /// - Parameter change: gets the counters in the order of the keys, which must differ, and the present time of the
    ///   clock of the counters. It may be called more than once, so it must have no other effects.
    func update<Value: Sendable>(
        _ keys: [LimitKey],
        _ change: @Sendable @escaping (_ counters: inout [Double], _ now: Double) -> Value
    ) async throws -> Value

    /// Deletes counters whose times have passed, in steps. Returns whether there may be more of them.
    func prune() async throws -> Bool
}

/// Counters in the memory of the process, which a restart sets to 0. Their memory is bounded: 1 MiB for each limit that
/// is in use.
package final class LocalLimitCounters: LimitCounters {
    /// The number of cells in a row: large enough that two busy keys rarely share both cells.
    private static let cells = 1 << 16

    /// By limit.
    private let sketches = Mutex<[String: CountMinSketch]>([:])
    private let clock: @Sendable () -> Double

    /// - Parameter clock: a monotonic clock in seconds.
    package init(clock: @escaping @Sendable () -> Double = { MonotonicClock.seconds }) {
        self.clock = clock
    }

    package func update<Value: Sendable>(
        _ keys: [LimitKey],
        _ change: @Sendable @escaping (_ counters: inout [Double], _ now: Double) -> Value
    ) async throws -> Value {
        let now = clock()
        let places = keys.map { (limit: $0.limit, hash: $0.subject.hashValue) }
        return sketches.withLock { sketches in
            let old = places.map { sketches[$0.limit]?[$0.hash] ?? 0 }
            var counters = old
            let value = change(&counters, now)
            for (place, (old, new)) in zip(places, zip(old, counters)) where old != new {
                sketches[place.limit, default: CountMinSketch(cells: Self.cells)][place.hash] = new
            }
            return value
        }
    }

    package func prune() -> Bool { false }
}
