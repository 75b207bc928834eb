package import Domain
package import OutgoingHTTP

/// A message to a browser.
package struct PushMessage: Sendable {
    /// In bytes.
    package static let maxPayload = MessageEncryption.maxText
    /// Four weeks in seconds, the longest time for which the large push services keep messages.
    package static let maxTimeToLive = 2_419_200
    /// Shorter texts are padded to this length and all others to the maximum, so that the push service sees only two
    /// lengths.
    static let usualLength = 2_048

    package let payload: [UInt8]
    /// The seconds for which the push service keeps the message for a device that is not reachable.
    package let timeToLive: Int
    package let urgency: OutgoingEvent.Urgency
    /// A later message with the same topic replaces this one at the push service.
    package let topic: String?

    package init(
        _ payload: [UInt8],
        timeToLive: Int,
        urgency: OutgoingEvent.Urgency = .normal,
        topic: String? = nil
    ) throws(ServiceError) {
        guard payload.count <= Self.maxPayload else {
            throw .invalid("payload", "expected at most \(Self.maxPayload) bytes")
        }
        guard (0...Self.maxTimeToLive).contains(timeToLive) else {
            throw .invalid("timeToLive", "expected 0 to \(Self.maxTimeToLive) seconds")
        }
        if let topic, !Base64URL.isText(topic, count: 1...32) {
            throw .invalid("topic", "expected 1 to 32 letters of base64url")
        }
        (self.payload, self.timeToLive) = (payload, timeToLive)
        (self.urgency, self.topic) = (urgency, topic)
    }

    /// Encrypts the message for a browser.
    ///
    /// - Parameter authorization: from `VAPIDKey.authorization`.
    package func request(to subscription: PushSubscription, authorization: String) throws -> OutgoingRequest {
        let length = payload.count <= Self.usualLength ? Self.usualLength : Self.maxPayload
        let body = try MessageEncryption.body(payload, paddedTo: length, for: subscription)
        var headers = [
            ("Content-Type", "application/octet-stream"), ("Content-Encoding", "aes128gcm"), ("TTL", "\(timeToLive)"),
            ("Urgency", urgency.rawValue), ("Authorization", authorization),
        ]
        if let topic { headers.append(("Topic", topic)) }
        return OutgoingRequest(subscription.endpoint, body: body, headers: headers.map { (name: $0.0, value: $0.1) })
    }
}

/// The meaning of a push service's answer for the message and the subscription, RFC 8030.
package enum PushOutcome: Equatable, Sendable {
    case accepted
    /// The subscription has ended and is to be deleted.
    case gone
    /// The service takes shorter messages only.
    case tooLarge
    /// To be sent again, if the service said so after this number of seconds, at most a day.
    case retry(after: Int?)
    /// Something is wrong with the request or the key; the same request will be refused again.
    case refused(status: Int)

    private static let maxWait = 86_400

    /// - Parameter now: in seconds since 1970.
    package init(_ answer: OutgoingAnswer, now: Double) {
        self.init(status: answer.status, retryAfter: answer.retryAfter(now: now))
    }

    init(status: Int, retryAfter: Int?) {
        switch status {
        case 200...202, 204: self = .accepted
        case 404, 410: self = .gone
        case 413: self = .tooLarge
        case 408, 429, 500...599: self = .retry(after: retryAfter.map { min($0, Self.maxWait) })
        default: self = .refused(status: status)
        }
    }
}
