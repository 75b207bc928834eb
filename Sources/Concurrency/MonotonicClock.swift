import Foundation

/// A clock that never goes back, read in 20 ns: a `Duration` counts in 128 bits, and dividing it takes longer than a look-up.
package enum MonotonicClock {
    /// Seconds since some moment.
    package static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
