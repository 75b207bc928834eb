import Channels
import Domain
import Formats
import HTTP
import HTTPTypes
import Hummingbird
import Storage
import WebPush

/// The API for the browsers that show an account's notifications.
struct PushRoutes {
    let site: Site
    let settings: ChannelSettings

    func add(to router: Router<ServiceContext>) {
        router.get("/v1/push/key", use: key)
        router.group(context: SignedInContext.self)
            .get("/v1/me/push-subscriptions", use: list)
            .post("/v1/me/push-subscriptions", use: subscribe)
            .delete("/v1/me/push-subscriptions/:id", use: unsubscribe)
    }

    @Sendable private func key(_ request: Request, _ context: ServiceContext) async throws -> Response {
        var json = JSONWriter()
        json.object { $0.field("key", settings.key.publicKey) }
        return .uncached(json)
    }

    @Sendable private func list(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let found = try site.stores.channels.findDevices(of: context.account)
        return .uncachedObject { json in
            json.array("push_subscriptions", found) { $0.device($1) }
        }
    }

    @Sendable private func subscribe(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let fields = try await request.fields()
        // The names are those of the browser's `PushSubscription`.
        try fields.expect(["endpoint", "expirationTime", "keys"])
        switch fields["expirationTime"] {
        case nil, .null, .number: break
        default: throw ServiceError.invalid("expirationTime", "expected a number or null")
        }
        guard case .object(let keys) = fields["keys"] else {
            throw ServiceError.invalid("keys", "expected an object with p256dh and auth")
        }
        let subscription = try PushSubscription(
            endpoint: Self.text("endpoint", fields),
            p256dh: Self.text("p256dh", keys),
            auth: Self.text("auth", keys),
            settings: settings.outgoing
        )
        let device = NewPushDevice(
            endpoint: subscription.endpoint.text,
            host: subscription.endpoint.host,
            p256dh: Base64URL.text(subscription.p256dh),
            auth: Base64URL.text(subscription.auth),
            language: request.preferredLanguage
        )
        let (stored, isNew) = try await site.stores.channels.subscribe(
            device,
            by: context.account,
            session: context.caller.tokenHash,
            at: site.now()
        )
        return .uncached(status: isNew ? .created : .ok) { $0.device(stored) }
    }

    @Sendable private func unsubscribe(_ request: Request, _ context: SignedInContext) async throws -> Response {
        try await site.stores.channels.unsubscribe(
            context.parameters.uuid(orElse: "no such push subscription"), of: context.account)
        return .noContent
    }

    private static func text(_ name: String, _ fields: [String: JSONValue]) throws -> String {
        guard case .string(let text) = fields[name] else { throw ServiceError.invalid(name, "expected a text") }
        return text
    }
}

extension JSONWriter {
    /// The endpoint is not shown: whoever knows it may try to send to it.
    fileprivate mutating func device(_ device: PushDevice) {
        object { json in
            json.field("id", device.id.lowercased)
            json.field("service", device.service)
            json.field("language", device.language.rawValue)
            json.field("created_at", device.createdAt.text)
            json.field("failing_since", device.failingSince?.text)
        }
    }
}
