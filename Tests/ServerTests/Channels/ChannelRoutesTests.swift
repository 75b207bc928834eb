import Channels
import Domain
import Foundation
import Mail
import OutgoingHTTP
import ServerSupport
import Storage
import TestSupport
import Testing
import WebPush

@testable import Server

@Suite("Channel routes", .enabled(if: Receiver.isAvailable))
struct ChannelRoutesTests {
    private static let subscriptions = "/v1/me/push-subscriptions"

    private static func with(
        _ body: (RunningService, TakingReceiver) async throws -> Void
    ) async throws {
        let receiver = try TakingReceiver()
        let channels = ChannelSettings.silent(receiver.settings)
        // It is noon, so that what alerts find is not told in the morning.
        let now = ManualClock().reading
        try await RunningService.with(hasModel: false, channels: channels, now: now) { service in
            try await body(service, receiver)
        }
    }

    @Test("A browser is stored once, and moves to another account only with the same keys")
    func subscriptions() async throws {
        try await Self.with { service, receiver in
            let (one, other) = (try await service.guest(), try await service.guest())
            let browser = TestBrowser()
            let body = browser.subscription(receiver.url("201///x"))
            let created = try await service.send("POST", Self.subscriptions, body, token: one)
            #expect(created.status == 201 && created.text("service") == "127.0.0.1")
            #expect(created["endpoint"] == nil && created["keys"] == nil)
            let again = try await service.send(
                "POST",
                Self.subscriptions,
                body,
                token: one,
                headers: ["Accept-Language": "it"]
            )
            #expect(again.status == 200 && again.text("id") == created.text("id") && again.text("language") == "it")
            let stolen = TestBrowser().subscription(receiver.url("201///x"))
            #expect(try await service.send("POST", Self.subscriptions, stolen, token: other).status == 409)
            #expect(try await service.send("POST", Self.subscriptions, body, token: other).status == 200)
            let list = try await service.send("GET", Self.subscriptions, token: one)
            #expect(list["push_subscriptions"] == [])
            let path = "\(Self.subscriptions)/\(try #require(created.text("id")))"
            #expect(try await service.send("DELETE", path, token: one).status == 404)
            #expect(try await service.send("DELETE", path, token: other).status == 204)
        }
    }

    @Test("An account has at most ten browsers, and they end with the session")
    func limits() async throws {
        try await Self.with { service, receiver in
            let token = try await service.guest()
            for number in 0...10 {
                let body = TestBrowser().subscription(receiver.url("201///\(number)"))
                let answer = try await service.send("POST", Self.subscriptions, body, token: token)
                #expect(answer.status == (number < 10 ? 201 : 403))
            }
            #expect(try await service.send("DELETE", "/v1/sessions", token: token).status == 204)
            let count: Int? = try service.board.database.readNow { db in
                try db.value("SELECT count(*) FROM push_subscription")
            }
            #expect(count == 0)
        }
    }

