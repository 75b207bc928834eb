import Domain

extension Operation {
    static let operations = [getLanding, getDocument, getHealth, getReadiness, getMetrics]

    private static let getLanding = Operation(
        .get,
        "/",
        "getLanding",
        .operations,
        "Where to begin",
        description: "Who asks for `text/html` gets the board as `/board` shows it, with its parameters.",
        access: .known,
        parameters: [.query("f", .text(), "`json` for JSON whatever `Accept` says.", example: "json")],
        answers: [
            Answer(
                200,
                "The board, or links.",
                headers: [.vary],
                [
                    .init(
                        type: "application/json",
                        schema: .object(["title": .text(), "description": .text(), "links": .list(of: .named("Link"))])
                    ), .init(type: "text/html", schema: .text()),
                ]
            )
        ],
        exampleQuery: "f=json",
        isStrict: false
    )
    private static let getDocument = Operation(
        .get,
        "/openapi.json",
        "getOpenAPIDocument",
        .operations,
        "This document",
        parameters: [.ifNoneMatch],
        answers: [
            .json(
                "OpenAPI 3.0.3.",
                Schema.object(["openapi": .text(), "info": .object([:]), "paths": .object([:])]),
                type: OpenAPIDocument.mediaType,
                headers: [.eTag, .cacheControl]
            ), .unchanged([.cacheControl]),
        ],
        isStrict: false
    )
    private static let getHealth = Operation(
        .get,
        "/healthz",
        "getHealth",
        .operations,
        "Whether it is alive",
        answers: [.json("It is.", .named("Health"), example: ["status": "ok"])],
        isStrict: false
    )
    private static let getReadiness = Operation(
        .get,
        "/readyz",
        "getReadiness",
        .operations,
        "Whether it is ready: the database answers",
        answers: [.json("It is.", .named("Health"), example: ["status": "ready"])],
        isStrict: false
    )
}

extension Operation {
    private static let getMetrics = Operation(
        .get,
        "/metrics",
        "getMetrics",
        .operations,
        "Figures for Prometheus",
        description: "For admins, and for the token of `serve --metrics-token-file`.",
        access: .signedIn,
        answers: [
            Answer(
                200,
                "The figures.",
                headers: [.cacheControl],
                [.init(type: "text/plain", schema: .text())]
            )
        ],
        refusals: [.forbidden],
        isStrict: false
    )
}

extension Schema {
    static let operations: [String: Schema] = [
        "Health": .object(["status": .choice(["ok", "ready"])]),
        "Problem": .object(
            ["title": .text(), "status": .integer(400...599), "detail": .text().described("What was expected.")],
            optional: ["field": .text().described("Of what it was expected.")]
        ).described("Problem details (RFC 9457)."),
    ]
}
