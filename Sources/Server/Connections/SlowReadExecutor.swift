import Concurrency
import Glibc
import NIOCore
import NIOPosix

/// Runs database reads that may take long on threads of their own, on at most half of the cores. The threads have a low
/// priority, so that short requests are answered meanwhile.
struct SlowReadExecutor: Sendable {
    /// The processor time of all reads of one request.
    static let budget = Duration.milliseconds(200)

    private static let width = max(1, System.coreCount / 2)
    private static let threads = ThreadPoolExecutor(threads: width)
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

/// Runs tasks on the threads of a pool.
private final class ThreadPoolExecutor: TaskExecutor {
    /// The threads yield to those of the event loops (`nice` value).
    private static let niceness: CInt = 10

    private let pool: NIOThreadPool

    init(threads: Int) {
        pool = NIOThreadPool(numberOfThreads: threads)
        pool.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        pool.submit { _ in
            // On Linux this concerns only the calling thread.
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
            job.runSynchronously(on: executor)
        }
    }
}
