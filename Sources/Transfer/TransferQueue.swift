import CCurl
import Foundation
import Synchronization

/// Runs transfers by libcurl, a limited number at once. It has its own threads, because libcurl's calls block.
package final class TransferQueue: Sendable {
    private let queue = OperationQueue()

    package init(name: String, atOnce limit: Int) {
        queue.name = name
        queue.maxConcurrentOperationCount = limit
        _ = Self.isReady
    }

    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Stops within a second after its task is cancelled, or at once if the transfer was still queued.
    package func run<Value: Sendable>(
        _ body: @Sendable @escaping (Transfer) throws -> Value
    ) async throws -> Value {
        let attempt = Attempt()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (done: CheckedContinuation<Value, any Error>) in
                queue.addOperation {
                    done.resume(
                        with: Result {
                            guard !attempt.isCancelled else { throw CancellationError() }
                            return try body(Transfer(attempt))
                        }
                    )
                }
            }
        } onCancel: {
            attempt.cancel()
        }
    }
}

final class Attempt: Sendable {
    private let cancelled = Atomic(false)

    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    func cancel() { cancelled.store(true, ordering: .relaxed) }
}
