import Domain
import Logging
import OutgoingHTTP
import Storage
import WebPush
import Webhooks

extension ChannelSender {
    /// The time after which the sender looks for messages without being told to.
    private static let idleTime = Duration.seconds(30)

    /// Sends messages until the service stops, and returns when none is being sent any more.
    func sendStored() async {
        await withDiscardingTaskGroup { group in
            var timer: Task<Void, Never>?
            wake()
            for await _ in signals {
                let time = now()
                guard store.isLeader else { continue }
                await removeExpired(at: time)
                while true {
                    let events = take(due: time)
                    guard !events.isEmpty else { break }
                    for event in events { group.addTask { await self.deliver(event) } }
                }
                let pause = pauseUntilNext(after: time)
                timer?.cancel()
                timer = Task { if (try? await Task.sleep(for: pause)) != nil { self.wake() } }
            }
            timer?.cancel()
        }
    }

    private func removeExpired(at time: Timestamp) async {
        do {
            let count = try await store.removeExpired(at: time, except: state.withLock { Array($0.sending.keys) })
            if count > 0 { settings.logger.warning("messages are too old", metadata: ["count": "\(count)"]) }
            state.withLock { $0.figures.expired += count }
        } catch {
            settings.logger.error("old messages were not deleted", metadata: ["reason": "\(error)"])
        }
    }

    /// Returns at most one message for each host that can be sent now.
    private func take(due time: Timestamp) -> [DueEvent] {
        let (sending, isStopping) = state.withLock { ($0.sending, $0.isStopping) }
        let free = Self.atOnce - sending.count
        guard !isStopping, free > 0, !Task.isCancelled else { return [] }
        let webhooks = sending.values.compactMap(\.webhook)
        let freeForWebhooks = Self.webhooksAtOnce - webhooks.count
        let loads = Dictionary(grouping: sending.values, by: \.host)
        let busy = loads.filter { $0.value.count >= Self.atOncePerHost }.keys
        do {
            var events = try store.next(
                due: time,
                except: sending.keys,
                hosts: busy,
                webhooks: webhooks,
                takesWebhooks: freeForWebhooks > 0,
                limit: free
            )
            let surplus = Set(events.filter { $0.webhook != nil }.dropFirst(freeForWebhooks).map(\.key))
            events.removeAll { surplus.contains($0.key) }
            state.withLock { state in
                for event in events { state.sending[event.key] = InFlight(host: event.host, webhook: event.webhook) }
            }
            return events
        } catch {
            settings.logger.error("no message can be read", metadata: ["reason": "\(error)"])
            return []
        }
    }

    private func pauseUntilNext(after time: Timestamp) -> Duration {
        guard let next = try? store.nextAttempt(after: time) else { return Self.idleTime }
        return min(Self.idleTime, max(.milliseconds(1), .milliseconds(next.milliseconds - now().milliseconds)))
    }

    private func deliver(_ event: DueEvent) async {
        do {
            let answer = try await client.send(try request(for: event))
            await settle { try await self.finish(event, answer) }
        } catch  where Task.isCancelled || error is CancellationError {
            // The service is stopping: the message is sent after the next start.
        } catch let failure as OutgoingFailure {
            await settle { try await self.fail(event, .init(failure)) }
        } catch {
            // The address or the keys cannot be read: another attempt would fail too.
            settings.logger.error("a message cannot be sent", metadata: ["reason": "\(error)"])
            await settle { try await self.fail(event, .unreachable, isPermanent: true) }
        }
        state.withLock { $0.sending[event.key] = nil }
        wake()
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
                urgency: PushMessage.Urgency(rawValue: event.urgency.rawValue) ?? .normal,
                topic: event.topic
            )
            let token = try settings.key.authorization(for: device.endpoint, subject: subject, now: time)
            return try message.request(to: device, authorization: token)
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

    private func finish(_ event: DueEvent, _ answer: OutgoingAnswer) async throws {
        let time = Double(now().milliseconds) / 1000
        guard event.webhook == nil else {
            if DeliverySchedule.isDelivered(status: answer.status) { return try await succeed(event) }
            let isGone = answer.status == 410
            return try await fail(
                event,
                isGone ? .gone : .refused,
                after: answer.retryAfter(now: time),
                isPermanent: isGone
            )
        }
        switch PushOutcome(answer, now: time) {
        case .accepted: try await succeed(event)
        case .gone:
            count(event, isSent: false)
            if case .device(let key, _, _, _) = event.receiver { try await store.removeDevice(key) }
        case .retry(let seconds): try await fail(event, .refused, after: seconds)
        case .tooLarge: try await fail(event, .refused, isPermanent: true)
        case .refused(let status):
            settings.logger.error("a push service refuses messages", metadata: ["status": "\(status)"])
            try await fail(event, .refused, isPermanent: true)
        }
    }

    private func succeed(_ event: DueEvent) async throws {
        try await store.settle(event)
        count(event, isSent: true)
    }

    /// - Parameter asked: the seconds for which the receiver asked to send nothing.
    private func fail(
        _ event: DueEvent,
        _ outcome: Webhook.Outcome,
        after asked: Int? = nil,
        isPermanent: Bool = false
    ) async throws {
        let time = now()
        let delay = DeliverySchedule.delay(
            afterAttempt: event.attempts + 1,
            chance: .random(in: 0...1),
            asked: asked
        )
        let next = isPermanent ? nil : delay.map { time.adding(seconds: $0) }
        let disabled = try await store.fail(
            event,
            event.webhook == nil ? nil : outcome,
            until: next,
            isForAll: asked != nil,
            at: time
        ) { begin in
            DeliverySchedule.isDisabled(
                failingSince: Double(begin.milliseconds) / 1000,
                now: Double(time.milliseconds) / 1000
            )
        }
        if next == nil { count(event, isSent: false) }
        if let disabled { onDisabled(disabled) }
    }

    private func count(_ event: DueEvent, isSent: Bool) {
        state.withLock { state in
            switch (event.webhook == nil, isSent) {
            case (true, true): state.figures.pushSent += 1
            case (true, false): state.figures.pushFailed += 1
            case (false, true): state.figures.webhookSent += 1
            case (false, false): state.figures.webhookFailed += 1
            }
        }
    }

    /// Records what became of a message. A database that fails must not cause the message to be sent again, so that this
    /// waits until it can be written to.
    private func settle(_ body: () async throws -> Void) async {
        while true {
            do { return try await body() } catch {
                settings.logger.error("a message was not recorded as sent or failed", metadata: ["reason": "\(error)"])
                guard !Task.isCancelled, (try? await Task.sleep(for: .seconds(1))) != nil else { return }
            }
        }
    }
}
