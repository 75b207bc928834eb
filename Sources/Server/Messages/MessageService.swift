import Domain
import Foundation
import Hummingbird
import Storage

/// Takes in messages, whichever way they come.
struct MessageService: Sendable {
    let conversations: ConversationStore
    let limits: MessageLimits
    /// Nil where the service sends no mails.
    let mail: NotificationMailer?

    /// - Parameter id: sent again it is written once.
    func send(
        _ content: MessageContent,
        id: UUID,
        to address: MessageAddress,
        by sender: Account,
        _ request: Request,
        _ peer: NetworkAddress?
    ) async throws -> SentMessage {
        // What is refused or was sent before counts for nothing.
        let rehearsal = try conversations.preview(content, id: id, to: address, by: sender)
        if rehearsal != .repeats {
            try limits.take(content.text, begins: rehearsal == .begins, by: sender, request, peer)
        }
        let sent = try await conversations.write(content, id: id, to: address, by: sender)
        if let notice = sent.notice { mail?.tell(notice) }
        return sent
    }
}
