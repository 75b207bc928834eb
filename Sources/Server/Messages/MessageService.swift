import Domain
import Foundation
import HTTP
import Hummingbird
import Photos
import Storage

/// Sends messages, for the API and the web pages alike.
struct MessageService: Sendable {
    let conversations: ConversationStore
    let limits: MessageLimits
    let photos: PhotoService
    let finder: any PlaceFinder
    /// Nil if the service sends no mail.
    let mail: NotificationMailer?
    let push: Pusher

    /// Sends a message.
    ///
    /// - Parameters:
    ///   - id: the ID of the message. A message with an ID that exists already is not written again.
    ///   - language: that of the name of the town.
    func send(
        _ content: MessageContent,
        photo: ProcessedPhoto? = nil,
        in language: Language = .english,
        id: UUID,
        to address: MessageAddress,
        by sender: Account,
        from client: NetworkAddress
    ) async throws -> SentMessage {
        // Refused and repeated messages do not count towards the limits.
        let preview = try conversations.preview(content, hasPhoto: photo != nil, id: id, to: address, by: sender)
        if preview != .repeats {
            try await limits.take(
                content.text,
                photoBytes: photo?.byteCount ?? 0,
                begins: preview == .begins,
                by: sender,
                from: client
            )
        }
        let place = try content.point.flatMap { try finder.place(at: $0, language: language) }?.fullName
        let sent = try await photos.attach(photo) { stored in
            let supplement = MessageSupplement(place: place, photo: stored)
            return try await conversations.write(content, supplement, id: id, to: address, by: sender) { notice in
                (push.texts.event(notice), push.now())
            }
        }
        push.sender.wake()
        if let notice = sent.notice { mail?.notify(notice) }
        return sent
    }
}
