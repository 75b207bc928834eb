package import Domain

/// Stored messages of one kind, and the way in which they are sent.
package protocol DeliveryQueue: Sendable {
    associatedtype Message: StoredMessage
    associatedtype Outcome: Sendable

    /// Whether this process sends what is stored.
    var isLeader: Bool { get }

    /// Deletes messages that are too old, except those with these keys, which are being sent.
    func removeExpired(at time: Timestamp, except keys: [Int64]) async

    /// Returns messages that are due and can be sent beside those that are being sent. It is called again until there are
    /// none.
    func take(due time: Timestamp, beside sending: [Message]) async -> [Message]

    /// Sends a message. Returns nil if the task was cancelled: the message is sent after the next start.
    func send(_ message: Message) async -> Outcome?

    /// Records what became of messages, in one transaction.
    func settle(_ results: [(message: Message, outcome: Outcome)]) async throws

    /// Says that the outcomes cannot be recorded. They are tried again a second later.
    func note(_ error: any Error)

    /// Returns the time until the next message is due, at most a moment after which it is looked for anyway.
    func pause(after time: Timestamp) -> Duration

    /// No message is being sent at present.
    func rest()
}

/// A message in the database.
package protocol StoredMessage: Sendable {
    var key: Int64 { get }
}
