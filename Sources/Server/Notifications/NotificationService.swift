import Channels
import Concurrency
import Domain
import Flyer
import Mail
import NIOCore
import Photos
import Storage
import Synchronization

/// Tells readers by e-mail and on their devices what their alerts have found, at once or in a summary.
///
/// The stores hold what is still to be told. Few mails are made ahead of the mail server, so that those about a new listing
/// do not wait behind those of a listing with many readers.
final class NotificationService: Sendable {
    private let store: NotificationStore
    private let mails: OutgoingMailStore
    private let mailer: Mailer?
    private let sender: ChannelSender
    private let texts: NotificationTexts
    private let photos: PhotoService
    private let maps: MapPanels
    /// The pictures of listings that were told lately.
    private let pictures = Mutex<[String: MailPicture]>([:])
    private let delays = Mutex(Histogram(bounds: [0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600]))

    private static let batchSize = 50
    private static let maxPictures = 50
    /// The number of mails that are made ahead of the mail server.
    private static let maxAhead = 200

    init(
        store: NotificationStore,
        mails: OutgoingMailStore,
        mailer: Mailer?,
        sender: ChannelSender,
        texts: NotificationTexts,
        photos: PhotoService,
        maps: MapPanels
    ) {
        (self.store, self.mails, self.mailer, self.sender) = (store, mails, mailer, sender)
        (self.texts, self.photos, self.maps) = (texts, photos, maps)
    }

    /// The times from posts until the messages about them were ready to be sent, without those of summaries.
    var delayHistogram: Histogram { delays.withLock(\.self) }

    /// Tells a batch of news. Returns whether there is more to tell now.
    func tell(at now: Timestamp) async throws -> Bool {
        guard try !mails.hasBulk(Self.maxAhead) else { return false }
        var news = try store.findPending(limit: Self.batchSize)
        if news.isEmpty { news = try store.findSummaries(due: now, limit: Self.batchSize) }
        try await store.postpone(news.filter(\.mustWait))
        news.removeAll(where: \.mustWait)
        guard !news.isEmpty else { return false }
        var told: [(ReaderNews, [MailMessage], OutgoingEvent?)] = []
        for news in news { told.append((news, await mails(news), texts.push(news))) }
        try await store.settle(told, at: now)
        note(news.compactMap(\.notedAt), now)
        mailer?.wake()
        sender.wake()
        return true
    }

    private func note(_ times: [Timestamp], _ now: Timestamp) {
        delays.withLock { delays in
            for time in times { delays.add(max(0, Double(now.milliseconds - time.milliseconds) / 1000)) }
        }
    }

    /// Returns the mails of the recipients who get one.
    private func mails(_ news: ReaderNews) async -> [MailMessage] {
        guard mailer != nil, news.settings.email, let item = news.items.first else { return [] }
        let picture = await picture(of: item.listing)
        return news.recipients.compactMap { texts.mail(news, to: $0, picture: picture) }
    }

    /// Returns nil if there is neither a photo nor a map, or if they cannot be read: the mail is useful without them.
    private func picture(of listing: Listing) async -> MailPicture? {
        let key = "\(listing.id) \(listing.version) \(listing.photos.first?.thumbnail ?? "") \(maps.version)"
        if let known = pictures.withLock({ $0[key] }) { return known }
        guard let bytes = await jpeg(of: listing),
            let picture = try? MailPicture(bytes, type: "image/jpeg", name: "photo")
        else { return nil }
        pictures.withLock { pictures in
            if pictures.count >= Self.maxPictures { pictures.removeAll() }
            pictures[key] = picture
        }
        return picture
    }

    /// Returns the photo beside a map, or what there is of them.
    private func jpeg(of listing: Listing) async -> [UInt8]? {
        let photo = listing.photos.first
        guard let map = await maps.panel(of: listing.location) else {
            return if let photo { try? await photos.thumbnail(of: photo) } else { nil }
        }
        let pixels = if let photo { try? await photos.pixels(of: photo) } else { nil as Picture.Photo? }
        let status = listing.content.status ?? .lost
        let picture = PhotoAndMap(photo: pixels, map: map, status: status)
        guard let png = try? await maps.tiles.run({ try picture.png() }) else { return nil }
        return (try? await photos.jpeg(of: png)).map { [UInt8](buffer: $0) }
    }
}
