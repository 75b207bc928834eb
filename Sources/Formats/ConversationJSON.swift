package import Domain
package import Foundation
package import MessageWarnings
import Storage

/// The texts of the warnings about messages, in the reader's language.
package struct WarningWords: Sendable {
    /// The host of this service. Links to it cause no warning.
    package let host: String
    private let text: @Sendable (MessageWarning) -> String

    package init(host: String, _ text: @escaping @Sendable (MessageWarning) -> String) {
        self.host = host
        self.text = text
    }

    package func callAsFunction(_ warning: MessageWarning) -> String { text(warning) }

    /// Returns the warning for a message, only for its reader: senders could otherwise learn which words to avoid.
    package func warning(of message: Message) -> MessageWarning? {
        message.isMine ? nil : MessageWarning(in: message.content.text, host: host)
    }
}

extension JSONWriter {
    /// Writes a conversation as one of its two parties sees it.
    ///
    /// - Parameter base: the base URL of the service, before the paths of photos.
    package mutating func conversation(_ conversation: Conversation, _ words: WarningWords, base: String) {
        object { $0.members(of: conversation, words, base) }
    }

    /// Writes a conversation with messages, newest first, and additional members.
    package mutating func conversation(
        _ conversation: Conversation,
        _ messages: [Message],
        _ words: WarningWords,
        base: String,
        more: (inout JSONWriter) -> Void
    ) {
        object { json in
            json.members(of: conversation, words, base)
            json.array("messages", messages) { $0.message($1, conversation.id, words, base: base) }
            more(&json)
        }
    }

    private mutating func members(of conversation: Conversation, _ words: WarningWords, _ base: String) {
        let subject = conversation.subject
        field("id", conversation.id.lowercased)
        object("listing") { json in
            json.field("id", subject.id.lowercased)
            json.field("name", subject.name)
            json.field("species", subject.species.rawValue)
            json.field("status", subject.status.rawValue)
        }
        field("role", conversation.role.rawValue)
        field("correspondent", conversation.correspondent)
        field("unread", conversation.unread)
        field("blocked", conversation.isBlocked)
        field("asks_for_mark", subject.asksForMark)
        field("created_at", conversation.createdAt.text)
        field("updated_at", conversation.last.createdAt.text)
        embed("last_message") { $0.message(conversation.last, conversation.id, words, base: base) }
    }

    /// - Parameters:
    ///   - base: the base URL of the service, before the paths of photos.
    ///   - more: writes additional members after those of the message.
    package mutating func message(
        _ message: Message,
        _ conversation: UUID,
        _ words: WarningWords,
        base: String,
        more: (inout JSONWriter) -> Void = { _ in }
    ) {
        let content = message.content
        object { json in
            json.field("id", message.id.lowercased)
            json.field("conversation", conversation.lowercased)
            json.field("mine", message.isMine)
            json.field("text", content.text)
            json.field("contact_name", content.contactName)
            json.field("contact_phone", content.contactPhone)
            json.field("contact_phone_e164", TelephoneNumber.e164(of: content.contactPhone, in: message.country))
            json.field("contact_email", content.contactEmail)
            json.field("mark", content.mark)
            json.field("lon", content.point?.lon)
            json.field("lat", content.point?.lat)
            json.field("place", message.place)
            json.photo(message.photo, base: base)
            if let matches = message.markMatches { json.field("mark_matches", matches) }
            json.embed("warning") { json in
                if let warning = words.warning(of: message) { json.warning(warning, words) } else { json.null() }
            }
            json.field("created_at", message.createdAt.text)
            more(&json)
        }
    }

    /// Writes the general warnings, which do not depend on the messages.
    package mutating func warnings(_ words: WarningWords) {
        array("warnings", MessageWarning.general) { $0.warning($1, words) }
    }

    private mutating func warning(_ warning: MessageWarning, _ words: WarningWords) {
        object { json in
            json.field("code", warning.rawValue)
            json.field("text", words(warning))
        }
    }
}
