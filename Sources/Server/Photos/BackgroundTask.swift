import Synchronization

/// Runs a task in the background, once at a time. A start while it runs makes it run once more afterwards.
final class BackgroundTask: Sendable {
    private enum State {
        case idle
        case running
        case runningAgain
    }

    private let state = Mutex(State.idle)

    func start(_ body: @Sendable @escaping () async -> Void) {
        let isFirst = state.withLock { state in
            defer { state = state == .idle ? .running : .runningAgain }
            return state == .idle
        }
        guard isFirst else { return }
        // The budget of the request that starts it is not the one of the task.
        Task.detached {
            repeat { await body() } while self.mustRunAgain()
        }
    }

    private func mustRunAgain() -> Bool {
        state.withLock { state in
            defer { state = state == .runningAgain ? .running : .idle }
            return state == .runningAgain
        }
    }
}
