import Concurrency
import HTTPTypes
import Hummingbird
import Logging
import Synchronization

/// Logs one line per request. Of refused requests, at most ten lines a second with the same status are logged, so that
/// a flood of them does not fill the disk.
final class RequestLog: Sendable {
    private struct Second {
        var number = -1
        var logged = 0
        /// The requests that were not logged since the last line with this status.
        var omitted = 0
    }

    private static let maxLinesPerSecond = 10

    private let seconds = Mutex<[Int: Second]>([:])
    private let clock: @Sendable () -> Double

    /// - Parameter clock: a monotonic clock in seconds.
    init(clock: @escaping @Sendable () -> Double = { MonotonicClock.seconds }) {
        self.clock = clock
    }

    /// Logs the request without its query, address and body, because each of them can contain personal data.
    func log(
        _ method: HTTPRequest.Method,
        route: String?,
        _ status: HTTPResponse.Status,
        took: Duration,
        to logger: Logger
    ) {
        guard logger.logLevel <= .info, let omitted = omittedBefore(status) else { return }
        var metadata: Logger.Metadata = [
            "method": "\(method)", "route": "\(route ?? "-")", "status": "\(status.code)",
            "duration_ms": "\((took / .milliseconds(1)).rounded(decimals: 3))",
        ]
        if omitted > 0 { metadata["omitted"] = "\(omitted)" }
        logger.info("request", metadata: metadata)
    }

    /// Returns how many requests were omitted since the last line, or nil if this one is to be omitted too.
    private func omittedBefore(_ status: HTTPResponse.Status) -> Int? {
        guard status.kind == .clientError || status == .serviceUnavailable else { return 0 }
        let now = Int(clock())
        return seconds.withLock { seconds in
            var second = seconds[status.code, default: Second()]
            defer { seconds[status.code] = second }
            if second.number != now { (second.number, second.logged) = (now, 0) }
            guard second.logged < Self.maxLinesPerSecond else {
                second.omitted += 1
                return nil
            }
            second.logged += 1
            defer { second.omitted = 0 }
            return second.omitted
        }
    }
}

extension Double {
    fileprivate func rounded(decimals: Int) -> Double {
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        return (self * scale).rounded() / scale
    }
}
