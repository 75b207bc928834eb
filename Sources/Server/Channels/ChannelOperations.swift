import Domain
import HTTP
import OpenAPI

extension Operation {
    static let channels = tagged(.channels) {
        get("/v1/push/key", "getPushKey", "The key with which browsers subscribe")
            .described("The `applicationServerKey` of the Push API: a point on P-256 in base64url.")
            .answering(.json("The key.", .object(["key": .text()]), headers: [.cacheControl]))
        get(
            "/v1/me/push-subscriptions", "listPushSubscriptions",
            "The browsers that show notifications, oldest first"
        )
        .signedIn
        .answering(.json("The browsers.", .object(["push_subscriptions": .list(of: .named("PushSubscription"))])))
        post("/v1/me/push-subscriptions", "createPushSubscription", "Send notifications to a browser")
            .signedIn.taking(.acceptLanguage)
            .described(
                """
                The body is the browser's `PushSubscription` as JSON. Notifications are in the language of the request, and end with \
                the session. An endpoint that is known is changed; one of another account moves only with the same keys. An account \
                has at most \(PushDevice.maxCount) browsers.
                """
            )
            .sending(.json(.named("NewPushSubscription"), example: sampleSubscription))
            .answering(
                .json("The browser, which was known.", .named("PushSubscription")),
                .json(status: 201, "The browser.", .named("PushSubscription"))
            )
            .failing(.conflict)
        delete("/v1/me/push-subscriptions/{id}", "deletePushSubscription", "Send nothing to a browser any more")
            .signedIn.taking(.id(of: "push subscription"))
    }

    private static let sampleSubscription: JSONValue = [
        "endpoint": "https://push.example.org/send/abc", "expirationTime": .null,
        "keys": [
            "p256dh": "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
            "auth": "tBHItJI5svbpez7KI4CCXg",
        ],
    ]
}

extension Operation {
    static let webhooks = tagged(.channels) {
        get("/v1/me/webhooks", "listWebhooks", "The own webhooks, oldest first")
            .signedIn
            .answering(.json("The webhooks.", .object(["webhooks": .list(of: .named("Webhook"))])))
        post("/v1/me/webhooks", "createWebhook", "Send events to a server")
            .signedIn
            .described(
                """
                Events are sent by POST as Standard Webhooks describes: JSON with `type`, `timestamp` and `data`, and a signature. The \
                address must be on the public Internet. The secret is shown only here. An account has at most \
                \(Webhook.maxCount) webhooks; guests have none.
                """
            )
            .sending(.json(.named("NewWebhook"), example: ["url": "https://example.org/dogs"]))
            .answering(
                .json(status: 201, "The webhook with its secret.", .named("WebhookWithSecret"), headers: [.location])
            )
        get(webhook, "getWebhook", "One webhook")
            .signedIn.taking(.id(of: "webhook"))
            .answering(.json("The webhook.", .named("Webhook")))
        patch(webhook, "editWebhook", "Enable or disable a webhook, or change its address")
            .signedIn.taking(.id(of: "webhook"))
            .sending(.mergePatch(.named("WebhookPatch"), example: ["enabled": true]))
            .answering(.json("The webhook.", .named("Webhook")))
        delete(webhook, "deleteWebhook", "Delete a webhook with what waits for it")
            .signedIn.taking(.id(of: "webhook"))
        post(webhook + "/rotation", "rotateWebhookSecret", "Replace the secret of a webhook")
            .signedIn.taking(.id(of: "webhook"))
            .described("For 24 hours, messages are signed with both secrets. The new one is shown only here.")
            .answering(.json("The webhook with its new secret.", .named("WebhookWithSecret")))
        post(webhook + "/test", "testWebhook", "Send the event `ping` to a webhook")
            .signedIn.taking(.id(of: "webhook"))
            .described("What became of it is in the `last_outcome` of the webhook. At most 10 an hour.")
            .answering(.init(202, "It will be sent."))
            .failing(.conflict)
    }

    private static let webhook = "/v1/me/webhooks/{id}"
}

extension Schema {
    static let channels: [String: Schema] = [
        "PushSubscription": .object([
            "id": .uuid, "service": .text().described("The host of the push service."),
            "language": .choice(Language.self), "created_at": .timestamp, "failing_since": .timestamp.orNull,
        ]),
        "NewPushSubscription": .request(
            ["endpoint": .address, "keys": .object(["p256dh": .text(), "auth": .text()])],
            optional: ["expirationTime": .number().orNull]
        ),
        "Webhook": .object(webhook),
        "WebhookWithSecret": .object(webhook.merging(["secret": .text()]) { $1 }),
        "NewWebhook": .request(["url": .address]),
        "WebhookPatch": .request(optional: ["url": .address, "enabled": .flag]),
    ]

    private static let webhook: [String: Schema] = [
        "id": .uuid, "url": .address, "enabled": .flag, "created_at": .timestamp,
        "failing_since": .timestamp.orNull.described("The first failure since the last delivery."),
        "disabled_at": .timestamp.orNull,
        "last_outcome": .choice(Webhook.Outcome.self).orNull.described("What became of the last attempt."),
    ]
}
