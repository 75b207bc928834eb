package import Domain
import Synchronization

/// Sends the messages of a queue until it is stopped: takes what is due, and records in groups what was sent.
///
/// A message stays in the database until its outcome is recorded, so that it outlives the process. The messages that are
/// being sent, or whose outcome is not recorded yet, may be sent once more after a crash.
package final class DeliveryLoop<Queue: DeliveryQueue>: Sendable {
    private struct State {
        var sending: [Int64: Queue.Message] = [:]
        var ended: [(message: Queue.Message, outcome: Queue.Outcome)] = []
        var isStopping = false
    }

    private let now: @Sendable () -> Timestamp
    private let state = Mutex(State())
    /// Tells the loop to look for messages that are due.
    private let signals = Signals()
    /// Tells that messages have ended.
    private let ends = Signals()

    package init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

    /// Looks for messages at once. Without it, those that were stored wait until the queue's pause ends.
    package func wake() { signals.give() }

    /// Lets `run` return when nothing is being sent any more.
    package func stop() {
        state.withLock { $0.isStopping = true }
        signals.finish()
    }

    /// Returns after `stop`, or when the task is cancelled.
    package func run(_ queue: Queue) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.settleGroups(queue) }
            await self.sendStored(queue)
            ends.finish()
        }
        // A cancelled task has stopped waiting for signals.
        await settleEnded(queue)
        queue.rest()
    }

    // MARK: - Sending

    private func sendStored(_ queue: Queue) async {
        await withDiscardingTaskGroup { group in
            var timer: Task<Void, Never>?
            wake()
            for await _ in signals.stream {
                let time = now()
                guard queue.isLeader else { continue }
                await queue.removeExpired(at: time, except: state.withLock { Array($0.sending.keys) })
                while true {
                    let messages = await take(queue, due: time)
                    guard !messages.isEmpty else { break }
                    for message in messages { group.addTask { await self.send(message, queue) } }
                }
                if state.withLock(\.sending.isEmpty) { queue.rest() }
                let pause = queue.pause(after: time)
                timer?.cancel()
                timer = Task { if (try? await Task.sleep(for: pause)) != nil { self.wake() } }
            }
            timer?.cancel()
        }
    }

    private func take(_ queue: Queue, due time: Timestamp) async -> [Queue.Message] {
        let (sending, isStopping) = state.withLock { (Array($0.sending.values), $0.isStopping) }
        guard !isStopping, !Task.isCancelled else { return [] }
        let messages = await queue.take(due: time, beside: sending)
        state.withLock { state in
            for message in messages { state.sending[message.key] = message }
        }
        return messages
    }

    private func send(_ message: Queue.Message, _ queue: Queue) async {
        guard let outcome = await queue.send(message) else { return end([message]) }
        state.withLock { $0.ended.append((message, outcome)) }
        ends.give()
    }

    private func end(_ messages: some Sequence<Queue.Message>) {
        state.withLock { state in
            for message in messages { state.sending[message.key] = nil }
        }
        wake()
    }

    // MARK: - Recording

    /// The time for which outcomes wait for others, so that they share a transaction.
    private static var gatheringTime: Duration { .milliseconds(2) }
    private static var maxGroup: Int { 200 }

    private func settleGroups(_ queue: Queue) async {
        for await _ in ends.stream {
            try? await Task.sleep(for: Self.gatheringTime)
            await settleEnded(queue)
        }
    }

    private func settleEnded(_ queue: Queue) async {
        while true {
            let group = state.withLock { state in
                defer { state.ended.removeFirst(min(Self.maxGroup, state.ended.count)) }
                return Array(state.ended.prefix(Self.maxGroup))
            }
            guard !group.isEmpty else { return }
            await settle(group, queue)
            end(group.map(\.message))
        }
    }

    /// A database that fails must not cause messages to be sent again, so that this waits until it can be written to.
    private func settle(_ group: [(message: Queue.Message, outcome: Queue.Outcome)], _ queue: Queue) async {
        while true {
            do { return try await queue.settle(group) } catch {
                queue.note(error)
                guard !Task.isCancelled, (try? await Task.sleep(for: .seconds(1))) != nil else { return }
            }
        }
    }
}

/// A signal that is remembered until somebody waits for it.
private struct Signals: Sendable {
    let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func give() { continuation.yield() }

    func finish() { continuation.finish() }
}
