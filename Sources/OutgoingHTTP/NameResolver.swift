import Concurrency
import Foundation

/// Finds the addresses of a name. It is asked once for each request.
package protocol NameResolver: Sendable {
    /// Returns an empty array if the name has none.
    func addresses(of name: String) async throws -> [IPAddress]
}

/// The resolver of the system, on threads of its own, because getaddrinfo blocks and has no time limit. A cancelled task
/// does not wait for it, but the thread is busy until the system gives up.
package final class SystemResolver: NameResolver {
    private let queue = OperationQueue()

    package init(atOnce limit: Int = 16) {
        queue.name = "resolver"
        queue.maxConcurrentOperationCount = limit
    }

    package func addresses(of name: String) async throws -> [IPAddress] {
        let answer = PendingAnswer<[IPAddress]>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                answer.wait(waiter)
                queue.addOperation {
                    guard !answer.isFinished else { return }
                    answer.finish(.success(Self.lookUp(name)))
                }
            }
        } onCancel: {
            answer.finish(.failure(CancellationError()))
        }
    }

    private static func lookUp(_ name: String) -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        return sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }
            .compactMap { $0?.pointee.ai_addr.flatMap { IPAddress($0) } }
    }
}
