import Domain
import Synchronization

/// Limits how many tasks run an operation at once. Further tasks wait; next is the task of the client that has used the
/// semaphore least (`RequestMeter`), and among the tasks of one client the oldest.
///
/// The number of waiting tasks is limited. If it is reached, the newest task of the client with the most use is refused.
package final class AsyncSemaphore: Sendable {
    private struct Waiter {
        let number: Int
        let client: ClientPrefixes
        let turn: CheckedContinuation<Void, any Error>
        /// Refuses the task when it has waited too long.
        var expiry: Task<Void, Never>?

        func admit() {
            expiry?.cancel()
            turn.resume()
        }

        func refuse(_ error: any Error) {
            expiry?.cancel()
            turn.resume(throwing: error)
        }
    }

    private struct State {
        var free: Int
        var waiters: [Waiter] = []
        var next = 0
        var shares = FairShares()
    }

    private static let refusal = ServiceError(.unavailable, "too much at once: try again in a moment")

    private let state: Mutex<State>
    private let permits: Int
    private let maxWaiting: Int
    private let maxWait: Duration?

    /// - Parameter maxWait: the time after which a waiting task is refused; nil for no limit.
    package init(permits: Int, maxWaiting: Int, maxWait: Duration? = nil) {
        state = Mutex(State(free: permits))
        (self.permits, self.maxWaiting, self.maxWait) = (permits, maxWaiting, maxWait)
    }

    /// Throws `unavailable` if too many tasks wait already or the task has waited too long, and `CancellationError` if the
    /// task is cancelled while it waits.
    package func withPermit<Value>(_ body: () async throws -> Value) async throws -> Value {
        let meter = RequestMeter.current
        let client = meter?.client ?? .program
        let arrival = MonotonicClock.seconds
        do {
            try await acquire(client)
        } catch {
            meter?.addWait(MonotonicClock.seconds - arrival)
            throw error
        }
        let begin = MonotonicClock.seconds
        meter?.addWait(begin - arrival)
        defer { release(client, used: MonotonicClock.seconds - begin) }
        return try await body()
    }

    /// The number of permits in use, and the number of waiting tasks.
    package var load: (inUse: Int, waiting: Int) { state.withLock { (permits - $0.free, $0.waiters.count) } }

    // MARK: - Waiting

    private func acquire(_ client: ClientPrefixes) async throws {
        let number = state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { turn in enter(number, client, turn) }
        } onCancel: {
            refuse(number, CancellationError())
        }
    }

    private enum Entry {
        case entered
        case cancelled
        /// A task waits. If the line was full, one of the waiting tasks was removed.
        case waits(removed: Waiter?)
    }

    private func enter(_ number: Int, _ client: ClientPrefixes, _ turn: CheckedContinuation<Void, any Error>) {
        let now = MonotonicClock.seconds
        let entry: Entry = state.withLock { state in
            if Task.isCancelled { return .cancelled }
            guard state.free == 0 else {
                state.free -= 1
                state.shares.add(running: 1, client, now: now)
                return .entered
            }
            state.waiters.append(Waiter(number: number, client: client, turn: turn))
            state.shares.add(waiting: 1, client, now: now)
            return .waits(removed: state.waiters.count > maxWaiting ? Self.removeHeaviest(&state, now) : nil)
        }
        switch entry {
        case .entered: turn.resume()
        case .cancelled: turn.resume(throwing: CancellationError())
        case .waits(let removed):
            removed?.refuse(Self.refusal)
            if let maxWait { expire(number, after: maxWait) }
        }
    }

    /// Refuses a task if it still waits after the time.
    private func expire(_ number: Int, after time: Duration) {
        let expiry = Task { [weak self] in
            guard (try? await Task.sleep(for: time)) != nil else { return }
            self?.refuse(number, Self.refusal)
        }
        let isWaiting = state.withLock { state in
            guard let place = state.waiters.firstIndex(where: { $0.number == number }) else { return false }
            state.waiters[place].expiry = expiry
            return true
        }
        if !isWaiting { expiry.cancel() }
    }

    private func refuse(_ number: Int, _ error: any Error) {
        let waiter = state.withLock { state -> Waiter? in
            guard let place = state.waiters.firstIndex(where: { $0.number == number }) else { return nil }
            return Self.remove(place, &state, MonotonicClock.seconds)
        }
        waiter?.refuse(error)
    }

    private func release(_ client: ClientPrefixes, used: Double) {
        let now = MonotonicClock.seconds
        let next = state.withLock { state -> Waiter? in
            state.shares.add(running: -1, used: used, client, now: now)
            guard !state.waiters.isEmpty else {
                state.free += 1
                return nil
            }
            let next = Self.removeLightest(&state, now)
            state.shares.add(running: 1, next.client, now: now)
            return next
        }
        next?.admit()
    }

    // MARK: - Order

    /// Removes the oldest task of the client with the least use.
    private static func removeLightest(_ state: inout State, _ now: Double) -> Waiter {
        let loads = loads(state, now)
        let place = loads.indices.min { loads[$0].lexicographicallyPrecedes(loads[$1]) }
        return remove(place ?? 0, &state, now)
    }

    /// Removes the newest task of the client with the most use.
    private static func removeHeaviest(_ state: inout State, _ now: Double) -> Waiter {
        let loads = loads(state, now)
        let place = loads.indices.reversed().min { loads[$1].lexicographicallyPrecedes(loads[$0]) }
        return remove(place ?? 0, &state, now)
    }

    /// The loads of the waiting tasks, in the order of their arrival. `min` returns the first of equal ones.
    private static func loads(_ state: State, _ now: Double) -> [[Double]] {
        var known: [ClientPrefixes: [Double]] = [:]
        return state.waiters.map { waiter in
            if let loads = known[waiter.client] { return loads }
            let loads = state.shares.loads(of: waiter.client, now: now)
            known[waiter.client] = loads
            return loads
        }
    }

    private static func remove(_ place: Int, _ state: inout State, _ now: Double) -> Waiter {
        let waiter = state.waiters.remove(at: place)
        state.shares.add(waiting: -1, waiter.client, now: now)
        return waiter
    }
}
