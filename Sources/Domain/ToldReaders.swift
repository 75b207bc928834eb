/// How many messages about a listing readers have got from their alerts.
package struct ToldReaders: Equatable, Sendable {
    package enum Channel: String, CaseIterable, Sendable {
        case mail, push
    }

    package let channel: Channel
    package let messages: Int
    package let firstAt: Timestamp
    package let lastAt: Timestamp

    package init(_ channel: Channel, messages: Int, firstAt: Timestamp, lastAt: Timestamp) {
        (self.channel, self.messages, self.firstAt, self.lastAt) = (channel, messages, firstAt, lastAt)
    }
}
