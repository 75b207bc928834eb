import Domain
import OpenAPI

extension Operation {
    static let monitoring = tagged(.operations) {
        get("/healthz", "getHealth", "Whether it is alive, and its version")
            .answering(.json("It is.", .named("Health"), example: ["status": "ok", "version": "1.2.3"]))
            .lenient
        get("/readyz", "getReadiness", "Whether it is ready: the database answers")
            .answering(.json("It is.", .named("Health"), example: ["status": "ready"]))
            .lenient
        get("/metrics", "getMetrics", "Figures for Prometheus")
            .signedIn
            .described("For admins, and for the token of `serve --metrics-token-file`.")
            .answering(.text("The figures.", type: "text/plain"))
            .lenient
    }
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
