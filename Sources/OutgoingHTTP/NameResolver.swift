import Foundation
import Synchronization

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
        let answer = PendingAnswer()
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

/// An answer that comes once, from a thread or by cancellation.
private final class PendingAnswer: Sendable {
    typealias Waiter = CheckedContinuation<[IPAddress], any Error>

    private struct State {
        var waiter: Waiter?
        var result: Result<[IPAddress], any Error>?
    }

    private let state = Mutex(State())

    var isFinished: Bool { state.withLock { $0.result != nil } }

    func wait(_ waiter: Waiter) {
        let result = state.withLock { state in
            if state.result == nil { state.waiter = waiter }
            return state.result
        }
        if let result { waiter.resume(with: result) }
    }

    func finish(_ result: Result<[IPAddress], any Error>) {
        let waiter = state.withLock { state -> Waiter? in
            guard state.result == nil else { return nil }
            state.result = result
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(with: result)
    }
}
