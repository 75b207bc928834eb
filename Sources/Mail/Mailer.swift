package import Domain
package import Logging
import ServiceLifecycle
package import Storage
import Synchronization

/// Sends the mails in the database independently of the requests that cause them, and retries when a server does not
/// accept them at once.
///
/// A mail is in the database from the moment at which its text is known until the mail server has accepted it, so that
/// it outlives the process. After a crash, at most the mails that were being sent are sent twice.
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

    struct State {
        var figures = Figures()
        /// The number of drafts that are not in the database yet.
        var drafts = 0
        /// Whether the last draft found too many mails in the database.
        var isFull = false
        /// The recipients' domains of the mails that are being sent, by `OutgoingMail.key`.
        var sending: [Int64: String] = [:]
        /// The number of failures of the mail server since it last took a mail.
        var serverFailures = 0
        /// The time until which the mail server is left alone.
        var resumesAt: ContinuousClock.Instant?
        var isStopping = false
    }

    /// The maximum number of mails that are sent at once.
    package static let atOnce = 4
    /// The maximum number of them to one domain, so that a slow one does not delay the others.
    static let atOncePerDomain = 2

    let transport: any MailTransport
    let store: OutgoingMailStore
    let from: MailAddress
    let pauses: [Duration]
    let logger: Logger
    let now: @Sendable () -> Timestamp
    let state = Mutex(State())
    /// Tells the sender to look for mails that are due.
    let signals: AsyncStream<Void>
    let signal: AsyncStream<Void>.Continuation
    private let maxDrafts: Int
    private let drafts: AsyncStream<Draft>
    private let queue: AsyncStream<Draft>.Continuation

    /// The usual intervals between attempts: servers that use greylisting accept a message after some minutes.
    package static let usualPauses: [Duration] = [
        .seconds(15), .seconds(60), .seconds(300), .seconds(1200), .seconds(3600),
    ]

    /// - Parameters:
    ///   - from: the sender's address.
    ///   - maxDrafts: the maximum number of mails that are not in the database yet.
    ///   - pauses: the pause before each further attempt.
    package init(
        _ transport: any MailTransport,
        store: OutgoingMailStore,
        from: MailAddress,
        maxDrafts: Int = 1000,
        pauses: [Duration] = usualPauses,
        logger: Logger,
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.transport = transport
        self.store = store
        self.from = from
        self.maxDrafts = maxDrafts
        self.pauses = pauses
        self.logger = logger
        self.now = now
        (drafts, queue) = AsyncStream.makeStream()
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package var figures: Figures {
        get throws {
            // The drafts are counted first: a mail that is stored meanwhile counts twice rather than not at all.
            let drafts = state.withLock(\.drafts)
            let stored = try store.count()
            var figures = state.withLock(\.figures)
            figures.waiting = drafts + stored
            return figures
        }
    }

    /// Sends the mails at once that were stored with `OutgoingMailStore.append`. Without it, they wait for up to half a
    /// minute.
    package func wake() { signal.yield() }

    /// Queues an e-mail. Returns false if too many are waiting.
    @discardableResult
    package func post(_ draft: @escaping Draft) -> Bool {
        let isTaken = state.withLock { state in
            guard state.drafts < maxDrafts, !state.isFull else {
                state.figures.refused += 1
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
                group.addTask { await self.sendStored() }
            }
        } onGracefulShutdown: {
            self.state.withLock { $0.isStopping = true }
            self.queue.finish()
            self.signal.finish()
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
                return end { state in
                    state.figures.refused += 1
                    state.isFull = true
                }
            } catch {
                let isOver = pause == nil || state.withLock(\.isStopping) || Task.isCancelled
                // The log contains neither the recipient nor the text.
                logger.error("a mail was not stored", metadata: ["reason": "\(error)", "is_given_up": "\(isOver)"])
                guard let pause, !isOver, (try? await Task.sleep(for: pause)) != nil else {
                    return end { $0.figures.failed += 1 }
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
