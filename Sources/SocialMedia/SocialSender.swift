package import Credentials
import Delivery
package import Domain
package import Logging
import ServiceLifecycle
package import Storage

/// The texts and photos of posts.
package struct SocialSource: Sendable {
    package let content: @Sendable (Listing, Language) -> SocialContent
    /// The text of a post whose listing is gone, if the service does not delete it.
    package let withdrawn: @Sendable (Language) -> String
    /// Returns nil if the listing has no photo.
    package let photo: @Sendable (Listing, Language) async throws -> SocialContent.Photo?

    package init(
        content: @escaping @Sendable (Listing, Language) -> SocialContent,
        withdrawn: @escaping @Sendable (Language) -> String,
        photo: @escaping @Sendable (Listing, Language) async throws -> SocialContent.Photo?
    ) {
        (self.content, self.withdrawn, self.photo) = (content, withdrawn, photo)
    }
}

/// Posts listings at other services, changes the posts with the listings, and deletes them.
package final class SocialSender: Service {
    /// Counts since the start.
    package struct Figures: Equatable, Sendable {
        /// The number of posts that were made, changed, deleted or found to be as they should.
        package var done = 0
        package var failed = 0
    }

    /// The most requests at once, each for another account.
    package static let atOnce = 8

    private let store: SocialPostStore
    private let queue: SocialQueue
    private let loop: DeliveryLoop<SocialQueue>

    package init(
        _ store: SocialPostStore,
        _ clients: SocialClients,
        key: SecondFactorKey,
        source: SocialSource,
        logger: Logger,
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.store = store
        queue = SocialQueue(store, clients, key: key, source: source, logger: logger, now: now)
        loop = DeliveryLoop(now: now)
    }

    package var figures: Figures { queue.figures }

    /// The number of posts that are to be made, changed or deleted.
    package var waiting: Int { get throws { try store.countWaiting() } }

    /// Looks for posts at once. Without it, they wait for up to 20 seconds.
    package func wake() { loop.wake() }

    /// A graceful shutdown ends only the requests that are being sent.
    package func run() async throws {
        await withGracefulShutdownHandler {
            await loop.run(queue)
        } onGracefulShutdown: {
            self.loop.stop()
        }
    }
}
