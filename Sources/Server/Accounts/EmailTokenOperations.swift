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
                With the token of a mail: makes the account that was asked for and signs in, or gives the account its new address. \
                `password` is compared with the one that was chosen, where it is sent: a mail may have been asked for by somebody else.
                """,
            body: .json(.named("Verification"), example: ["token": .string(token), "password": "correct horse"]),
            responses: [
                .json(status: 201, "The account, made and signed in.", .named("Session"), headers: [.cacheControl]),
                .nothing("The account has its new address."),
            ],
            errors: [.forbidden, .notFound, .conflict, .tooLarge, .unsupportedMediaType]
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
