import CCurl
import Concurrency
import Foundation

/// Runs transfers by libcurl, a limited number at once. They share one thread, connections that stay open and, where the
/// server speaks HTTP/2, one connection to each host. Connections of one queue are never used by another one, so that each
/// has its own certificates and accounts.
package final class TransferQueue: Sendable {
    private let loop: TransferLoop

    /// - Parameters:
    ///   - limit: the number of transfers at once; further ones wait, and their time limits begin after that.
    ///   - usesPerConnection: the number of transfers after which a connection is closed.
    ///   - idleTime: the time for which connections stay open when there is nothing to do.
    package init(name: String, atOnce limit: Int, usesPerConnection: Int = .max, idleTime: Duration = .zero) {
        _ = Self.isReady
        loop = TransferLoop(name: name, limit: limit, usesPerConnection: usesPerConnection, idleTime: idleTime)
    }

    deinit { loop.closeIdle() }

    private static let isReady: Bool = {
        // libcurl leaves this signal to the program (see CURLOPT_NOSIGNAL), and OpenSSL writes to connections that the
        // other side has closed.
        signal(SIGPIPE, SIG_IGN)
        return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    }()

    /// Does the transfer that `prepare` describes, and returns the answer, whatever its status is.
    ///
    /// - Throws: `TransferFailure`, or `CancellationError` as soon as the task is cancelled.
    @discardableResult
    package func run(_ prepare: (Transfer) throws -> Void) async throws -> HTTPReply {
        let transfer = try Transfer()
        try prepare(transfer)
        let job = TransferJob(transfer)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                job.answer.wait(waiter)
                loop.add(job)
            }
        } onCancel: {
            job.answer.finish(.failure(CancellationError()))
            loop.cancel(job)
        }
    }
}

/// The thread of the loop has the transfer from the moment at which it is added.
final class TransferJob: @unchecked Sendable {
    let transfer: Transfer
    let answer = PendingAnswer<HTTPReply>()

    init(_ transfer: Transfer) { self.transfer = transfer }
}
