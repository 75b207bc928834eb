import Domain
import Synchronization

/// Limits how many tasks run an operation at once. Further tasks wait in the order of their arrival, up to a maximum
/// number.
package final class AsyncSemaphore: Sendable {
    private struct State {
        var free: Int
        var waiters: [(number: Int, turn: CheckedContinuation<Void, any Error>)] = []
        var next = 0
    }

    private let state: Mutex<State>
    private let permits: Int
    private let maxWaiting: Int

    package init(permits: Int, maxWaiting: Int) {
        state = Mutex(State(free: permits))
        self.permits = permits
        self.maxWaiting = maxWaiting
    }

    /// Throws `unavailable` if too many tasks wait already, and `CancellationError` if the task is cancelled while it
    /// waits.
    package func withPermit<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await acquire()
        defer { release() }
        return try await body()
    }

    /// The number of permits in use, and the number of waiting tasks.
    package var load: (inUse: Int, waiting: Int) { state.withLock { (permits - $0.free, $0.waiters.count) } }

    private func acquire() async throws {
        let number = state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { turn in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.free > 0 {
                        state.free -= 1
                        return .success(())
                    }
                    guard state.waiters.count < maxWaiting else {
                        return .failure(ServiceError(.unavailable, "too much at once: try again in a moment"))
                    }
                    state.waiters.append((number, turn))
                    return nil
                }
                if let outcome { turn.resume(with: outcome) }
            }
        } onCancel: {
            let turn = state.withLock { state in
                state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0).turn }
            }
            turn?.resume(throwing: CancellationError())
        }
    }

    private func release() {
        let turn = state.withLock { state in
            guard state.waiters.isEmpty else { return Optional(state.waiters.removeFirst().turn) }
            state.free += 1
            return nil
        }
        turn?.resume()
    }
}
