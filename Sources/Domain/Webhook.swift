package import Foundation

/// A server of a user that is told of events.
package struct Webhook: Equatable, Sendable {
    /// The result of a request. Users see no more of the answer, because a webhook could be pointed at servers whose
    /// answers are not for them.
    package enum Outcome: String, CaseIterable, Sendable {
        case delivered
        /// A status other than 2xx.
        case refused
        /// The status 410.
        case gone
        case timedOut = "timed_out"
        case unreachable
        /// No valid certificate.
        case untrusted
    }

    /// The most webhooks of one account.
    package static let maxCount = 5
    /// The seconds for which a replaced secret still signs.
    package static let rotationTime = 86_400.0

    /// The key of the row.
    package let key: Int64
    package let id: UUID
    package let url: String
    package let createdAt: Timestamp
    /// The first failure since the last delivery.
    package let failingSince: Timestamp?
    package let disabledAt: Timestamp?
    package let lastOutcome: Outcome?

    package init(
        key: Int64,
        id: UUID,
        url: String,
        createdAt: Timestamp,
        failingSince: Timestamp?,
        disabledAt: Timestamp?,
        lastOutcome: Outcome?
    ) {
        (self.key, self.id, self.url, self.createdAt) = (key, id, url, createdAt)
        (self.failingSince, self.disabledAt, self.lastOutcome) = (failingSince, disabledAt, lastOutcome)
    }
}

/// A browser that shows notifications.
package struct PushDevice: Equatable, Sendable {
    /// The most browsers of one account.
    package static let maxCount = 10

    package let id: UUID
    /// The host of its push service.
    package let service: String
    package let language: Language
    package let createdAt: Timestamp
    package let failingSince: Timestamp?

    package init(id: UUID, service: String, language: Language, createdAt: Timestamp, failingSince: Timestamp?) {
        (self.id, self.service, self.language) = (id, service, language)
        (self.createdAt, self.failingSince) = (createdAt, failingSince)
    }
}
