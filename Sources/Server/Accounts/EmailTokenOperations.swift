import Credentials
import Domain
import OpenAPI

extension Operation {
    /// The operations that need a token from a mail.
    static let emailTokens = [
        Operation(
            .post,
            "/v1/verifications",
            "verify",
            .accounts,
            "Show that an address is yours",
            description: """
                With the token of a mail: makes the account that was asked for and signs in, opens the private link of a guest, \
                which works more than once, or gives the account its new address. \
                `password` is compared with the one that was chosen, where it is sent: a mail may have been asked for by somebody else.
                """,
            body: .json(.named("Verification"), example: ["token": .string(token), "password": "correct horse"]),
            responses: [
                .json(status: 201, "The account, signed in.", .named("Session"), headers: [.cacheControl]),
                .nothing("The account has its new address."),
            ],
            errors: [.forbidden, .notFound, .conflict, .tooLarge, .unsupportedMediaType]
        ),
        Operation(
            .put,
            "/v1/me/link",
            "sendPrivateLink",
            .accounts,
            "Ask for a private link by e-mail",
            description: """
                For guests, who have no password: the link opens the account on any device, and its address gets the guest's \
                notifications once it was opened. It takes the place of an earlier one, ends a year after it was last opened, and \
                opens everything that the guest's own device can. 404 where the service sends no mails.
                """,
            access: .signedIn,
            body: .json(.named("PasswordResetRequest"), example: ["email": "anna@example.org"]),
            responses: [.init(202, "A mail with the link is on its way.", headers: [.cacheControl])],
            errors: [.notFound, .conflict, .tooLarge, .unsupportedMediaType]
        ),
        Operation(
            .delete,
            "/v1/me/link",
            "endPrivateLink",
            .accounts,
            "End the private link",
            description: "Its address gets no more mails, and all sessions but this one end.",
            access: .signedIn,
            responses: [.nothing("There is no link.")],
            errors: [.notFound]
        ),
        Operation(
            .post,
            "/v1/password-resets",
            "askForPasswordReset",
            .accounts,
            "Ask for a mail that leads to a new password",
            description:
                "The answer is the same whether or not there is an account with the address. 404 where the service sends no mails.",
            body: .json(.named("PasswordResetRequest"), example: ["email": "anna@example.org"]),
            responses: [.init(202, "The owner of an account gets a mail.", headers: [.cacheControl])],
            errors: [.notFound, .tooLarge, .unsupportedMediaType]
        ),
        Operation(
            .put,
            "/v1/password-resets",
            "resetPassword",
            .accounts,
            "Set a new password with the token of a mail",
            description: "Ends all sessions, and the wait after wrong passwords.",
            body: .json(
                .named("PasswordReset"),
                example: ["token": .string(token), "password": "battery staple"]
            ),
            responses: [.nothing("The password is set.")],
            errors: [.notFound, .tooLarge, .unsupportedMediaType]
        ),
    ]

    private static let token = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA"
}

extension Schema {
    static let emailTokens: [String: Schema] = [
        "Verification": .object(["token": .text()], optional: ["password": .text().orNull], isClosed: true),
        "PasswordResetRequest": .object(["email": .email], isClosed: true),
        "PasswordReset": .object(
            ["token": .text(), "password": .text(Field.passwordLengths)],
            isClosed: true
        ),
    ]
}
