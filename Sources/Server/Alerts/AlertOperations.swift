import Domain
import HTTP
import OpenAPI

extension Operation {
    static let alerts = tagged(.alerts) {
        get("/v1/me/alerts", "listAlerts", "The own alerts, oldest first")
            .signedIn
            .answering(.json("The alerts.", .named("AlertList")))
        post("/v1/me/alerts", "createAlert", "Save a search as an alert, or continue that of a listing")
            .signedIn.taking(.acceptLanguage)
            .described(
                """
                The search needs an area (`lon`, `lat` and `radius`, `bbox` or `place`) or an `organisation`. The alert finds listings that are posted from now \
                on, and listings whose status changes. An account has at most \(Alert.maxCount) saved searches. With `matches` instead of \
                `search`, the alert tells possible matches of an own listing. Each new listing has one; the answer to a repeated \
                request is 200.
                """
            )
            .sending(.json(.named("NewAlert"), example: sample))
            .answering(
                .json(status: 201, "The alert.", .named("Alert"), headers: [.eTag, .location]),
                .json("The alert that the listing has already.", .named("Alert"), headers: [.eTag])
            )
            .failing(.notFound)
        get("/v1/me/alerts/{id}", "getAlert", "One alert")
            .signedIn.taking(.id(of: "alert"))
            .answering(.json("The alert.", .named("Alert"), headers: [.eTag]))
        patch("/v1/me/alerts/{id}", "editAlert", "Rename or pause an alert, or change its search")
            .signedIn.taking(.id(of: "alert"), .ifMatch, .acceptLanguage)
            .described("Fields that are absent stay as they are. What the alert has found stays.")
            .sending(.mergePatch(.named("AlertPatch"), example: ["paused": true]))
            .answering(.json("The alert as it is now.", .named("Alert")))
        delete("/v1/me/alerts/{id}", "deleteAlert", "Delete an alert with what it has found")
            .signedIn.taking(.id(of: "alert"), .ifMatch)
        get(
            "/v1/me/alerts/{id}/listings", "listAlertListings",
            "The open listings that an alert has found, newest first"
        )
        .signedIn.taking(.id(of: "alert"), .limit(.listings), .cursor)
        .answering(.json("The listings.", .named("AlertListings"), headers: [.link]))
        get("/v1/me/notifications", "getNotificationSettings", "How the account is told what its alerts find")
            .signedIn
            .answering(.json("The settings.", .named("NotificationSettings")))
        patch("/v1/me/notifications", "editNotificationSettings", "Change how the account is told")
            .signedIn
            .described("Fields that are absent stay as they are.")
            .sending(
                .mergePatch(.named("NotificationSettingsPatch"), example: ["frequency": "daily", "summary_hour": 19])
            )
            .answering(.json("The settings as they are now.", .named("NotificationSettings")))
    }

    private static let sample: JSONValue = [
        "name": "Fisciano",
        "search": ["status": "lost", "species": "dog", "lon": 14.79, "lat": 40.77, "radius": 10_000],
    ]
}

extension Schema {
    private static let notificationSettings: [String: Schema] = [
        "email": .flag, "frequency": .choice(NotificationSettings.Frequency.self),
        "summary_hour": .integer(NotificationSettings.summaryHours).described("The local hour of the summary."),
        "likely_at_once": .flag.described(
            "Whether matches of at least 50 % are told at once in any case, also at night."
        ),
    ]

    private static let polygon = list(
        of: list(of: number(-180...180), 2...2),
        Polygon.counts.lowerBound...Polygon.counts.upperBound + 1
    ).described("A ring of corners, each with longitude and latitude, RFC 7946.")

    static let alerts: [String: Schema] = [
        "AlertList": .object(["alerts": .list(of: .named("Alert"))]),
        "Alert": .object(
            [
                "id": .uuid, "name": .text().orNull, "paused": .flag, "created_at": .timestamp,
                "updated_at": .timestamp,
            ],
            optional: [
                "search": .object(
                    [:],
                    optional: Dictionary(uniqueKeysWithValues: AlertSearch.names.map { ($0, .text()) })
                )
                .described("Parameters of `GET /v1/listings`."),
                "matches": .object(["listing": .uuid, "minimum_probability": .number(Alert.probabilities)]),
            ]
        ),
        "NewAlert": .request(optional: [
            "search": .named("AlertSearch"), "name": .plainText(Alert.maxNameLength).orNull,
            "matches": .request(["listing": .uuid], optional: ["minimum_probability": .number(Alert.probabilities)]),
        ])
        .described("Either `search` or `matches` is required."),
        "NotificationSettings": .object(notificationSettings),
        "NotificationSettingsPatch": .request(optional: notificationSettings),
        "AlertPatch": .request(optional: [
            "search": .named("AlertSearch"), "name": .plainText(Alert.maxNameLength).orNull, "paused": .flag,
            "minimum_probability": .number(Alert.probabilities),
        ]),
        "AlertSearch": .request(optional: [
            "status": .choice(Listing.Status.open.map(\.rawValue)), "species": .choice(Species.self),
            "breed": .queryText, "crosses": .choice(CrossFilter.self), "place": .queryText, "q": .queryText,
            "reading": .choice(ReadingFilter.self),
            "lon": .longitude, "lat": .latitude,
            "radius": .number(1...Coordinate.maxDistance), "bbox": .text(), "polygon": polygon,
            "lang": .choice(Language.self),
            AlertSearch.organisation: .uuid.described("Only its animals, wherever they are, in one summary a day."),
        ]),
        "AlertListings": .object([
            "listings": .list(
                of: .object([
                    "status": .choice(Listing.Status.open.map(\.rawValue)).described("When the alert found it."),
                    "found_at": .timestamp, "probability": .number(0...1).orNull.described("That of a match."),
                    "id": .uuid, "href": .address,
                ])
            ), "numberReturned": .integer(atLeast: 0), "links": .list(of: .named("Link")),
        ]),
    ]
}
