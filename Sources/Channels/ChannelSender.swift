import Delivery
package import Domain
import ServiceLifecycle
package import Storage

/// Sends the messages in the database to browsers and webhooks, and retries when a receiver does not take them.
///
/// After a crash, at most the messages that were being sent are sent twice, with the same id.
package final class ChannelSender: Service {
    /// Counts since the start.
    package struct Figures: Equatable, Sendable {
        package var pushSent = 0
        /// The number of messages that were given up.
        package var pushFailed = 0
        package var webhookSent = 0
        package var webhookFailed = 0
        /// The number of messages that were too old, of both kinds.
        package var expired = 0
    }

    /// The maximum number of messages to browsers at once.
    package static let pushAtOnce = 100
    /// The maximum number of messages to webhooks, which users choose, so that slow ones do not delay browsers.
    package static let webhooksAtOnce = 64

    private let store: ChannelStore
    private let queue: ChannelQueue
    private let loop: DeliveryLoop<ChannelQueue>

    /// - Parameters:
    ///   - subject: an address at which push services reach the operator, `mailto:` or `https:`.
    ///   - onDisabled: is told of webhooks whose receivers take nothing.
    package init(
        _ store: ChannelStore,
        _ settings: ChannelSettings,
        subject: String,
        now: @escaping @Sendable () -> Timestamp = { .now },
        onDisabled: @escaping @Sendable (DisabledWebhook) -> Void = { _ in }
    ) {
        self.store = store
        queue = ChannelQueue(store, settings, subject: subject, now: now, onDisabled: onDisabled)
        loop = DeliveryLoop(now: now)
    }

    package var figures: Figures { queue.figures }

    /// The number of messages that are neither sent nor given up.
    package var waiting: Int { get throws { try store.countWaiting() } }

    /// Sends the messages at once that were stored with `ChannelStore.appendPush` or `appendToWebhooks`.
    /// Without it, they wait for up to half a minute.
    package func wake() { loop.wake() }

    /// Sends what is stored. A graceful shutdown ends only the requests that are being sent.
    package func run() async throws {
        queue.checkSubject()
        await withGracefulShutdownHandler {
            await loop.run(queue)
        } onGracefulShutdown: {
            self.loop.stop()
        }
    }
}
