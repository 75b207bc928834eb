/// Something that is told to the browsers and webhooks of an account.
package struct OutgoingEvent: Equatable, Sendable {
    /// How soon a device must show it, RFC 8030, section 5.3.
    package enum Urgency: String, CaseIterable, Sendable {
        case veryLow = "very-low"
        case low
        case normal
        case high
    }

    /// Like `alert.listing`.
    package let type: String
    /// While a message with this key waits for a receiver, no other one with the key is stored for it.
    package let key: String
    /// The field `data` of a webhook's message.
    package let data: JSONValue
    /// The texts that browsers show, in each known language. A browser gets its own language, else any other. Empty
    /// if browsers get nothing.
    package let push: [Language: PushText]
    package let urgency: Urgency
    /// In seconds. Receivers that cannot be reached for so long do not get the message.
    package let timeToLive: Double
    /// Messages with a lower turn are sent first: the number of batches of readers that come before in a fan-out, else 0.
    package var turn = 0
    /// The `Listing.key` of each listing of which it tells a reader of alerts.
    package var listings: [Int64] = []

    package init(
        type: String,
        key: String,
        data: JSONValue,
        push: [Language: PushText],
        urgency: Urgency = .normal,
        timeToLive: Double = 7 * 86_400
    ) {
        (self.type, self.key, self.data) = (type, key, data)
        (self.push, self.urgency, self.timeToLive) = (push, urgency, timeToLive)
    }
}

/// The text of a notification. Everybody who sees the locked screen can read it.
package struct PushText: Equatable, Sendable {
    package static let maxTitle = 120
    package static let maxBody = 300

    package let title: String
    package let body: String
    /// The page that opens, as a path of this site without the path of the base URL.
    package let path: String
    /// A later notification with the same tag replaces this one.
    package let tag: String

    /// Longer texts are cut.
    package init(title: String, body: String, path: String, tag: String) {
        self.title = String(title.prefix(Self.maxTitle))
        self.body = String(body.prefix(Self.maxBody))
        (self.path, self.tag) = (path, tag)
    }
}
