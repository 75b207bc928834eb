import Synchronization

/// An answer that comes once: from a thread or by cancellation, whichever is first.
package final class PendingAnswer<Value: Sendable>: Sendable {
    package typealias Waiter = CheckedContinuation<Value, any Error>

    private struct State {
        var waiter: Waiter?
        var result: Result<Value, any Error>?
    }

    private let state = Mutex(State())

    package init() {}

    package var isFinished: Bool { state.withLock { $0.result != nil } }

    package func wait(_ waiter: Waiter) {
        let result = state.withLock { state in
            if state.result == nil { state.waiter = waiter }
            return state.result
        }
        if let result { waiter.resume(with: result) }
    }

    package func finish(_ result: Result<Value, any Error>) {
        let waiter = state.withLock { state -> Waiter? in
            guard state.result == nil else { return nil }
            state.result = result
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(with: result)
    }
}
