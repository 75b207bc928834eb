import NIOCore
import Storage
import Synchronization

/// One who watches the board, and what it was told and has not taken yet.
final class Subscriber: Sendable {
    let check: ListingMatcher
    /// The event behind which it joined the others.
    let start: Int64
    /// In which round of each cycle it gets a sign of life, so that not all get theirs at once.
    let turn: Int
    /// Something waits to be taken. Ends when nothing more will come.
    let signals: AsyncStream<Void>

    private let signal: AsyncStream<Void>.Continuation
    private let queue = Mutex(Queue())

    private struct Queue {
        var messages: [ByteBuffer] = []
        var bytes = 0
        /// The last event that they tell.
        var last: Int64 = 0
    }

    private static let maxMessages = 500
    private static let maxBytes = 512 * 1024

    init(_ check: ListingMatcher, from start: Int64, turn: Int) {
        self.check = check
        self.start = start
        self.turn = turn
        (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// For when it is woken. False where it does not keep up: all that it has not taken is forgotten then, and nothing more
    /// will come.
    func put(_ message: ByteBuffer, event: Int64) -> Bool {
        let hasRoom = queue.withLock { queue in
            guard queue.messages.count < Self.maxMessages, queue.bytes + message.readableBytes <= Self.maxBytes else {
                queue = Queue()
                return false
            }
            queue.messages.append(message)
            queue.bytes += message.readableBytes
            queue.last = event
            return true
        }
        if !hasRoom { close() }
        return hasRoom
    }

    func wake() { signal.yield() }

    /// All that waits, and the last event that it tells; nil where nothing does.
    func take() -> (text: ByteBuffer, last: Int64)? {
        let (messages, last) = queue.withLock { queue in
            defer { queue = Queue() }
            return (queue.messages, queue.last)
        }
        guard var text = messages.first else { return nil }
        for message in messages.dropFirst() { text.writeImmutableBuffer(message) }
        return (text, last)
    }

    func close() { signal.finish() }
}
