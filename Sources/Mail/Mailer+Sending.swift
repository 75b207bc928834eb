import Domain
import Foundation
import Storage

/// The sender of the mails in the database.
extension Mailer {
    /// The time after which the sender looks for mails without being told to: those that another process stored.
    private static let idleTime = Duration.seconds(30)
    /// The longest time for which a mail server that fails is left alone.
    private static let maxServerPause = Duration.seconds(300)

    /// Sends mails until the service stops, and returns when none is being sent any more.
    func sendStored() async {
        await withDiscardingTaskGroup { group in
            var timer: Task<Void, Never>?
            wake()
            for await _ in signals {
                let time = now()
                guard store.isLeader else { continue }
                await removeExpired(at: time)
                while let mail = await take(due: time) { group.addTask { await self.deliver(mail) } }
                if state.withLock(\.sending.isEmpty) { transport.rest() }
                let pause = pauseUntilNext(after: time)
                timer?.cancel()
                timer = Task { if (try? await Task.sleep(for: pause)) != nil { self.wake() } }
            }
            timer?.cancel()
        }
        transport.rest()
    }

    private func removeExpired(at time: Timestamp) async {
        do {
            let count = try await store.removeExpired(at: time, except: state.withLock { Array($0.sending.keys) })
            if count > 0 { logger.error("mails were given up: they are too old", metadata: ["count": "\(count)"]) }
            state.withLock { state in
                state.figures.failed += count
                state.isFull = false
            }
        } catch {
            logger.error("old mails were not deleted", metadata: ["reason": "\(error)"])
        }
    }

    /// Returns the next mail to send, or nil if none is due or no more can be sent at present.
    private func take(due time: Timestamp) async -> OutgoingMail? {
        let (sending, isReady) = state.withLock { state in
            if let end = state.resumesAt, end <= .now { state.resumesAt = nil }
            return (state.sending, !state.isStopping && state.resumesAt == nil)
        }
        guard isReady, sending.count < Self.atOnce, !Task.isCancelled else { return nil }
        let loads = Dictionary(grouping: sending.values) { $0 }
        let busy = loads.filter { $0.value.count >= Self.atOncePerDomain }.keys
        do {
            guard let mail = try store.next(due: time, except: sending.keys, domains: busy) else { return nil }
            state.withLock { $0.sending[mail.key] = mail.domain }
            return mail
        } catch let mail as UnreadableMail {
            logger.error("a mail was given up: it cannot be read", metadata: ["reason": "\(mail.cause)"])
            state.withLock { $0.figures.failed += 1 }
            await settle { try await self.store.remove(mail.key) }
            return await take(due: time)
        } catch {
            logger.error("no mail can be read", metadata: ["reason": "\(error)"])
            return nil
        }
    }

    private func pauseUntilNext(after time: Timestamp) -> Duration {
        if let end = state.withLock(\.resumesAt) { return max(.milliseconds(1), end - .now) }
        guard let next = try? store.nextAttempt(after: time) else { return Self.idleTime }
        return min(Self.idleTime, max(.milliseconds(1), .milliseconds(next.milliseconds - now().milliseconds)))
    }

    private func deliver(_ mail: OutgoingMail) async {
        let time = Date(timeIntervalSince1970: Double(mail.createdAt.milliseconds) / 1000)
        do {
            try await transport.send(MIMEMessage(mail.message, from: from, id: mail.id, at: time))
            state.withLock { state in
                state.figures.sent += 1
                state.serverFailures = 0
            }
            await settle { try await self.store.remove(mail.key) }
        } catch {
            await fail(mail, error)
        }
        state.withLock { state in
            state.sending[mail.key] = nil
            state.isFull = false
        }
        wake()
    }

    private func fail(_ mail: OutgoingMail, _ error: any Error) async {
        // The service is stopping: the mail is sent after the next start.
        guard !Task.isCancelled, !(error is CancellationError) else { return }
        let failure = error as? MailFailure
        if failure?.isOfServer == true { return leaveServerAlone(error) }
        let isOver = failure?.isPermanent == true || mail.attempts >= pauses.count
        // The log contains neither the recipient nor the text.
        logger.error("a mail was not sent", metadata: ["reason": "\(error)", "is_given_up": "\(isOver)"])
        if isOver {
            state.withLock { $0.figures.failed += 1 }
            await settle { try await self.store.remove(mail.key) }
        } else {
            let next = now().adding(seconds: pauses[mail.attempts] / .seconds(1))
            await settle { try await self.store.postpone(mail, until: next) }
        }
    }

    /// Pauses all mails: the server takes none from us at present. Their attempts are not used up meanwhile.
    private func leaveServerAlone(_ error: any Error) {
        let pause: Duration? = state.withLock { state in
            guard state.resumesAt == nil else { return nil }
            let pause = pauses.isEmpty ? Self.maxServerPause : pauses[min(state.serverFailures, pauses.count - 1)]
            state.serverFailures += 1
            state.resumesAt = .now + min(pause, Self.maxServerPause)
            return pause
        }
        if let pause {
            logger.error("the mail server takes no mails", metadata: ["reason": "\(error)", "pause": "\(pause)"])
        }
    }

    /// Records what became of a mail. A database that fails must not cause the mail to be sent again, so that this waits
    /// until it can be written to.
    private func settle(_ body: () async throws -> Void) async {
        while true {
            do { return try await body() } catch {
                logger.error("a mail was not recorded as sent or failed", metadata: ["reason": "\(error)"])
                guard !Task.isCancelled, (try? await Task.sleep(for: .seconds(1))) != nil else { return }
            }
        }
    }
}
