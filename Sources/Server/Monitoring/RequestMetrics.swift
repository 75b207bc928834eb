import Concurrency
import HTTP
import HTTPTypes
import Hummingbird
import Synchronization

/// Counts requests by route, method and class of status, and measures the time until the response was made. All paths
/// without a route are one series, so the number of series is limited.
final class RequestMetrics: RouterMiddleware {
    private struct Key: Hashable {
        let route: String
        let method: String
        /// The first digit of the status code.
        let status: Int
    }

    /// The upper bounds of the buckets in seconds.
    private static let bounds = [
        0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
    private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    private let series = Mutex<[Key: Histogram]>([:])
    private let inFlight = Atomic(0)

    func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        let start = MonotonicClock.seconds
        inFlight.add(1, ordering: .relaxed)
        defer { inFlight.subtract(1, ordering: .relaxed) }
        let response = try await next(request, context)
        let method = request.method.rawValue
        let key = Key(
            route: context.endpointPath.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "none",
            method: Self.methods.contains(method) ? method : "other",
            status: response.status.code / 100
        )
        let seconds = MonotonicClock.seconds - start
        series.withLock { $0[key, default: Histogram(bounds: Self.bounds)].add(seconds) }
        return response
    }

    func write(_ text: inout PrometheusText) {
        text.gauge(
            "doggofinder_http_requests_in_flight", "Requests whose answer is being made.",
            inFlight.load(ordering: .relaxed)
        )
        let name: StaticString = "doggofinder_http_request_duration_seconds"
        text.family(name, .histogram, "Time until an answer was made; sending it is not in it.")
        let all = series.withLock(\.self).sorted { ($0.key.route, $0.key.method) < ($1.key.route, $1.key.method) }
        for (key, series) in all {
            let status = "\(key.status)xx"
            text.samples(name, [("route", key.route), ("method", key.method), ("status", status)], of: series)
        }
    }
}
