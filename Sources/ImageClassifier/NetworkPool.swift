import Concurrency
import Synchronization

/// A pool of networks, each used by one caller at a time. Callers wait in a queue if no network is idle.
final class NetworkPool: Sendable {
    private let idle: Mutex<[Network]>
    private let permits: AsyncSemaphore

    init(_ networks: [Network], maxLineLength: Int) {
        idle = Mutex(networks)
        permits = AsyncSemaphore(permits: networks.count, maxWaiting: maxLineLength)
    }

    /// Runs `body` with an idle network.
    ///
    /// - Throws: `busy` if the queue is full, `cancelled` if the task is cancelled while it waits.
    func withNetwork<Value>(_ body: (Network) async -> Value) async throws(ClassificationError) -> Value {
        do {
            return try await permits.withPermit {
                guard let network = idle.withLock({ $0.popLast() }) else {
                    preconditionFailure("more permits than networks")
                }
                let value = await body(network)
                idle.withLock { $0.append(network) }
                return value
            }
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .busy(waiting: permits.load.waiting)
        }
    }
}
