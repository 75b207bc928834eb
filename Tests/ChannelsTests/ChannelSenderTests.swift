import Domain
import Foundation
import Storage
import Synchronization
import TestSupport
import Testing
import Webhooks

@testable import Channels

/// The sender with a real HTTPS server on loopback, and a clock that only the tests advance.
@Suite("Channel sender", .enabled(if: Receiver.isAvailable))
struct ChannelSenderTests {
    @Test("Two browsers and a webhook get an event, each with its own keys")
    func delivery() async throws {
        let scene = try await ChannelScene()
        let (one, other, secret) = (TestBrowser(), TestBrowser(), WebhookSecret())
        try await scene.subscribe("201///one", one)
        try await scene.subscribe("201///other", other)
        try await scene.webhook("200///hook", secret: secret)
        #expect(try await scene.append() == 3)
        #expect(try await scene.append() == 0, "the key waits already")
        let sender = try await scene.run { try $0.waiting == 0 }
        #expect(sender.figures == .init(pushSent: 2, webhookSent: 1))
        try await scene.receiver.wait(for: 3)
        let taken = Dictionary(uniqueKeysWithValues: scene.receiver.taken.map { ($0.path.suffix(4), $0) })
        for (path, browser) in [("/one", one), ("ther", other)] {
            let request = try #require(taken[path[...]])
            let text = try browser.text(of: request.body)
            let message = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
            #expect(
                message
                    == ["title": "Title key", "body": "Text", "path": "/inbox", "tag": "key", "lang": "it"]
            )
            #expect(request.headers["TTL"] == "604800" && request.headers["Urgency"] == "normal")
            #expect(request.headers["Topic"]?.count == 32)
            #expect(request.headers["Authorization"]?.hasSuffix("k=\(scene.settings.key.publicKey)") == true)
        }
        let hook = try #require(taken["hook"])
        let content = try JSONDecoder().decode(JSONValue.self, from: hook.body)
        #expect(
            content
                == [
                    "type": "alert.listing", "timestamp": .string(scene.clock.now.text), "data": ["name": "key"],
                ]
        )
        let id = try #require(hook.headers["webhook-id"])
        let time = try #require(hook.headers["webhook-timestamp"].flatMap { Int($0) })
        let expected = WebhookSignature.headers(id: id, time: time, body: Array(hook.body), secrets: [secret])
        #expect(hook.headers["webhook-signature"] == expected[2].value)
        #expect(time == Int(scene.clock.now.milliseconds / 1000))
    }

    @Test("A browser whose subscription has ended is deleted, and a message that is too long is given up")
    func endedSubscription() async throws {
        let scene = try await ChannelScene()
        for path in ["404///a", "410///b", "413///c"] { try await scene.subscribe(path) }
        #expect(try await scene.append() == 3)
        let sender = try await scene.run { try $0.waiting == 0 }
        #expect(sender.figures == .init(pushFailed: 3))
        let left = try scene.store.findDevices(of: scene.account)
        #expect(left.count == 1 && left[0].failingSince == scene.clock.now)
    }

    @Test(
        "Failures are repeated with the same id after 5 s and more, and after what Retry-After asks",
        arguments: [
            ("503,503,200///x", 5.0...5.5), ("429,200//120/x", 120.0...120.1),
            ("503,200//date-3600/x", 3_500.0...3_700),
        ]
    )
    func retry(path: String, delays: ClosedRange<Double>) async throws {
        let scene = try await ChannelScene()
        // Times in headers are compared with the clock.
        scene.clock.advance(hours: (Date().timeIntervalSince1970 - scene.clock.now.date.timeIntervalSince1970) / 3_600)
        try await scene.webhook(path)
        try await scene.append()
        try await scene.append(ChannelScene.event("later"))
        try await scene.run { _ in
            try scene.webhooks()[0].lastOutcome == .refused
                && scene.receiver.taken.count >= (path.contains("///") ? 2 : 1)
        }
        #expect(try scene.webhooks()[0].failingSince != nil)
        let delay = try #require(try scene.delay())
        #expect(delays.contains(delay), "\(delay)")
        if path.contains("///") { return }
        // The receiver asked to send nothing at all.
        #expect(scene.receiver.taken.count == 1)
        scene.clock.advance(hours: delay / 3_600 + 0.001)
        try await scene.run { try $0.waiting == 0 }
        try await scene.receiver.wait(for: 3)
        let ids = scene.receiver.taken.compactMap { $0.headers["webhook-id"] }
        #expect(ids.count == 3 && Set(ids).count == 2 && ids[1...].contains(ids[0]))
        #expect(try scene.webhooks()[0].failingSince == nil && scene.webhooks()[0].lastOutcome == .delivered)
    }

    @Test("A webhook that takes nothing for five days is disabled, and one that is gone at once")
    func disabling() async throws {
        let scene = try await ChannelScene()
        try await scene.webhook("500///x")
        let disabled = Mutex<[DisabledWebhook]>([])
        let sender = { scene.sender { webhook in disabled.withLock { $0.append(webhook) } } }
        for day in 0...5 {
            try await scene.append(ChannelScene.event("\(day)"))
            let count = scene.receiver.taken.count
            try await scene.run(sender()) { sender in
                let isTried = try scene.store.nextAttempt(after: scene.clock.now) != nil || sender.waiting == 0
                return isTried && scene.receiver.taken.count > count
            }
            #expect(try (scene.webhooks()[0].disabledAt != nil) == (day == 5))
            scene.clock.advance(days: 1)
        }
        #expect(disabled.withLock(\.self) == [DisabledWebhook(owner: scene.account.id, host: "127.0.0.1")])
        #expect(try scene.store.countWaiting() == 0)
        #expect(try await scene.append(ChannelScene.event("after")) == 0)
        let gone = try await scene.webhook("410///y")
        #expect(try await scene.append(ChannelScene.event("gone")) == 1)
        try await scene.run(sender()) { try $0.waiting == 0 }
        let found = try scene.store.getWebhook(id: gone.id, of: scene.account)
        #expect(found.disabledAt == scene.clock.now && found.lastOutcome == .gone)
        #expect(disabled.withLock(\.count) == 2)
    }

    @Test("A slow host does not delay another, and gets few requests at once")
    func slowHost() async throws {
        let scene = try await ChannelScene()
        for number in 0..<6 { try await scene.subscribe("201/3600//slow\(number)") }
        for number in 0..<20 { try await scene.append(ChannelScene.event("\(number)")) }
        try await scene.webhook("200///quick", host: "other.example")
        for number in 20..<30 { try await scene.append(ChannelScene.event("\(number)")) }
        try await scene.run { $0.figures.webhookSent == 10 }
        #expect(scene.receiver.taken.count { $0.path.hasSuffix("quick") } == 10)
        #expect(scene.receiver.begun.count { $0.contains("slow") } <= 8)
    }

    @Test("After stops at any moment every message arrives, and those in flight at most twice with the same id")
    func interruption() async throws {
        let scene = try await ChannelScene()
        for number in 0..<5 { try await scene.webhook("200/0.02//\(number)", host: "h\(number).example") }
        for number in 0..<40 { try await scene.append(ChannelScene.event("\(number)")) }
        let stops = 3
        for stop in 1...stops {
            let sender = scene.sender()
            let run = Task { try await sender.run() }
            try await scene.receiver.wait(for: 30 * stop)
            run.cancel()
            try await run.value
        }
        try await scene.run { try $0.waiting == 0 }
        try await until("200 messages") { Set(scene.receiver.taken.map { $0.headers["webhook-id"] }).count == 200 }
        let ids = scene.receiver.taken.compactMap { $0.headers["webhook-id"] }
        #expect(Set(ids).count == 200 && ids.count <= 200 + stops * ChannelSender.webhooksAtOnce)
    }

    @Test("Messages that are too old are not sent")
    func expiry() async throws {
        let scene = try await ChannelScene()
        try await scene.subscribe("201///x")
        try await scene.append(ChannelScene.event(timeToLive: 60))
        scene.clock.advance(hours: 1)
        let sender = try await scene.run { try $0.waiting == 0 }
        #expect(sender.figures == .init(expired: 1) && scene.receiver.taken.isEmpty)
    }

    @Test("Both secrets sign for a day after a rotation")
    func rotation() async throws {
        let scene = try await ChannelScene()
        let (old, new) = (WebhookSecret(), WebhookSecret())
        let webhook = try await scene.webhook("200///x", secret: old)
        _ = try await scene.store.rotate(webhook.id, of: scene.account, secret: new.text, at: scene.clock.now)
        for hours in [0.0, 25] {
            scene.clock.advance(hours: hours)
            try await scene.append(ChannelScene.event("\(hours)"))
            try await scene.run { try $0.waiting == 0 }
        }
        try await scene.receiver.wait(for: 2)
        for (request, secrets) in zip(scene.receiver.taken, [[new, old], [new]]) {
            let expected = WebhookSignature.headers(
                id: try #require(request.headers["webhook-id"]),
                time: try #require(request.headers["webhook-timestamp"].flatMap { Int($0) }),
                body: Array(request.body),
                secrets: secrets
            )
            #expect(request.headers["webhook-signature"] == expected[2].value)
        }
    }
}
