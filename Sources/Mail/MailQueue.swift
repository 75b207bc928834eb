import Delivery
import Domain
import Foundation
import Logging
import Storage
import Synchronization

extension OutgoingMail: StoredMessage {}

/// The result of an attempt to send a mail.
enum MailOutcome: Sendable {
    case sent
    case givenUp
    /// The attempt counts, and the next one is at this time.
    case postponed(until: Timestamp)
    /// The mail server takes no mails, so that the attempt does not count.
    case serverFailed
}

/// The mails in the database, and the pace at which the mail server gets them.
final class MailQueue: DeliveryQueue {
    /// The time after which mails are looked for without a signal: those that another process stored.
    private static let idleTime = Duration.seconds(30)
    /// The longest time for which a mail server that fails is left alone.
    private static let maxServerPause = Duration.seconds(300)

    private struct State {
        var sent = 0
        var failed = 0
        /// Whether there was no room for a further mail since the last ones were removed.
        var isFull = false
        var rate: SendingRate
        /// The number of failures of the mail server since it last took a mail.
        var serverFailures = 0
        /// The time until which the mail server is left alone.
        var resumesAt: ContinuousClock.Instant?
    }

    private let transport: any MailTransport
    private let store: OutgoingMailStore
    private let from: MailAddress
    private let settings: MailSettings
    private let logger: Logger
    private let now: @Sendable () -> Timestamp
    private let state: Mutex<State>

    init(
        _ transport: any MailTransport,
        _ store: OutgoingMailStore,
        from: MailAddress,
        _ settings: MailSettings,
        logger: Logger,
        now: @escaping @Sendable () -> Timestamp
    ) {
        (self.transport, self.store, self.from, self.settings) = (transport, store, from, settings)
        (self.logger, self.now) = (logger, now)
        state = Mutex(State(rate: SendingRate(perSecond: settings.rate)))
    }

    /// The numbers of mails that were sent and that were given up.
    var counts: (sent: Int, failed: Int) { state.withLock { ($0.sent, $0.failed) } }

    var isFull: Bool { state.withLock(\.isFull) }

    func noteFull() { state.withLock { $0.isFull = true } }

    var isLeader: Bool { store.isLeader }

    func rest() { transport.rest() }

    func note(_ error: any Error) {
        logger.error("mails were not recorded as sent or failed", metadata: ["reason": "\(error)"])
    }

    // MARK: - Taking

    func removeExpired(at time: Timestamp, except keys: [Int64]) async {
        do {
            let count = try await store.removeExpired(at: time, except: keys)
            if count > 0 { logger.error("mails were given up: they are too old", metadata: ["count": "\(count)"]) }
            state.withLock { state in
                state.failed += count
                state.isFull = false
            }
        } catch {
            logger.error("old mails were not deleted", metadata: ["reason": "\(error)"])
        }
    }

    func take(due time: Timestamp, beside sending: [OutgoingMail]) async -> [OutgoingMail] {
        let room = state.withLock { state in
            if let end = state.resumesAt, end <= .now { state.resumesAt = nil }
            return state.resumesAt == nil ? min(settings.connections - sending.count, state.rate.room()) : 0
        }
        do {
            let mails = try await next(due: time, beside: sending, room)
            state.withLock { $0.rate.use(mails.count) }
            return mails
        } catch {
            logger.error("no mail can be read", metadata: ["reason": "\(error)"])
            return []
        }
    }

    /// A domain gets at most half of the connections, so that a slow one does not delay the others.
    private func next(due time: Timestamp, beside sending: [OutgoingMail], _ room: Int) async throws -> [OutgoingMail] {
        let most = max(1, settings.connections / 2)
        var taken: [OutgoingMail] = []
        while taken.count < room {
            let known = sending + taken
            let loads = Dictionary(grouping: known, by: \.domain).mapValues(\.count)
            var rests = loads.mapValues { most - $0 }
            let limit = room - taken.count
            let found = try store.next(
                due: time,
                except: known.map(\.key),
                domains: rests.filter { $0.value <= 0 }.keys,
                limit: limit
            )
            try await giveUp(found)
            for case .success(let mail) in found where rests[mail.domain, default: most] > 0 {
                rests[mail.domain, default: most] -= 1
                taken.append(mail)
            }
            if found.count < limit { break }
        }
        return taken
    }

    private func giveUp(_ found: [Result<OutgoingMail, UnreadableMail>]) async throws {
        let damaged = found.compactMap { if case .failure(let mail) = $0 { mail } else { nil } }
        guard !damaged.isEmpty else { return }
        for mail in damaged {
            logger.error("a mail was given up: it cannot be read", metadata: ["reason": "\(mail.cause)"])
        }
        try await store.settle(removing: damaged.map(\.key))
        state.withLock { $0.failed += damaged.count }
    }

    func pause(after time: Timestamp) -> Duration {
        let (end, pause) = state.withLock { ($0.resumesAt, $0.rate.pause) }
        if let end { return max(.milliseconds(1), end - .now) }
        if pause > .zero { return max(.milliseconds(1), pause) }
        guard let next = try? store.nextAttempt(after: time) else { return Self.idleTime }
        return min(Self.idleTime, max(.milliseconds(1), .milliseconds(next.milliseconds - now().milliseconds)))
    }

    // MARK: - Sending

    func send(_ mail: OutgoingMail) async -> MailOutcome? {
        let time = Date(timeIntervalSince1970: Double(mail.createdAt.milliseconds) / 1000)
        do {
            try await transport.send(MIMEMessage(mail.message, from: from, id: mail.id, at: time))
            state.withLock { state in
                state.sent += 1
                state.serverFailures = 0
            }
            return .sent
        } catch  where Task.isCancelled || error is CancellationError {
            return nil
        } catch {
            return outcome(of: mail, error)
        }
    }

    private func outcome(of mail: OutgoingMail, _ error: any Error) -> MailOutcome {
        let failure = error as? MailFailure
        if failure?.isOfServer == true {
            leaveServerAlone(error)
            return .serverFailed
        }
        let isOver = failure?.isPermanent == true || mail.attempts >= settings.pauses.count
        // The log contains neither the recipient nor the text.
        logger.error("a mail was not sent", metadata: ["reason": "\(error)", "is_given_up": "\(isOver)"])
        guard isOver else {
            return .postponed(until: now().adding(seconds: settings.pauses[mail.attempts] / .seconds(1)))
        }
        state.withLock { $0.failed += 1 }
        return .givenUp
    }

    /// Pauses all mails. Their attempts are not used up meanwhile.
    private func leaveServerAlone(_ error: any Error) {
        let pauses = settings.pauses
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

    // MARK: - Recording

    func settle(_ results: [(message: OutgoingMail, outcome: MailOutcome)]) async throws {
        var (sent, removed, postponed): ([Int64], [Int64], [(key: Int64, until: Timestamp)]) = ([], [], [])
        for (mail, outcome) in results {
            switch outcome {
            case .sent: sent.append(mail.key)
            case .givenUp: removed.append(mail.key)
            case .postponed(let time): postponed.append((mail.key, time))
            case .serverFailed: break
            }
        }
        guard !sent.isEmpty || !removed.isEmpty || !postponed.isEmpty else { return }
        try await store.settle(sent: sent, removing: removed, postponing: postponed, at: now())
        state.withLock { $0.isFull = false }
    }
}
