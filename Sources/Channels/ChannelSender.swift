package import Domain
import Logging
import OutgoingHTTP
import ServiceLifecycle
package import Storage
import Synchronization
import WebPush

/// Sends the messages in the database to browsers and webhooks, and retries when a receiver does not take them.
///
/// A message is in the database until its receiver has taken it, so that it outlives the process. After a crash, at most
/// the messages that were being sent are sent twice, with the same id.
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

    struct InFlight {
        let host: String
        /// Nil for a browser.
        let webhook: Int64?
    }

    struct State {
        var figures = Figures()
        /// By `DueEvent.key`.
        var sending: [Int64: InFlight] = [:]
        var isStopping = false
    }

    /// The maximum number of requests at once.
    package static let atOnce = 16
    /// The maximum number of them to webhooks, which users choose, so that slow ones do not delay browsers.
    static let webhooksAtOnce = 12
    static let atOncePerHost = 4

    let store: ChannelStore
    let client: HTTPSClient
    let settings: ChannelSettings
    let subject: String
    let now: @Sendable () -> Timestamp
    let onDisabled: @Sendable (DisabledWebhook) -> Void
    let state = Mutex(State())
    /// Tells the sender to look for messages that are due.
    let signals: AsyncStream<Void>
    let signal: AsyncStream<Void>.Continuation

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
        (self.store, self.settings, self.subject) = (store, settings, subject)
        (self.now, self.onDisabled) = (now, onDisabled)
        client = HTTPSClient(settings.outgoing, resolver: settings.resolver)
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package var figures: Figures { state.withLock(\.figures) }

    /// The number of messages that are neither sent nor given up.
    package var waiting: Int { get throws { try store.countWaiting() } }

    /// Sends the messages at once that were stored with `ChannelStore.appendPush` or `appendToWebhooks`.
    /// Without it, they wait for up to half a minute.
    package func wake() { signal.yield() }

    /// Sends what is stored. A graceful shutdown ends only the requests that are being sent.
    package func run() async throws {
        await withGracefulShutdownHandler {
            await sendStored()
        } onGracefulShutdown: {
            self.state.withLock { $0.isStopping = true }
            self.signal.finish()
        }
    }
}
