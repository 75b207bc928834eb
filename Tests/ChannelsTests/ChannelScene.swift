import Channels
import Domain
import Foundation
import OutgoingHTTP
import SQL
import ServerSupport
import Storage
import TestSupport
import Testing
import Webhooks

/// An account with browsers and webhooks on a board, and a receiver for their messages.
struct ChannelScene: Sendable {
    let board: TestDatabase
    let store: ChannelStore
    let account: Account
    let receiver: TakingReceiver
    let clock = ManualClock()
    let settings: ChannelSettings
    private let session: Data

    init() async throws {
        board = try await TestDatabase(leads: true)
        store = ChannelStore(board.database)
        receiver = try TakingReceiver()
        settings = .silent(receiver.settings)
        session = Data((0..<32).map { _ in UInt8.random(in: 0...255) })
        account = try await board.accounts.createGuest(tokenHash: session)
    }

    static func event(_ key: String = "key", timeToLive: Double = 7 * 86_400) -> OutgoingEvent {
        let text = PushText(title: "Title \(key)", body: "Text", path: "/inbox", tag: key)
        return OutgoingEvent(
            type: "alert.listing",
            key: key,
            data: ["name": .string(key)],
            push: [.italian: text, .english: text],
            timeToLive: timeToLive
        )
    }

    @discardableResult
    func subscribe(_ path: String, _ browser: TestBrowser = TestBrowser()) async throws -> PushDevice {
        let device = NewPushDevice(
            endpoint: receiver.url(path),
            host: "127.0.0.1",
            p256dh: browser.p256dh,
            auth: browser.auth,
            language: .italian
        )
        return try await store.subscribe(device, by: account, session: session, at: clock.now).device
    }

    /// - Parameter host: a name by which messages are counted; all lead to the receiver.
    @discardableResult
    func webhook(
        _ path: String,
        host: String = "127.0.0.1",
        secret: WebhookSecret = WebhookSecret()
    ) async throws
        -> Webhook
    {
        let url = receiver.url(path)
        return try await store.createWebhook((url, host), secret: secret.text, by: account, at: clock.now)
    }

    @discardableResult
    func append(_ event: OutgoingEvent = event()) async throws -> Int {
        try await board.database.write { [account, clock] db in
            try ChannelStore.appendPush(event, to: account.key, at: clock.now, db)
                + ChannelStore.appendToWebhooks(event, of: account.key, nil, at: clock.now, db)
        }
    }

    func sender(_ onDisabled: @escaping @Sendable (DisabledWebhook) -> Void = { _ in }) -> ChannelSender {
        ChannelSender(
            store,
            settings,
            subject: "mailto:dogs@example.org",
            now: clock.reading,
            onDisabled: onDisabled
        )
    }

    /// Runs a sender until the condition holds.
    @discardableResult
    func run(
        _ sender: ChannelSender? = nil,
        until condition: (ChannelSender) throws -> Bool
    ) async throws
        -> ChannelSender
    {
        let sender = sender ?? self.sender()
        let run = Task { try await sender.run() }
        defer { run.cancel() }
        try await TestSupport.until("the sender") {
            sender.wake()
            return try condition(sender)
        }
        run.cancel()
        try await run.value
        return sender
    }

    func webhooks() throws -> [Webhook] { try store.findWebhooks(of: account) }

    /// The seconds until the next attempt.
    func delay() throws -> Double? {
        try store.nextAttempt(after: clock.now).map { Double($0.milliseconds - clock.now.milliseconds) / 1000 }
    }
}
