import Domain
import HTTP
import OpenAPI

extension Operation {
    static let social = [
        listSocialAccounts, createSocialAccount, editSocialAccount, deleteSocialAccount, testSocialAccount,
    ]

    private static let organisation = Parameter.id(of: "organisation")
    private static let account = Parameter.path("account", .uuid, "The id of the social account.", example: .sampleID)
    private static let one = ResponseDescription.json(
        "The social account.",
        .named("SocialAccount"),
        headers: [.cacheControl]
    )

    private static let listSocialAccounts = Operation(
        .get,
        "/v1/organisations/{id}/social-accounts",
        "listSocialAccounts",
        .organisations,
        "The accounts at other services where listings are posted, for managers",
        access: .signedIn,
        parameters: [organisation],
        responses: [
            .json(
                "Oldest first.",
                .object(["social_accounts": .list(of: .named("SocialAccount"))]),
                headers: [.cacheControl]
            )
        ],
        errors: [.notFound]
    )
    private static let createSocialAccount = Operation(
        .post,
        "/v1/organisations/{id}/social-accounts",
        "createSocialAccount",
        .organisations,
        "Post new listings of an area at Telegram or Mastodon, for managers",
        description: """
            New listings within `radius` metres of `place`, or of `lon` and `lat`, are posted with their photo a minute after they \
            were posted here, changed with them, and deleted when the listing is hidden or deleted. Telegram needs `chat`, Mastodon \
            `server`. The service is asked at once whether it accepts the `token`, which is not shown again. An organisation has at \
            most \(SocialAccount.maxCount).
            """,
        access: .signedIn,
        parameters: [organisation, .acceptLanguage],
        body: .json(
            .named("NewSocialAccount"),
            example: [
                "service": "telegram", "chat": "@lostdogs", "token": "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11",
                "place": "Fisciano", "radius": .number(25_000), "language": "it",
            ]
        ),
        responses: [.json(status: 201, "The social account.", .named("SocialAccount"), headers: [.cacheControl])],
        errors: [.notFound, .conflict, .tooLarge, .unsupportedMediaType]
    )
    private static let editSocialAccount = Operation(
        .patch,
        "/v1/organisations/{id}/social-accounts/{account}",
        "editSocialAccount",
        .organisations,
        "Pause a social account, or let it go on, for managers",
        description:
            "New listings are not posted at a paused account, also not later. Posts are changed when it goes on.",
        access: .signedIn,
        parameters: [organisation, account],
        body: .mergePatch(.named("SocialAccountPatch"), example: ["paused": true], isRequired: true),
        responses: [one],
        errors: [.notFound, .tooLarge, .unsupportedMediaType]
    )
    private static let deleteSocialAccount = Operation(
        .delete,
        "/v1/organisations/{id}/social-accounts/{account}",
        "deleteSocialAccount",
        .organisations,
        "Remove a social account with its token, for managers",
        description: "What it has posted stays at the service.",
        access: .signedIn,
        parameters: [organisation, account],
        responses: [.nothing()],
        errors: [.notFound]
    )
    private static let testSocialAccount = Operation(
        .post,
        "/v1/organisations/{id}/social-accounts/{account}/test",
        "testSocialAccount",
        .organisations,
        "Ask the service whether the token and the chat can be used, for managers",
        access: .signedIn,
        parameters: [organisation, account],
        responses: [.nothing("They can be used.")],
        errors: [.notFound, .conflict]
    )
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
        "NewSocialAccount": .object(
            ["service": .choice(SocialAccount.Service.self), "token": .text(1...200)],
            optional: [
                "server": .text(1...200), "chat": .text(1...40), "place": .text(1...200),
                "lon": .number(), "lat": .number(), "radius": .integer(SocialAccount.radii),
                "species": .choice(Species.self).orNull, "language": .choice(Language.self),
            ],
            isClosed: true
        ),
        "SocialAccountPatch": .object(["paused": .flag], isClosed: true),
    ]
}
