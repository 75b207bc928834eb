import Domain
import OpenAPI

extension Operation {
    static let monitoring = [getHealth, getReadiness, getMetrics]

    private static let getHealth = Operation(
        .get,
        "/healthz",
        "getHealth",
        .operations,
        "Whether it is alive, and its version",
        responses: [.json("It is.", .named("Health"), example: ["status": "ok", "version": "1.2.3"])],
        isStrict: false
    )
    private static let getReadiness = Operation(
        .get,
        "/readyz",
        "getReadiness",
        .operations,
        "Whether it is ready: the database answers",
        responses: [.json("It is.", .named("Health"), example: ["status": "ready"])],
        isStrict: false
    )
    private static let getMetrics = Operation(
        .get,
        "/metrics",
        "getMetrics",
        .operations,
        "Figures for Prometheus",
        description: "For admins, and for the token of `serve --metrics-token-file`.",
        access: .signedIn,
        responses: [
            .init(
                200,
                "The figures.",
                headers: [.cacheControl],
                [.init(type: "text/plain", schema: .text())]
            )
        ],
        errors: [.forbidden],
        isStrict: false
    )
}

extension Schema {
    static let operations: [String: Schema] = [
        "Health": .object(
            ["status": .choice(["ok", "ready"])],
            optional: [
                "version": .text().described("The version of the program; only in `/healthz`."),
                "photos": .choice(["ready", "unavailable"]).described(
                    "Whether the last request to the store of photos succeeded; only if they are in a bucket."
                ),
                "clock_days_ahead": .integer(atLeast: 1).described(
                    "Present if the clock is implausibly far ahead, so that the service uses an earlier time."
                ),
            ]
        ),
        "Problem": .object(
            ["title": .text(), "status": .integer(400...599), "detail": .text().described("What was expected.")],
            optional: [
                "field": .text().described("The field or parameter that was wrong."),
                "candidates": .list(of: .object(["place": .text(), "lon": .number(), "lat": .number()]))
                    .described(
                        "The towns that an unclear `place` may mean, or the points that a doubtful one may mean, best first. Send `place` or the point."
                    ),
            ]
        ).described("Problem details (RFC 9457)."),
    ]
}
