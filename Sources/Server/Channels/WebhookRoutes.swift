import Channels
import Concurrency
import Domain
import Formats
import HTTP
import HTTPTypes
import Hummingbird
import OutgoingHTTP
import Storage
import Webhooks

/// The API for the webhooks of an account. Guests have none.
struct WebhookRoutes {
    let site: Site
    let sender: ChannelSender
    let outgoing: OutgoingSettings
    let tests: WebhookLimits

    func add(to router: Router<ServiceContext>) {
        router.group(context: SignedInContext.self)
            .get("/v1/me/webhooks", use: list)
            .post("/v1/me/webhooks", use: create)
            .get("/v1/me/webhooks/:id", use: show)
            .patch("/v1/me/webhooks/:id", use: edit)
            .delete("/v1/me/webhooks/:id", use: remove)
            .post("/v1/me/webhooks/:id/rotation", use: rotate)
            .post("/v1/me/webhooks/:id/test", use: test)
    }

    @Sendable private func list(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let found = try site.stores.channels.findWebhooks(of: try Self.user(context))
        return .uncachedObject { json in
            json.array("webhooks", found) { json, webhook in json.object { $0.fields(of: webhook) } }
        }
    }

    @Sendable private func create(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let account = try Self.user(context)
        let fields = try await request.fields(["url"])
        guard let address = try address(fields) else { throw ServiceError.invalid("url", "expected https://...") }
        let secret = WebhookSecret()
        let webhook = try await site.stores.channels.createWebhook(
            address, secret: secret.text, by: account, at: site.now())
        var response = Self.answer(webhook, secret, status: .created)
        response.headers[.location] = site.baseURL.link("/v1/me/webhooks/\(webhook.id.lowercased)")
        return response
    }

    @Sendable private func show(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let account = try Self.user(context)
        return Self.answer(
            try site.stores.channels.getWebhook(id: context.parameters.uuid(orElse: "no such webhook"), of: account))
    }

    @Sendable private func edit(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let account = try Self.user(context)
        let fields = try await request.fields(["enabled", "url"], mediaTypes: .mergePatch)
        let isEnabled = try fields["enabled"].map { value in
            guard case .bool(let flag) = value else { throw ServiceError.invalid("enabled", "expected true or false") }
            return flag
        }
        let change = WebhookChange(address: try address(fields), isEnabled: isEnabled)
        let webhook = try await site.stores.channels.edit(
            context.parameters.uuid(orElse: "no such webhook"), of: account, change, at: site.now())
        return Self.answer(webhook)
    }

    @Sendable private func remove(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let account = try Self.user(context)
        try await site.stores.channels.remove(context.parameters.uuid(orElse: "no such webhook"), of: account)
        return .noContent
    }

    @Sendable private func rotate(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let account = try Self.user(context)
        let secret = WebhookSecret()
        let webhook = try await site.stores.channels.rotate(
            context.parameters.uuid(orElse: "no such webhook"),
            of: account,
            secret: secret.text,
            at: site.now()
        )
        return Self.answer(webhook, secret)
    }

    @Sendable private func test(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let account = try Self.user(context)
        let id = try context.parameters.uuid(orElse: "no such webhook")
        _ = try site.stores.channels.getWebhook(id: id, of: account)
        try await tests.take(by: account)
        let ping = OutgoingEvent(type: "ping", key: "ping", data: [:], push: [:], timeToLive: 60)
        try await site.stores.channels.append(ping, toWebhook: id, of: account, at: site.now())
        sender.wake()
        return Response(status: .accepted)
    }

    /// Throws `forbidden` for guests.
    private static func user(_ context: SignedInContext) throws -> Account {
        guard context.account.role != .guest else {
            throw ServiceError(.forbidden, "guests have no webhooks: register first")
        }
        return context.account
    }

    private func address(_ fields: [String: JSONValue]) throws -> (url: String, host: String)? {
        guard let value = fields["url"] else { return nil }
        guard case .string(let text) = value else { throw ServiceError.invalid("url", "expected https://...") }
        let url = try OutgoingURL(text, settings: outgoing)
        return (url.text, url.host)
    }

    /// - Parameter secret: is shown only when it is new.
    private static func answer(
        _ webhook: Webhook,
        _ secret: WebhookSecret? = nil,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        .uncachedObject(status: status) { json in
            json.fields(of: webhook)
            if let secret { json.field("secret", secret.text) }
        }
    }
}

/// Limits the tests of webhooks, which users could point at somebody else's server.
struct WebhookLimits: Sendable {
    private let counters: any LimitCounters
    private let isOn: Bool
    private let limit: RateLimit

    init(_ limits: RateLimits, _ counters: any LimitCounters) {
        self.counters = counters
        isOn = limits.factor > 0
        limit = limits.limit("webhook-test", quota: 10, window: 3_600)
    }

    /// Throws `RateLimitExceededError`.
    func take(by account: Account) async throws {
        guard isOn else { return }
        try await counters.take([QuotaCharge(limit, QuotaCharge.name(of: account))])
    }
}

extension JSONWriter {
    fileprivate mutating func fields(of webhook: Webhook) {
        field("id", webhook.id.lowercased)
        field("url", webhook.url)
        field("enabled", webhook.disabledAt == nil)
        field("created_at", webhook.createdAt.text)
        field("failing_since", webhook.failingSince?.text)
        field("disabled_at", webhook.disabledAt?.text)
        field("last_outcome", webhook.lastOutcome?.rawValue)
    }
}
