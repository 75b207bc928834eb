import Foundation
package import Logging
import ServiceLifecycle
import Synchronization

/// Sends e-mails independently of the requests that cause them, and retries when a server does not accept them at once.
///
/// The queue is only in memory. E-mails in it are lost when the service stops; their recipients have to request them
/// again.
package final class Mailer: Service {
    /// Creates a message when it is to be sent; returns nil if no message is needed. The deferred creation prevents
    /// clients from learning by the response time whether there was a message to send. It is called again for each
    /// attempt.
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

    private let transport: any MailTransport
    private let from: MailAddress
    private let maxWaiting: Int
    private let pauses: [Duration]
    private let logger: Logger
    private let drafts: AsyncStream<Draft>
    private let queue: AsyncStream<Draft>.Continuation
    private let counts = Mutex(Figures())

    /// The usual intervals between attempts: servers that use greylisting accept a message after some minutes.
    package static let usualPauses: [Duration] = [
        .seconds(15), .seconds(60), .seconds(300), .seconds(1200), .seconds(3600),
    ]

    /// - Parameters:
    ///   - from: the sender's address.
    ///   - maxWaiting: the maximum number of waiting messages.
    ///   - pauses: the pause before each further attempt.
    package init(
        _ transport: any MailTransport,
        from: MailAddress,
        maxWaiting: Int = 1000,
        pauses: [Duration] = usualPauses,
        logger: Logger
    ) {
        self.transport = transport
        self.from = from
        self.maxWaiting = maxWaiting
        self.pauses = pauses
        self.logger = logger
        (drafts, queue) = AsyncStream.makeStream()
    }

    package var figures: Figures { counts.withLock(\.self) }

    /// Queues an e-mail. Returns false if too many are waiting.
    @discardableResult
    package func post(_ draft: @escaping Draft) -> Bool {
        let isTaken = counts.withLock { counts in
            guard counts.waiting < maxWaiting else {
                counts.refused += 1
                return false
            }
            counts.waiting += 1
            return true
        }
        if isTaken { queue.yield(draft) } else { logger.error("a mail was not taken: too many are waiting") }
        return isTaken
    }

    @discardableResult
    package func post(_ message: MailMessage) -> Bool { post { message } }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for await draft in self.drafts { group.addTask { await self.deliver(draft) } }
            }
        }
    }

    private func deliver(_ draft: Draft) async {
        var letter: MIMEMessage?
        for pause in pauses.map(Optional.some) + [nil] {
            do {
                if letter == nil {
                    guard let message = try await draft() else { return end(\.waiting, by: 0) }
                    letter = MIMEMessage(message, from: from)
                }
                if let letter { try await transport.send(letter) }
                return end(\.sent)
            } catch {
                // The service is stopping: queued messages are lost.
                guard !Task.isCancelled else { return end(\.failed) }
                let isOver = pause == nil || (error as? MailFailure)?.isPermanent == true
                // The log contains neither the recipient nor the text.
                logger.error("a mail was not sent", metadata: ["reason": "\(error)", "is_given_up": "\(isOver)"])
                guard let pause, !isOver, (try? await Task.sleep(for: pause)) != nil else { return end(\.failed) }
            }
        }
    }

    private func end(_ count: WritableKeyPath<Figures, Int>, by amount: Int = 1) {
        counts.withLock { counts in
            counts[keyPath: count] += amount
            counts.waiting -= 1
        }
    }
}
