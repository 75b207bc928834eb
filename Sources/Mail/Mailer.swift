import Delivery
package import Domain
package import Logging
import ServiceLifecycle
package import Storage
import Synchronization

/// Sends the mails in the database independently of the requests that cause them, and retries when a server does not
/// accept them at once.
///
/// A mail is in the database from the moment at which its text is known until the mail server has accepted it, so that
/// it outlives the process. After a crash, at most the mails that were being sent are sent twice: as many as there are
/// connections.
package final class Mailer: Service {
    /// Creates a message soon after it was posted; returns nil if no message is needed. The deferred creation prevents
    /// clients from learning by the response time whether there was a message to send. It is called again if it throws.
    package typealias Draft = @Sendable () async throws -> MailMessage?

    /// Counts since the start.
    package struct Figures: Sendable {
        package var sent = 0
        /// The number of messages that were given up.
        package var failed = 0
        /// The number of messages that were rejected because too many were waiting.
        package var refused = 0
        /// The number of messages that are neither sent nor given up yet.
        package var waiting = 0
    }

    private struct State {
        /// The number of drafts that failed.
        var failed = 0
        var refused = 0
        /// The number of drafts that are not in the database yet.
        var drafts = 0
        var isStopping = false
    }

    private let store: OutgoingMailStore
    private let sending: MailQueue
    private let loop: DeliveryLoop<MailQueue>
    private let pauses: [Duration]
    private let logger: Logger
    private let now: @Sendable () -> Timestamp
    private let state = Mutex(State())
    private let maxDrafts: Int
    private let drafts: AsyncStream<Draft>
    private let queue: AsyncStream<Draft>.Continuation

    /// - Parameters:
    ///   - from: the sender's address.
    ///   - maxDrafts: the maximum number of mails that are not in the database yet.
    package init(
        _ transport: any MailTransport,
        store: OutgoingMailStore,
        from: MailAddress,
        maxDrafts: Int = 1000,
        settings: MailSettings = MailSettings(),
        logger: Logger,
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        (self.store, self.maxDrafts, self.logger, self.now) = (store, maxDrafts, logger, now)
        pauses = settings.pauses
        sending = MailQueue(transport, store, from: from, settings, logger: logger, now: now)
        loop = DeliveryLoop(now: now)
        (drafts, queue) = AsyncStream.makeStream()
    }

    package var figures: Figures {
        get throws {
            // The drafts are counted first: a mail that is stored meanwhile counts twice rather than not at all.
            let drafts = state.withLock(\.drafts)
            let stored = try store.count()
            let counts = sending.counts
            return state.withLock { state in
                Figures(
                    sent: counts.sent,
                    failed: counts.failed + state.failed,
                    refused: state.refused,
                    waiting: drafts + stored
                )
            }
        }
    }

    var isStopping: Bool { state.withLock(\.isStopping) }

    /// Sends the mails at once that were stored with `OutgoingMailStore.append`. Without it, they wait for up to half a
    /// minute.
    package func wake() { loop.wake() }

    /// Queues an e-mail. Returns false if too many are waiting.
    @discardableResult
    package func post(_ draft: @escaping Draft) -> Bool {
        let isTaken = state.withLock { state in
            guard state.drafts < maxDrafts, !sending.isFull else {
                state.refused += 1
                return false
            }
            state.drafts += 1
            return true
        }
        if isTaken { queue.yield(draft) } else { logger.error("a mail was not taken: too many are waiting") }
        return isTaken
    }

    @discardableResult
    package func post(_ message: MailMessage) -> Bool { post { message } }

    /// Stores what was posted and sends what is stored. A graceful shutdown ends only the mails that are being sent, and
    /// stores the drafts.
    package func run() async throws {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.storeDrafts() }
                group.addTask { await self.loop.run(self.sending) }
            }
        } onGracefulShutdown: {
            self.state.withLock { $0.isStopping = true }
            self.queue.finish()
            self.loop.stop()
        }
    }

    private func storeDrafts() async {
        await withDiscardingTaskGroup { group in
            for await draft in drafts { group.addTask { await self.store(draft) } }
        }
    }

    private func store(_ draft: Draft) async {
        for pause in pauses.map(Optional.some) + [nil] {
            do {
                if let message = try await draft() { try await store.append(message, at: now()) }
                end { _ in }
                return wake()
            } catch let error as ServiceError where error == OutgoingMailStore.full {
                logger.error("a mail was not taken: too many are waiting")
                sending.noteFull()
                return end { $0.refused += 1 }
            } catch {
                let isOver = pause == nil || isStopping || Task.isCancelled
                // The log contains neither the recipient nor the text.
                logger.error("a mail was not stored", metadata: ["reason": "\(error)", "is_given_up": "\(isOver)"])
                guard let pause, !isOver, (try? await Task.sleep(for: pause)) != nil else {
                    return end { $0.failed += 1 }
                }
            }
        }
    }

    /// Ends the draft that was stored or given up.
    private func end(_ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            state.drafts -= 1
        }
    }
}
