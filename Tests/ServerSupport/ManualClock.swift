package import Domain
import Synchronization

/// A clock that only tests advance.
package final class ManualClock: Sendable {
    private let time: Mutex<Timestamp>

    package init(_ time: Timestamp = Timestamp(stored: "2026-05-01T12:00:00.000Z")) {
        self.time = Mutex(time)
    }

    package var now: Timestamp { time.withLock(\.self) }

    /// The current time, as a closure for code that reads it repeatedly.
    package var reading: @Sendable () -> Timestamp { { self.now } }

    package func advance(hours: Double) { time.withLock { $0 = $0.adding(seconds: hours * 3600) } }

    package func advance(days: Double) { advance(hours: 24 * days) }
}
