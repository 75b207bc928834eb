import Domain
import Synchronization

/// Lets so many through at once; others wait in line, first come, first served, up to the line's length.
package final class Turnstile: Sendable {
    private struct State {
        var free: Int
        var line: [(number: Int, turn: CheckedContinuation<Void, any Error>)] = []
        var next = 0
    }

    private let state: Mutex<State>
    private let places: Int
    private let longest: Int

    package init(places: Int, line longest: Int) {
        state = Mutex(State(free: places))
        self.places = places
        self.longest = longest
    }

    /// Throws `unavailable` where the line is full, and where the task is cancelled while it waits.
    package func pass<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await enter()
        defer { leave() }
        return try await body()
    }

    /// How many are through and not yet done, and how many wait.
    package var load: (inside: Int, waiting: Int) { state.withLock { (places - $0.free, $0.line.count) } }

    private func enter() async throws {
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
                    guard state.line.count < longest else {
                        return .failure(ServiceError(.unavailable, "too much at once: try again in a moment"))
                    }
                    state.line.append((number, turn))
                    return nil
                }
                if let outcome { turn.resume(with: outcome) }
            }
        } onCancel: {
            let turn = state.withLock { state in
                state.line.firstIndex { $0.number == number }.map { state.line.remove(at: $0).turn }
            }
            turn?.resume(throwing: CancellationError())
        }
    }

    private func leave() {
        let turn = state.withLock { state in
            guard state.line.isEmpty else { return Optional(state.line.removeFirst().turn) }
            state.free += 1
            return nil
        }
        turn?.resume()
    }
}
