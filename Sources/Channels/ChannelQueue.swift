import Delivery
import Domain
import Logging
import OutgoingHTTP
import Storage
import Synchronization
import WebPush
import Webhooks

extension DueEvent: StoredMessage {}

/// The messages to browsers and webhooks in the database, and the pace at which hosts take them.
final class ChannelQueue: DeliveryQueue {
    /// The time after which messages are looked for without a signal.
    private static let idleTime = Duration.seconds(30)

    private struct State {
        var figures = ChannelSender.Figures()
        var paces = Paces()
    }

    private let store: ChannelStore
    private let client: HTTPSClient
    private let settings: ChannelSettings
    private let tokens: VAPIDTokens
    private let now: @Sendable () -> Timestamp
    private let onDisabled: @Sendable (DisabledWebhook) -> Void
    private let state = Mutex(State())

    init(
        _ store: ChannelStore,
        _ settings: ChannelSettings,
        subject: String,
        now: @escaping @Sendable () -> Timestamp,
        onDisabled: @escaping @Sendable (DisabledWebhook) -> Void
    ) {
        (self.store, self.settings, self.now, self.onDisabled) = (store, settings, now, onDisabled)
        tokens = VAPIDTokens(settings.key, subject: subject)
        client = HTTPSClient(settings.outgoing, resolver: settings.resolver)
    }

    var figures: ChannelSender.Figures { state.withLock(\.figures) }

    var isLeader: Bool { store.isLeader }

    func rest() {}

    func checkSubject() {
        guard !VAPIDKey.isAccepted(tokens.subject) else { return }
        settings.logger.notice("some push services take no messages: contact or base-url has no public domain")
    }

    func note(_ error: any Error) {
        settings.logger.error("messages were not recorded as sent or failed", metadata: ["reason": "\(error)"])
    }

    // MARK: - Taking

    func removeExpired(at time: Timestamp, except keys: [Int64]) async {
        do {
            let count = try await store.removeExpired(at: time, except: keys)
            if count > 0 { settings.logger.warning("messages are too old", metadata: ["count": "\(count)"]) }
            state.withLock { $0.figures.expired += count }
        } catch {
            settings.logger.error("old messages were not deleted", metadata: ["reason": "\(error)"])
        }
    }

