import Domain
import HTTP
import HTTPTypes
import OpenAPI

extension Operation {
    static let channels =
        [getPushKey, listPushSubscriptions, createPushSubscription, deletePushSubscription] + webhooks

    private static let sampleSubscription: JSONValue = [
        "endpoint": "https://push.example.org/send/abc", "expirationTime": .null,
        "keys": [
            "p256dh": "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
            "auth": "tBHItJI5svbpez7KI4CCXg",
        ],
    ]

    private static let getPushKey = Operation(
        .get,
        "/v1/push/key",
        "getPushKey",
        .channels,
        "The key with which browsers subscribe",
        description: "The `applicationServerKey` of the Push API: a point on P-256 in base64url.",
        responses: [.json("The key.", .object(["key": .text()]), headers: [.cacheControl])]
    )
    private static let listPushSubscriptions = Operation(
        .get,
        "/v1/me/push-subscriptions",
        "listPushSubscriptions",
        .channels,
        "The browsers that show notifications, oldest first",
        access: .signedIn,
        responses: [
            .json(
                "The browsers.",
                .object(["push_subscriptions": .list(of: .named("PushSubscription"))]),
                headers: [.cacheControl]
            )
        ]
    )
    private static let createPushSubscription = Operation(
        .post,
        "/v1/me/push-subscriptions",
        "createPushSubscription",
        .channels,
        "Send notifications to a browser",
        description: """
            The body is the browser's `PushSubscription` as JSON. Notifications are in the language of the request, and end with \
            the session. An endpoint that is known is changed; one of another account moves only with the same keys. An account \
            has at most \(PushDevice.maxCount) browsers.
            """,
        access: .signedIn,
        parameters: [.acceptLanguage],
        body: .json(.named("NewPushSubscription"), example: sampleSubscription),
        responses: [
            .json("The browser, which was known.", .named("PushSubscription"), headers: [.cacheControl]),
            .json(status: 201, "The browser.", .named("PushSubscription"), headers: [.cacheControl]),
        ],
        errors: [.forbidden, .conflict, .tooLarge, .unsupportedMediaType]
    )
    private static let deletePushSubscription = Operation(
        .delete,
        "/v1/me/push-subscriptions/{id}",
        "deletePushSubscription",
        .channels,
        "Send nothing to a browser any more",
        access: .signedIn,
        parameters: [.id(of: "push subscription")],
        responses: [.nothing()],
        errors: [.notFound]
    )
}

extension Operation {
    fileprivate static let webhooks: [Operation] = [
        Operation(
            .get,
            "/v1/me/webhooks",
            "listWebhooks",
            .channels,
            "The own webhooks, oldest first",
            access: .signedIn,
            responses: [
                .json("The webhooks.", .object(["webhooks": .list(of: .named("Webhook"))]), headers: [.cacheControl])
            ],
            errors: [.forbidden]
        ),
        Operation(
            .post,
            "/v1/me/webhooks",
            "createWebhook",
            .channels,
            "Send events to a server",
            description: """
                Events are sent by POST as Standard Webhooks describes: JSON with `type`, `timestamp` and `data`, and a signature. The \
                address must be on the public Internet. The secret is shown only here. An account has at most \
                \(Webhook.maxCount) webhooks; guests have none.
                """,
            access: .signedIn,
            body: .json(.named("NewWebhook"), example: ["url": "https://example.org/dogs"]),
            responses: [
                .json(
                    status: 201,
                    "The webhook with its secret.",
                    .named("WebhookWithSecret"),
                    headers: [.location, .cacheControl]
                )
            ],
            errors: [.forbidden, .tooLarge, .unsupportedMediaType]
        ),
        one(.get, "getWebhook", "One webhook", responses: [webhook]),
        one(
            .patch,
            "editWebhook",
            "Enable or disable a webhook, or change its address",
            body: .mergePatch(.named("WebhookPatch"), example: ["enabled": true]),
            responses: [webhook],
            errors: [.tooLarge, .unsupportedMediaType]
        ),
        one(.delete, "deleteWebhook", "Delete a webhook with what waits for it", responses: [.nothing()]),
        one(
            .post,
            "rotateWebhookSecret",
            "Replace the secret of a webhook",
            description: "For 24 hours, messages are signed with both secrets. The new one is shown only here.",
            suffix: "/rotation",
            responses: [
                .json("The webhook with its new secret.", .named("WebhookWithSecret"), headers: [.cacheControl])
            ]
        ),
        one(
            .post,
            "testWebhook",
            "Send the event `ping` to a webhook",
            description: "What became of it is in the `last_outcome` of the webhook. At most 10 an hour.",
            suffix: "/test",
            responses: [.init(202, "It will be sent.")],
            errors: [.conflict]
        ),
    ]

    private static let webhook = ResponseDescription.json(
        "The webhook.",
        .named("Webhook"),
        headers: [.cacheControl]
    )

    private static func one(
        _ method: HTTPRequest.Method,
        _ id: String,
        _ summary: String,
        description: String? = nil,
        suffix: String = "",
        body: RequestBodyDescription? = nil,
        responses: [ResponseDescription],
        errors: [ErrorResponse] = []
    ) -> Operation {
        Operation(
            method,
            "/v1/me/webhooks/{id}\(suffix)",
            id,
            .channels,
            summary,
            description: description,
            access: .signedIn,
            parameters: [.id(of: "webhook")],
            body: body,
            responses: responses,
            errors: [.forbidden, .notFound] + errors
        )
    }
}

extension Schema {
    static let channels: [String: Schema] = [
        "PushSubscription": .object([
            "id": .uuid, "service": .text().described("The host of the push service."),
            "language": .choice(Language.self), "created_at": .timestamp, "failing_since": .timestamp.orNull,
        ]),
        "NewPushSubscription": .object(
            ["endpoint": .address, "keys": .object(["p256dh": .text(), "auth": .text()])],
            optional: ["expirationTime": .number().orNull],
            isClosed: true
        ),
        "Webhook": .object(webhook),
        "WebhookWithSecret": .object(webhook.merging(["secret": .text()]) { $1 }),
        "NewWebhook": .object(["url": .address], isClosed: true),
        "WebhookPatch": .object([:], optional: ["url": .address, "enabled": .flag], isClosed: true),
    ]

    private static let webhook: [String: Schema] = [
        "id": .uuid, "url": .address, "enabled": .flag, "created_at": .timestamp,
        "failing_since": .timestamp.orNull.described("The first failure since the last delivery."),
        "disabled_at": .timestamp.orNull,
        "last_outcome": .choice(Webhook.Outcome.self).orNull.described("What became of the last attempt."),
    ]
}
