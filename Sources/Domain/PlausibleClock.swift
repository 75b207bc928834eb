import Foundation
import Synchronization

/// The system's clock, held back while it is implausible: more than a day ahead of the last known time and the time
/// that has passed since. Otherwise one start with a wrong clock would delete data as expired and give new rows a time
/// in the future.
package final class PlausibleClock: Sendable {
    package static let system = PlausibleClock()

    /// A time that was known at a moment of the uptime, both in seconds.
    private struct Reference {
        let time: Double
        let uptime: Double
    }

    private static let maxAheadSeconds = 86_400.0

    private let reference = Mutex<Reference?>(nil)
    private let wallClock: @Sendable () -> Double
    private let uptime: @Sendable () -> Double

    /// - Parameters:
    ///   - wallClock: the time in seconds since 1970.
    ///   - uptime: the seconds since an arbitrary moment, including those in which the machine slept.
    package init(
        wallClock: @escaping @Sendable () -> Double = { PlausibleClock.seconds(CLOCK_REALTIME) },
        uptime: @escaping @Sendable () -> Double = { PlausibleClock.seconds(CLOCK_BOOTTIME) }
    ) {
        self.wallClock = wallClock
        self.uptime = uptime
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Holds the clock back from now on.
    package func begin(at lastKnown: Timestamp) {
        let reference = Reference(time: Double(lastKnown.milliseconds) / 1000, uptime: uptime())
        self.reference.withLock { $0 = reference }
    }

    /// Takes the time of the system's clock for the right one.
    package func accept() {
        let reference = Reference(time: wallClock(), uptime: uptime())
        self.reference.withLock { $0 = reference }
    }

    /// The plausible time in seconds since 1970.
    package var now: Double {
        let time = wallClock()
        guard let expected, time > expected + Self.maxAheadSeconds else { return time }
        return expected
    }

    /// The number of days by which the system's clock is ahead of the last known time; nil if it is plausible.
    package var daysAhead: Int? {
        let time = wallClock()
        guard let expected, time > expected + Self.maxAheadSeconds else { return nil }
        return Int((time - expected) / 86_400)
    }

    private var expected: Double? {
        reference.withLock { $0 }.map { $0.time + uptime() - $0.uptime }
    }
}
