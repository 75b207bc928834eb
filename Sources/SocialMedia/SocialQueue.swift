import Credentials
import Cryptography
import Delivery
import Domain
import Foundation
import Logging
import OutgoingHTTP
import Storage
import Synchronization
import Webhooks

extension DueSocialPost: StoredMessage {}

/// The posts in the database that are to be made, changed or deleted.
///
/// Each account has one request on its way at a time. A post that was being made when the process ended is made again: once
/// more on Telegram, which cannot be asked for it; not on Mastodon, which takes the same key for the same post for an hour.
final class SocialQueue: DeliveryQueue {
    private static let idleTime = Duration.seconds(20)

    private struct State {
        var figures = SocialSender.Figures()
        var paces = SocialPaces()
    }

    private let store: SocialPostStore
    private let clients: SocialClients
    private let key: SecondFactorKey
    private let source: SocialSource
    private let logger: Logger
    private let now: @Sendable () -> Timestamp
    private let state = Mutex(State())

    init(
        _ store: SocialPostStore,
        _ clients: SocialClients,
        key: SecondFactorKey,
        source: SocialSource,
        logger: Logger,
        now: @escaping @Sendable () -> Timestamp
    ) {
        (self.store, self.clients, self.key, self.source) = (store, clients, key, source)
        (self.logger, self.now) = (logger, now)
    }

    var figures: SocialSender.Figures { state.withLock(\.figures) }

    var isLeader: Bool { store.isLeader }

    func rest() {}

    func note(_ error: any Error) {
        logger.error("posts were not recorded", metadata: ["reason": "\(error)"])
    }

    /// Posts do not expire: one that was never made is left out when its listing is not open any more.
    func removeExpired(at time: Timestamp, except keys: [Int64]) async {}

    func take(due time: Timestamp, beside sending: [DueSocialPost]) async -> [DueSocialPost] {
        let waiting = state.withLock { $0.paces.waiting(at: time) }
        let busy = Set(sending.map(\.account.key)).union(waiting)
        do {
            return try store.next(due: time, except: busy.sorted(), limit: SocialSender.atOnce - sending.count)
        } catch {
            logger.error("no post can be read", metadata: ["reason": "\(error)"])
            return []
        }
    }

    func pause(after time: Timestamp) -> Duration {
        let resumption = state.withLock { $0.paces.nextResumption(after: time) }
        let attempt = try? store.nextAttempt(after: time)
        guard let next = [resumption, attempt].compactMap(\.self).min() else { return Self.idleTime }
        return min(Self.idleTime, max(.milliseconds(1), .milliseconds(next.milliseconds - now().milliseconds)))
    }

    // MARK: - Sending

    func send(_ post: DueSocialPost) async -> SocialOutcome? {
        do {
            let listing = try await store.findListing(post)
            let content = listing.map { source.content($0, post.account.selection.language) }
            if let outcome = Self.outcome(of: post, listing, content) { return outcome }
            let outcome = try await attempt(post, listing, content)
            state.withLock { $0.paces.note(post.account, at: now()) }
            return outcome
        } catch  where Task.isCancelled || error is CancellationError {
            return nil
        } catch let failure as SocialFailure {
            var asked: Int?
            if case .busy(let seconds) = failure { asked = seconds }
            state.withLock { $0.paces.note(post.account, at: now(), asked: asked) }
            return outcome(of: failure, post, asked)
        } catch {
            logger.error("a post cannot be made", metadata: ["reason": "\(error)"])
            return retry(post, .rejected, nil)
        }
    }

    /// Returns the outcome if nothing is to be sent.
    private static func outcome(
        of post: DueSocialPost, _ listing: Listing?, _ content: SocialContent?
    ) -> SocialOutcome? {
        guard let listing, let content else { return post.posted == nil ? .absent : nil }
        guard let posted = post.posted, posted.digest == content.digest, !posted.hasOtherPhoto(than: listing) else {
            return nil
        }
        return .shown(posted)
    }

    /// - Parameter listing: nil if it is not to be shown any more, as is `content` then.
    private func attempt(
        _ post: DueSocialPost,
        _ listing: Listing?,
        _ content: SocialContent?
    ) async throws -> SocialOutcome {
        guard let token = key.open(post.token, for: .socialAccount(post.account.id)) else {
            logger.error(
                "the key of second factors is not the one that encrypted a token",
                metadata: ["account": "\(post.account.id)"]
            )
            return .failed(.token)
        }
        let client = try clients.client(post.account.address, token: String(decoding: token, as: UTF8.self))
        guard let listing, let content else {
            if let posted = post.posted { try await delete(posted, post, client) }
            return .absent
        }
        let first = listing.photos.first?.url
        guard let posted = post.posted else {
            let photo = try await source.photo(listing, post.account.selection.language)
            let id = try await client.post(
                content,
                photo,
                key: "\(post.account.id.uuidString)-\(post.listing.uuidString)-\(post.notedAt)".lowercased()
            )
            return .shown(.init(remoteID: id, digest: content.digest, photo: photo == nil ? nil : first))
        }
        if posted.hasOtherPhoto(than: listing) {
            try await delete(posted, post, client)
            return listing.content.isOpen ? .replaced : .absent
        }
        do {
            try await client.edit(posted.remoteID, content, hasPhoto: posted.photo != nil)
        } catch SocialFailure.gone {
            // Somebody has deleted it at the service.
            return .absent
        }
        return .shown(.init(remoteID: posted.remoteID, digest: content.digest, photo: posted.photo))
    }

    private func delete(
        _ posted: DueSocialPost.Posted,
        _ post: DueSocialPost,
        _ client: any SocialClient
    ) async throws {
        let words = source.withdrawn(post.account.selection.language)
        do {
            try await client.delete(posted.remoteID, orShow: words, hasPhoto: posted.photo != nil)
        } catch SocialFailure.gone {}
    }

    private func outcome(of failure: SocialFailure, _ post: DueSocialPost, _ asked: Int?) -> SocialOutcome {
        switch failure {
        case .refused(let problem): .failed(problem)
        case .rejected, .gone: .failed(.rejected)
        case .busy, .unreachable: retry(post, .unreachable, asked)
        }
    }

    private func retry(_ post: DueSocialPost, _ problem: SocialAccount.Problem, _ asked: Int?) -> SocialOutcome {
        let delay = DeliverySchedule.delay(afterAttempt: post.attempts + 1, chance: .random(in: 0...1), asked: asked)
        return delay.map { .retry(until: now().adding(seconds: $0)) } ?? .failed(problem)
    }

    // MARK: - Recording

    func settle(_ results: [(message: DueSocialPost, outcome: SocialOutcome)]) async throws {
        try await store.settle(results.map { ($0.message, $0.outcome) }, at: now())
        state.withLock { state in
            for (_, outcome) in results { state.figures.count(outcome) }
        }
    }
}

extension SocialSender.Figures {
    fileprivate mutating func count(_ outcome: SocialOutcome) {
        switch outcome {
        case .shown, .absent, .replaced: done += 1
        case .failed: failed += 1
        case .retry: break
        }
    }
}

extension DueSocialPost.Posted {
    /// Whether the listing no longer has the photo of the post, or has got its first one while the animal is missed.
    fileprivate func hasOtherPhoto(than listing: Listing) -> Bool {
        guard let photo else { return !listing.photos.isEmpty && listing.content.isOpen }
        return !listing.photos.contains { $0.url == photo }
    }
}

extension SocialContent {
    fileprivate var digest: String {
        let words = [headline] + details + [description, link] + tags + [language.rawValue]
        return Base64URL.text(Data.sha256(words.joined(separator: "\n")))
    }
}
