import Concurrency
import NIOCore

/// Runs database reads that may take long on threads of their own, on at most half of the cores. The threads have a low
/// priority, so that short requests are answered meanwhile.
struct SlowReadExecutor: Sendable {
    /// The processor time of all reads of one request.
    static let budget = Duration.milliseconds(200)

    private static let width = max(1, System.coreCount / 2)
    /// The threads yield to those of the event loops.
    private static let threads = ThreadPoolExecutor(threads: width, niceness: 10)
    private let semaphore = AsyncSemaphore(permits: width, maxWaiting: 64, maxWait: .seconds(10))
    /// Whether this task has a permit. A second one could never become free on a machine with two cores.
    @TaskLocal private static var hasPermit = false

    /// Runs `body` with a new budget for its reads. Throws `unavailable` if too many reads are waiting.
    ///
    /// - Parameter meter: the meter of the request. Bodies of streamed responses are written after the handler has
    ///   returned, so it is not task-local then.
    func run<Value>(_ meter: RequestMeter?, _ body: () async throws -> Value) async throws -> Value {
        guard !Self.hasPermit else { return try await body() }
        return try await RequestMeter.$current.withValue(meter) {
            try await semaphore.withPermit {
                meter?.limitReads(Self.budget)
                return try await Self.$hasPermit.withValue(true) {
                    try await withTaskExecutorPreference(Self.threads, operation: body)
                }
            }
        }
    }
}
