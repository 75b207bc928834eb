import Foundation
package import Logging
import ServiceLifecycle
import Synchronization

/// Sends mails apart from the requests that they are due to, and again where a server does not take them at once.
///
/// What waits is in memory alone: where the service ends meanwhile it is lost, and whoever waits for it asks again.
package final class Mailer: Service {
    /// Makes the message when its turn comes, so that nobody learns from the time of an answer whether there was one to send; nil where
    /// there is none. It is made again where it fails.
    package typealias Draft = @Sendable () async throws -> MailMessage?

    /// Since the start.
    package struct Figures: Sendable {
        package var sent = 0
        /// Given up.
        package var failed = 0
        /// Not taken, because too many were waiting.
        package var refused = 0
        /// Not yet sent, given up, or found to be none.
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

    /// As mail servers want to be asked again: those that greylist take a mail after some minutes.
    package static let usualPauses: [Duration] = [
        .seconds(15), .seconds(60), .seconds(300), .seconds(1200), .seconds(3600),
    ]

    /// - Parameters:
    ///   - from: who the mails come from.
    ///   - mostWaiting: how many may wait.
    ///   - pauses: before each further attempt.
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

    /// Takes a mail to send; false where too many are waiting.
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
                // The service ends: what waits is lost.
                guard !Task.isCancelled else { return end(\.failed) }
                let isOver = pause == nil || (error as? MailFailure)?.isPermanent == true
                // Neither whom it was for nor what it said.
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
