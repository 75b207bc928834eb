import Synchronization

/// A pool of networks, each used by one caller at a time. Callers wait in a queue if no network is idle.
final class NetworkPool: Sendable {
    typealias Lent = Result<Network, ClassificationError>

    private struct Waiter {
        let ticket: Int
        let answer: CheckedContinuation<Lent, Never>
    }

    private struct State {
        var idle: [Network]
        var line: [Waiter] = []
        var tickets = 0
    }

    private let state: Mutex<State>
    private let maxLineLength: Int

    init(_ networks: [Network], maxLineLength: Int) {
        state = Mutex(State(idle: networks))
        self.maxLineLength = maxLineLength
    }

    /// - Throws: `busy` if the queue is full, `cancelled` if the task is cancelled while it waits.
    func lend() async throws(ClassificationError) -> Network {
        let ticket = state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { join(Waiter(ticket: ticket, answer: $0)) }
        } onCancel: {
            leave(ticket)
        }.get()
    }

    func giveBack(_ network: Network) {
        let next = state.withLock { state -> Waiter? in
            guard state.line.isEmpty else { return state.line.removeFirst() }
            state.idle.append(network)
            return nil
        }
        next?.answer.resume(returning: .success(network))
    }

    private func join(_ waiter: Waiter) {
        let answer = state.withLock { state -> Lent? in
            // A later cancellation finds the waiter in the queue.
            if Task.isCancelled { return .failure(.cancelled) }
            if let network = state.idle.popLast() { return .success(network) }
            guard state.line.count < maxLineLength else { return .failure(.busy(waiting: state.line.count)) }
            state.line.append(waiter)
            return nil
        }
        if let answer { waiter.answer.resume(returning: answer) }
    }

    private func leave(_ ticket: Int) {
        let waiter = state.withLock { state in
            state.line.firstIndex { $0.ticket == ticket }.map { state.line.remove(at: $0) }
        }
        waiter?.answer.resume(returning: .failure(.cancelled))
    }
}