    @Test(
        "Subscriptions that are not as expected are refused, and the field is named",
        arguments: [
            ("{}", "keys"), (#"{"keys": {}}"#, "endpoint"), (#"{"endpoint": 1, "keys": {}}"#, "endpoint"),
            (#"{"endpoint": "http://push.example.org/a", "keys": {"p256dh": "x", "auth": "y"}}"#, "endpoint"),
            (#"{"endpoint": "https://10.0.0.1/a", "keys": {"p256dh": "x", "auth": "y"}}"#, "endpoint"),
            (#"{"endpoint": "https://push.example.org/a", "keys": {"p256dh": "x", "auth": "y"}}"#, "p256dh"),
            (#"{"x": 1}"#, "x"),
        ]
    )
    func invalid(body: String, field: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            let answer = try await service.send("POST", Self.subscriptions, body, token: try await service.guest())
            #expect(answer.status == 400 && answer.text("field") == field, "\(answer.html)")
        }
    }

    @Test("New messages and answers reach the browsers of both sides, without what was written")
    func messages() async throws {
        try await Self.with { service, receiver in
            let (owner, writer) = (try await service.guest(), try await service.guest())
            let (first, second) = (TestBrowser(), TestBrowser())
            for (browser, token, path) in [(first, owner, "owner"), (second, writer, "writer")] {
                let body = browser.subscription(receiver.url("201///\(path)"))
                #expect(try await service.send("POST", Self.subscriptions, body, token: token).status == 201)
            }
            let lost = #"{"status": "lost", "name": "Argo", "lon": 14.79, "lat": 40.77}"#
            let listing = try await service.post(lost, owner)
            let path = "/v1/listings/\(listing)/messages"
            let sent = try await service.send("POST", path, #"{"text": "Secret words"}"#, token: writer)
            let conversation = try #require(sent.text("conversation"))
            _ = try await service.send("POST", path, #"{"text": "More words"}"#, token: writer)
            let answer = "/v1/me/conversations/\(conversation)/messages"
            #expect(try await service.send("POST", answer, #"{"text": "Where?"}"#, token: owner).status == 201)
            try await receiver.wait(for: 2)
            for (browser, path) in [(first, "/owner"), (second, "/writer")] {
                let requests = receiver.taken.filter { $0.path.hasSuffix(path) }
                #expect(requests.count == 1)
                let text = try browser.text(of: try #require(requests.first).body)
                let message = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
                #expect(
                    message
                        == [
                            "title": "New message about Argo", "body": "Open it to read and answer.", "lang": "en",
                            "path": .string("/inbox/\(conversation)"), "tag": .string("message-\(conversation)"),
                        ]
                )
            }
        }
    }

    @Test("What an alert finds reaches the browser of a guest, and the webhooks of an account, once")
    func alerts() async throws {
        try await Self.with { service, receiver in
            let (guest, account) = (try await service.guest(), try await service.register("anna@example.org"))
            let browser = TestBrowser()
            let body = browser.subscription(receiver.url("201///guest"))
            #expect(try await service.send("POST", Self.subscriptions, body, token: guest).status == 201)
            let webhook = #"{"url": "\#(receiver.url("201///account"))"}"#
            #expect(try await service.send("POST", "/v1/me/webhooks", webhook, token: account).status == 201)
            let search = #"{"name": "Home", "search": {"status": "lost", "lon": 14.79, "lat": 40.77, "radius": 10000}}"#
            for token in [guest, account] {
                #expect(try await service.send("POST", "/v1/me/alerts", search, token: token).status == 201)
            }
            let lost = #"{"status": "lost", "name": "Argo", "lon": 14.80123, "lat": 40.78017}"#
            let listing = try await service.post(lost, try await service.guest())
            try await receiver.wait(for: 2)
            let requests = Dictionary(grouping: receiver.taken) { $0.path.split(separator: "/").last ?? "" }
            #expect(requests.mapValues(\.count) == ["guest": 1, "account": 1])
            let text = try browser.text(of: try #require(requests["guest"]?.first).body)
            let shown = try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
            #expect(shown["title"]?.contains("from you: Argo, ") == true && shown["path"] == "/listings/\(listing)")
            #expect(!text.contains("14.8012") && !text.contains("40.7801"))
            let event = try JSONDecoder().decode(JSONValue.self, from: try #require(requests["account"]?.first).body)
            #expect(event["type"] == "alert.listing" && event["data"]?["alert"]?["name"] == "Home")
            #expect(event["data"]?["listing"] == ["id": .string(listing), "status": "lost"])
        }
    }

    @Test("A webhook is created, tested, changed and deleted by its owner; its secret is shown once")
    func webhooks() async throws {
        try await Self.with { service, receiver in
            let owner = try await service.register("a@example.org")
            let other = try await service.register("b@example.org")
            let guest = try await service.guest()
            let body = #"{"url": "\#(receiver.url("418///hook"))"}"#
            #expect(try await service.send("POST", "/v1/me/webhooks", body, token: guest).status == 403)
            let created = try await service.send("POST", "/v1/me/webhooks", body, token: owner)
            #expect(created.status == 201 && created.text("secret")?.hasPrefix("whsec_") == true)
            let path = "/v1/me/webhooks/\(try #require(created.text("id")))"
            let shown = try await service.send("GET", path, token: owner)
            #expect(shown["secret"] == nil && shown["enabled"] == true && shown["last_outcome"] == .null)
            #expect(try await service.send("POST", "\(path)/test", token: other).status == 404)
            #expect(try await service.send("POST", "\(path)/test", token: owner).status == 202)
            try await receiver.wait(for: 1)
            let after = try await eventually("a refusal") {
                let after = try await service.send("GET", path, token: owner)
                return after.text("last_outcome") == "refused" ? after : nil
            }
            #expect(after["status"] == nil)
            let rotated = try await service.send("POST", "\(path)/rotation", token: owner)
            #expect(rotated.text("secret")?.hasPrefix("whsec_") == true)
            #expect(rotated.text("secret") != created.text("secret"))
            let off = try await service.send("PATCH", path, #"{"enabled": false}"#, token: owner)
            #expect(off["enabled"] == false)
            #expect(try await service.send("POST", "\(path)/test", token: owner).status == 409)
            #expect(try await service.send("PATCH", path, #"{"enabled": true}"#, token: owner)["enabled"] == true)
            #expect(try await service.send("DELETE", path, token: owner).status == 204)
        }
    }

    @Test("Addresses that are not public, a sixth webhook and the eleventh test in an hour are refused")
    func webhookLimits() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.register("a@example.org")
            for url in ["https://127.0.0.1/", "https://example.org:8443/", "http://example.org/"] {
                let answer = try await service.send("POST", "/v1/me/webhooks", #"{"url": "\#(url)"}"#, token: owner)
                #expect(answer.status == 400 && answer.text("field") == "url")
            }
            var path = ""
            for number in 0...5 {
                let body = #"{"url": "https://example.invalid/\#(number)"}"#
                let answer = try await service.send("POST", "/v1/me/webhooks", body, token: owner)
                #expect(answer.status == (number < 5 ? 201 : 403))
                if let id = answer.text("id") { path = "/v1/me/webhooks/\(id)/test" }
            }
            for number in 0...10 {
                #expect(try await service.send("POST", path, token: owner).status == (number < 10 ? 202 : 429))
            }
        }
    }

    @Test("The owner of a webhook that is gone gets a mail")
    func mail() async throws {
        let (mailbox, board, receiver) = (Mailbox(), try await TestDatabase(), try TakingReceiver())
        let account = try await board.user("anna@example.org")
        let store = ChannelStore(board.database)
        let url = (url: receiver.url("410///x"), host: "127.0.0.1")
        let secret = "whsec_" + Data(count: 32).base64EncodedString()
        let webhook = try await store.createWebhook(url, secret: secret, by: account, at: .recent)
        let ping = OutgoingEvent(type: "ping", key: "ping", data: [:], push: [:])
        try await store.append(ping, toWebhook: webhook.id, of: account, at: .recent)
        try await RunningService.with(
            board: board,
            hasModel: false,
            mailer: mailbox.mailer,
            channels: .silent(receiver.settings)
        ) { _ in
            let mail = try await mailbox.next()
            #expect(mail.to == "anna@example.org" && mail.text.contains("127.0.0.1"))
            #expect(mail.subject == "A webhook was switched off")
        }
    }

    @Test("The public key is the same for everybody, and a point on P-256")
    func key() async throws {
        try await RunningService.with(hasModel: false) { service in
            let key = try #require(try await service.send("GET", "/v1/push/key").text("key"))
            #expect(Base64URL.bytes(key)?.count == 65)
            #expect(try await service.send("GET", "/v1/push/key").text("key") == key)
        }
    }
}
