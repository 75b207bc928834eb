import Concurrency
import Hummingbird
import NIOCore

/// Reads that may take seconds, such as filters over all there is: on half of the cores at once, away from the threads that answer
/// connections, so that whoever asks for little is answered meanwhile.
struct SlowReadExecutor: Sendable {
    private let turns = AsyncSemaphore(permits: max(1, System.coreCount / 2), maxWaiting: 32)

    /// Throws `unavailable` where too many wait.
    func run<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await turns.withPermit {
            try await withTaskExecutorPreference(globalConcurrentExecutor, operation: body)
        }
    }
}
