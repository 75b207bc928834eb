package import Foundation

/// A text that one person sends to another, with a photo or without. It is stored once for each key of a client.
package protocol StoredOnce: Sendable {
    /// Whether it was stored before.
    var isRepeated: Bool { get }
    var photo: StoredPhoto? { get }
    /// Nil if nobody is to be notified.
    var notice: Notice? { get }
}

/// The data for notifying the recipient of a message, a sighting or an answer to a possible match, by mail and in browsers.
/// It contains nothing of its content except whether it has a photo.
package struct Notice: Equatable, Sendable {
    package enum Kind: String, Sendable {
        case message
        case sighting
        /// The owner of another listing says that it is the same animal.
        case matchAsked
        /// The owner of another listing has confirmed that it is the same animal.
        case matchAgreed
        /// Another listing of the same side is of the same animal: both owners have said so, or a moderator.
        case matchJoined
        /// The owner of another listing of the same animal says that it is home.
        case matchHome
    }

    package let kind: Kind
    /// The id of the conversation of a message, of the listing of a sighting, or of the recipient's listing of a match.
    package let subject: UUID
    /// The code of the listing that is the subject; nil for a message.
    package let code: ListingCode?
    /// The `Account.id` of the recipient.
    package let recipient: UUID
    package let animal: AnimalName
    package let hasPhoto: Bool

    /// The key of the texts of mails and notifications. Those of matches without a name differ.
    package var textKey: String {
        switch kind {
        case .message, .sighting: kind.rawValue
        case .matchAsked, .matchAgreed, .matchJoined, .matchHome: kind.rawValue + (animal.name == nil ? "Unnamed" : "")
        }
    }

    package init(
        _ kind: Kind,
        _ subject: UUID,
        code: ListingCode? = nil,
        to recipient: UUID,
        _ animal: AnimalName,
        hasPhoto: Bool = false
    ) {
        (self.kind, self.subject, self.code) = (kind, subject, code)
        (self.recipient, self.animal, self.hasPhoto) = (recipient, animal, hasPhoto)
    }
}
