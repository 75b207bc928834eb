import Concurrency
import Foundation
import Synchronization

/// The networks of a model that run concurrently, each used by one caller at a time. Callers wait in a queue if all are
/// in use.
///
/// A network takes twice the memory of its file, so it is made when a caller needs it, and released when none has been
/// used for some time.
final class NetworkPool: Sendable {
    private let idle = Mutex<[Network]>([])
    private let idleTimer: IdleTimer
    private let permits: AsyncSemaphore
    private let make: @Sendable () throws(ModelError) -> Network
    private let threads = DispatchQueue(label: "NetworkPool", attributes: .concurrent)

    /// - Parameters:
    ///   - concurrency: The maximum number of networks.
    ///   - keepTime: How long networks are kept after the last use.
    ///   - make: Makes a network. Is called on a thread that it may block.
    init(
        concurrency: Int,
        maxLineLength: Int,
        keepTime: Duration = .seconds(300),
        make: @escaping @Sendable () throws(ModelError) -> Network
    ) {
        permits = AsyncSemaphore(permits: concurrency, maxWaiting: maxLineLength)
        idleTimer = IdleTimer(keepTime, queue: threads)
        self.make = make
    }

    /// The number of networks in use, and of callers that wait for one.
    var load: (inUse: Int, waiting: Int) { permits.load }

    /// The number of networks that wait for a caller.
    var idleCount: Int { idle.withLock(\.count) }

    /// Runs `body` with a network, on a thread that it may block.
    ///
    /// - Throws: `busy` if the queue is full, `cancelled` if the task is cancelled while it waits, or `model` if the
    ///   network cannot be made or `body` fails.
    func withNetwork<Value: Sendable>(
        _ body: @escaping @Sendable (Network) throws(ModelError) -> Value
    ) async throws(ClassificationError) -> Value {
        do {
            return try await permits.withPermit {
                await withCheckedContinuation { caller in
                    threads.async { [self] in
                        caller.resume(returning: Result { () throws(ModelError) in try run(body) })
                    }
                }
            }.mapError(ClassificationError.model).get()
        } catch let error as ClassificationError {
            throw error
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .busy(waiting: permits.load.waiting)
        }
    }

    private func run<Value>(_ body: (Network) throws(ModelError) -> Value) throws(ModelError) -> Value {
        let network: Network
        if let idle = idle.withLock({ $0.popLast() }) { network = idle } else { network = try make() }
        defer { putBack(network) }
        return try body(network)
    }

    private func putBack(_ network: Network) {
        idle.withLock { $0.append(network) }
        idleTimer.restart { [weak self] in self?.releaseUnused() }
    }

    private func releaseUnused() {
        let released = idle.withLock { idle in
            defer { idle = [] }
            return idle
        }
        // Networks are freed here and not while the lock is held.
        withExtendedLifetime(released) {}
    }
}
