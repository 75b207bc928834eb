import Concurrency
import Hummingbird
import NIOCore

/// Runs reads that may take seconds, such as filters without an index. They run on at most half of the cores, and not
/// on the threads of the connections, so that short requests are answered meanwhile.
struct SlowReadExecutor: Sendable {
    private let semaphore = AsyncSemaphore(permits: max(1, System.coreCount / 2), maxWaiting: 32)

    /// Runs `body`. Throws `unavailable` if too many reads are waiting.
    func run<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await semaphore.withPermit {
            try await withTaskExecutorPreference(globalConcurrentExecutor, operation: body)
        }
    }
}
