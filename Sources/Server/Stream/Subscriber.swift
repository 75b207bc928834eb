import NIOCore
import Storage
import Synchronization

/// A client of the event stream, with the messages that wait for it.
final class Subscriber: Sendable {
    let check: ListingMatcher
    /// The last event before the subscriber joined.
    let start: Int64
    /// The number of the round in each cycle in which this subscriber receives its keep-alive message, so that not all
    /// receive theirs at the same time.
    let turn: Int
    /// Yields when messages wait. The stream ends when there will be no more.
    let signals: AsyncStream<Void>

    private let signal: AsyncStream<Void>.Continuation
    private let queue = Mutex(Queue())

    private struct Queue {
        var messages: [ByteBuffer] = []
        var bytes = 0
        /// The last event in `messages`.
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

    /// Queues a message until the subscriber is woken. Returns false if the queue is full; the queue is cleared then,
    /// and the subscriber will receive no more.
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

    /// Removes and returns all queued messages and the number of their last event; returns nil if there are none.
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
