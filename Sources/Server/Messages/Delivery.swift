import Channels
import Domain
import Photos
import Storage

/// Stores what one person sends to another, a message or a sighting, and notifies the recipient. Also tells owners of answers
/// to possible matches.
struct Delivery: Sendable {
    let photos: PhotoService
    /// Nil if the service sends no mail.
    let mail: NotificationMailer?
    let pushTexts: PushTexts
    let sender: ChannelSender
    let now: @Sendable () -> Timestamp

    /// Calls `store` with the photo, once its files are written, and with the function that makes the notification for
    /// browsers, which is stored in the same transaction.
    func deliver<Stored: StoredOnce>(
        _ photo: ProcessedPhoto?,
        _ store: (StoredPhoto?, @escaping ChannelStore.Push) async throws -> Stored
    ) async throws -> Stored {
        let stored = try await photos.attach(photo) { photo in try await store(photo, push) }
        sender.wake()
        if let notice = stored.notice { mail?.notify(notice) }
        return stored
    }

    /// Makes the notification for browsers.
    var push: ChannelStore.Push { { [pushTexts, now] in (pushTexts.event($0), now()) } }

    /// Sends notices whose notifications for browsers are stored.
    func tell(_ notices: [Notice]) {
        guard !notices.isEmpty else { return }
        sender.wake()
        for notice in notices { mail?.notify(notice) }
    }
}

extension Notice {
    /// The same page by the code of the listing, for mails, in which people see the address.
    var shortPath: String {
        guard let code else { return path }
        return kind == .sighting ? code.path + "#sightings" : code.path
    }

    /// The page that shows what was sent.
    var path: String {
        switch kind {
        case .message: "/inbox/\(subject.lowercased)"
        case .sighting: "/listings/\(subject.lowercased)#sightings"
        case .matchAsked, .matchAgreed, .matchJoined, .matchHome: "/listings/\(subject.lowercased)"
        }
    }
}
