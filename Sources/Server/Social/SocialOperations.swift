import Domain
import HTTP
import OpenAPI

extension Operation {
    static let social = tagged(.organisations) {
        get(
            "/v1/organisations/{id}/social-accounts", "listSocialAccounts",
            "The accounts at other services where listings are posted, for managers"
        )
        .signedIn.taking(organisation)
        .answering(.json("Oldest first.", .object(["social_accounts": .list(of: .named("SocialAccount"))])))
        post(
            "/v1/organisations/{id}/social-accounts", "createSocialAccount",
            "Post new listings of an area at Telegram or Mastodon, for managers"
        )
        .signedIn.taking(organisation, .acceptLanguage)
        .described(
            """
            New listings within `radius` metres of `place`, or of `lon` and `lat`, are posted with their photo a minute after they \
            were posted here, changed with them, and deleted when the listing is hidden or deleted. Telegram needs `chat`, Mastodon \
            `server`. The service is asked at once whether it accepts the `token`, which is not shown again. An organisation has at \
            most \(SocialAccount.maxCount).
            """
        )
        .sending(
            .json(
                .named("NewSocialAccount"),
                example: [
                    "service": "telegram", "chat": "@lostdogs", "token": "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11",
                    "place": "Fisciano", "radius": .number(25_000), "language": "it",
                ]
            )
        )
        .answering(.json(status: 201, "The social account.", .named("SocialAccount")))
        .failing(.conflict)
        patch(
            "/v1/organisations/{id}/social-accounts/{account}", "editSocialAccount",
            "Pause a social account, or let it go on, for managers"
        )
        .signedIn.taking(organisation, account)
        .described(
            "New listings are not posted at a paused account, also not later. Posts are changed when it goes on."
        )
        .sending(.mergePatch(.named("SocialAccountPatch"), example: ["paused": true], isRequired: true))
        .answering(.json("The social account.", .named("SocialAccount")))
        delete(
            "/v1/organisations/{id}/social-accounts/{account}", "deleteSocialAccount",
            "Remove a social account with its token, for managers"
        )
        .signedIn.taking(organisation, account)
        .described("What it has posted stays at the service.")
        post(
            "/v1/organisations/{id}/social-accounts/{account}/test", "testSocialAccount",
            "Ask the service whether the token and the chat can be used, for managers"
        )
        .signedIn.taking(organisation, account)
        .answering(.nothing("They can be used."))
        .failing(.conflict)
    }

    private static let organisation = Parameter.id(of: "organisation")
    private static let account = Parameter.path("account", .uuid, "The id of the social account.", example: .sampleID)
}

extension Schema {
    static let social: [String: Schema] = [
        "SocialAccount": .object([
            "id": .uuid, "service": .choice(SocialAccount.Service.self), "server": .address.orNull,
            "chat": .text().orNull, "name": .text().described("The name of the account at the service."),
            "lon": .number(), "lat": .number(), "radius": .integer(SocialAccount.radii),
            "species": .choice(Species.self).orNull, "language": .choice(Language.self), "paused": .flag,
            "problem": .choice(SocialAccount.Problem.self).orNull, "problem_at": .timestamp.orNull,
            "created_at": .timestamp, "posts": .integer(atLeast: 0),
        ]),
        "NewSocialAccount": .request(
            ["service": .choice(SocialAccount.Service.self), "token": .text(1...200)],
            optional: [
                "server": .text(1...200), "chat": .text(1...40), "place": .text(1...200),
                "lon": .number(), "lat": .number(), "radius": .integer(SocialAccount.radii),
                "species": .choice(Species.self).orNull, "language": .choice(Language.self),
            ]
        ),
        "SocialAccountPatch": .request(["paused": .flag]),
    ]
}
