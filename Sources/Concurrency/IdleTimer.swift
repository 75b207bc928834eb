package import Dispatch
import Synchronization

/// Calls a function when something has not been used for some time, for example to free its memory.
///
/// However often it is restarted, at most one wake-up is scheduled.
package final class IdleTimer: Sendable {
    private struct State {
        var lastUse = ContinuousClock.now
        /// Nil if no wake-up is scheduled.
        var action: (@Sendable () -> Void)?
    }

    private let time: Duration
    private let queue: DispatchQueue
    private let state = Mutex(State())

    /// - Parameters:
    ///   - time: The time without use after which the function is called.
    ///   - queue: Where the function is called.
    package init(_ time: Duration, queue: DispatchQueue = .global()) {
        self.time = time
        self.queue = queue
    }

    /// Records a use. `action` is called once, unless `restart` is called again or the timer is deallocated before.
    package func restart(_ action: @escaping @Sendable () -> Void) {
        let mustSchedule = state.withLock { state in
            state.lastUse = .now
            defer { state.action = action }
            return state.action == nil
        }
        if mustSchedule { schedule(after: time) }
    }

    private func schedule(after time: Duration) {
        queue.asyncAfter(deadline: .now() + time / .seconds(1)) { [weak self] in self?.wake() }
    }

    private func wake() {
        let (action, rest) = state.withLock { state in
            let rest = time - (.now - state.lastUse)
            guard rest <= .zero else { return (nil as (@Sendable () -> Void)?, rest) }
            defer { state.action = nil }
            return (state.action, .zero)
        }
        if let action { action() } else { schedule(after: rest) }
    }
}
