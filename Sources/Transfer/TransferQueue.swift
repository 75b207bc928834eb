import CCurl
import Foundation
import Synchronization

/// Runs transfers by libcurl, a limited number at once. It has its own threads, because libcurl's calls block.
package final class TransferQueue: Sendable {
    private let queue = OperationQueue()
    private let usesPerConnection: Int
    private let idle = Mutex<[IdleTransfer]>([])

    /// A transfer that no task uses, so that any thread may take it.
    private struct IdleTransfer: @unchecked Sendable {
        let transfer: Transfer
    }

    /// - Parameter usesPerConnection: the number of successful tasks for which a connection stays open.
    package init(name: String, atOnce limit: Int, usesPerConnection: Int = 1) {
        self.usesPerConnection = usesPerConnection
        queue.name = name
        queue.maxConcurrentOperationCount = limit
        _ = Self.isReady
    }

    private static let isReady: Bool = {
        // libcurl leaves this signal to the program (see CURLOPT_NOSIGNAL), and OpenSSL writes to connections that the
        // other side has closed.
        signal(SIGPIPE, SIG_IGN)
        return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    }()

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
                            let transfer = try self.take(attempt)
                            let value = try body(transfer)
                            self.keep(transfer)
                            return value
                        }
                    )
                }
            }
        } onCancel: {
            attempt.cancel()
        }
    }

    /// Closes the connections that no task uses.
    package func closeIdle() {
        queue.addOperation { self.idle.withLock { $0 = [] } }
    }

    private func take(_ attempt: Attempt) throws(TransferFailure) -> Transfer {
        guard let transfer = idle.withLock({ $0.popLast() })?.transfer else { return try Transfer(attempt) }
        transfer.renew(attempt)
        return transfer
    }

    private func keep(_ transfer: Transfer) {
        guard transfer.uses < usesPerConnection else { return }
        let kept = IdleTransfer(transfer: transfer)
        idle.withLock { $0.append(kept) }
    }
}

final class Attempt: Sendable {
    private let cancelled = Atomic(false)

    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    func cancel() { cancelled.store(true, ordering: .relaxed) }
}