    func take(due time: Timestamp, beside sending: [DueEvent]) async -> [DueEvent] {
        let loads = Dictionary(grouping: sending, by: \.target).mapValues(\.count)
        let paces = state.withLock(\.paces)
        let busy = paces.busy(loads, at: time)
        let webhooks = sending.compactMap(\.webhook)
        let room = ChannelRoom(
            messages: sending.map(\.key),
            webhooks: webhooks,
            busyPushServices: busy.filter(\.isPushService).map(\.name),
            busyWebhookHosts: busy.filter { !$0.isPushService }.map(\.name),
            forPush: ChannelSender.pushAtOnce - (sending.count - webhooks.count),
            forWebhooks: ChannelSender.webhooksAtOnce - webhooks.count
        ) { host, isPushService in
            let host = Paces.Host(name: host, isPushService: isPushService)
            return paces[host].room(beside: loads[host] ?? 0, at: time)
        }
        do { return try store.next(due: time, room) } catch {
            settings.logger.error("no message can be read", metadata: ["reason": "\(error)"])
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

    func send(_ event: DueEvent) async -> AttemptResult? {
        let begin = ContinuousClock.now
        do {
            let answer = try await client.send(request(for: event))
            return result(of: event, answer, after: begin.duration(to: .now))
        } catch  where Task.isCancelled || error is CancellationError {
            return nil
        } catch let failure as OutgoingFailure {
            state.withLock { state in
                if failure == .tooSlow {
                    state.paces[event.target].reduce(at: now())
                } else {
                    state.paces[event.target].miss(at: now())
                }
            }
            return retry(event, .init(failure))
        } catch {
            // The address or the keys cannot be read: another attempt would fail too.
            settings.logger.error("a message cannot be sent", metadata: ["reason": "\(error)"])
            return .failed(.unreachable, until: nil, isForAll: false)
        }
    }

    private func request(for event: DueEvent) throws -> OutgoingRequest {
        let time = Double(now().milliseconds) / 1000
        let payload = Array(event.payload.utf8)
        switch event.receiver {
        case .device(_, let endpoint, let p256dh, let auth):
            let device = try PushSubscription(
                endpoint: endpoint,
                p256dh: p256dh,
                auth: auth,
                settings: settings.outgoing
            )
            let rest = max(0, Int(Double(event.expiresAt.milliseconds) / 1000 - time))
            let message = try PushMessage(
                payload,
                timeToLive: min(rest, PushMessage.maxTimeToLive),
                urgency: event.urgency,
                topic: event.topic
            )
            return try message.request(to: device, authorization: tokens.token(for: device.endpoint, now: time))
        case .webhook(_, let url, let secrets):
            let headers = WebhookSignature.headers(
                id: event.id.uuidString.lowercased(),
                time: Int(time),
                body: payload,
                secrets: try secrets.map { try WebhookSecret(parsing: $0) }
            )
            return OutgoingRequest(
                try OutgoingURL(url, settings: settings.outgoing),
                body: payload,
                headers: headers + [(name: "Content-Type", value: "application/json")]
            )
        }
    }

    private func result(of event: DueEvent, _ answer: OutgoingAnswer, after duration: Duration) -> AttemptResult {
        let seconds = Double(now().milliseconds) / 1000
        guard event.webhook == nil else {
            // An answer of a webhook slows down only this webhook, because its host may have those of others.
            state.withLock { $0.paces[event.target].grow(after: duration) }
            if DeliverySchedule.isDelivered(status: answer.status) { return .delivered }
            guard answer.status != 410 else { return .failed(.gone, until: nil, isForAll: false) }
            return retry(event, .refused, after: answer.retryAfter(now: seconds))
        }
        let outcome = PushOutcome(answer, now: seconds)
        state.withLock { state in
            if case .retry(let pause) = outcome {
                state.paces[event.target].reduce(at: now(), after: pause)
            } else {
                state.paces[event.target].grow(after: duration)
            }
        }
        switch outcome {
        case .accepted: return .delivered
        case .gone: return .ended
        case .retry(let pause): return retry(event, .refused, after: pause)
        case .tooLarge: return .failed(.refused, until: nil, isForAll: false)
        case .refused(let status):
            settings.logger.error("a push service refuses messages", metadata: ["status": "\(status)"])
            return .failed(.refused, until: nil, isForAll: false)
        }
    }

    /// - Parameter asked: the seconds for which the receiver asked to send nothing.
    private func retry(_ event: DueEvent, _ outcome: Webhook.Outcome, after asked: Int? = nil) -> AttemptResult {
        let delay = DeliverySchedule.delay(afterAttempt: event.attempts + 1, chance: .random(in: 0...1), asked: asked)
        return .failed(outcome, until: delay.map { now().adding(seconds: $0) }, isForAll: asked != nil)
    }

    // MARK: - Recording

    func settle(_ results: [(message: DueEvent, outcome: AttemptResult)]) async throws {
        let time = now()
        let disabled = try await store.settle(results.map { ($0.message, $0.outcome) }, at: time) { begin in
            DeliverySchedule.isDisabled(
                failingSince: Double(begin.milliseconds) / 1000,
                now: Double(time.milliseconds) / 1000
            )
        }
        state.withLock { state in
            for (event, outcome) in results { state.figures.count(event, outcome) }
        }
        disabled.forEach(onDisabled)
    }
}

extension ChannelSender.Figures {
    fileprivate mutating func count(_ event: DueEvent, _ result: AttemptResult) {
        switch (event.webhook == nil, result) {
        case (true, .delivered): pushSent += 1
        case (false, .delivered): webhookSent += 1
        case (_, .failed(_, until: .some, isForAll: _)): break
        case (true, _): pushFailed += 1
        case (false, _): webhookFailed += 1
        }
    }
}
