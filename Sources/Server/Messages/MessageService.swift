import Domain
import Foundation
import HTTP
import Hummingbird
import Storage

/// Sends messages, for the API and the web pages alike.
struct MessageService: Sendable {
    let conversations: ConversationStore
    let limits: MessageLimits
    /// Nil if the service sends no mail.
    let mail: NotificationMailer?

    /// Sends a message.
    ///
    /// - Parameter id: the ID of the message. A message with an ID that exists already is not written again.
    func send(
        _ content: MessageContent,
        id: UUID,
        to address: MessageAddress,
        by sender: Account,
        from client: NetworkAddress
    ) async throws -> SentMessage {
        // Refused and repeated messages do not count towards the limits.
        let preview = try conversations.preview(content, id: id, to: address, by: sender)
        if preview != .repeats {
            try limits.take(content.text, begins: preview == .begins, by: sender, from: client)
        }
        let sent = try await conversations.write(content, id: id, to: address, by: sender)
        if let notice = sent.notice { mail?.notify(notice) }
        return sent
    }
}
