import Credentials
import Domain
import OpenAPI

extension Operation {
    /// The operations that need a token from a mail.
    static let emailTokens = tagged(.accounts) {
        post("/v1/verifications", "verify", "Show that an address is yours")
            .described(
                """
                With the token of a mail: makes the account that was asked for and signs in, opens the private link of a guest, \
                which works more than once, or gives the account its new address. \
                `password` is compared with the one that was chosen, where it is sent: a mail may have been asked for by somebody else.
                """
            )
            .sending(.json(.named("Verification"), example: ["token": .string(token), "password": "correct horse"]))
            .answering(
                .json(status: 201, "The account, signed in.", .named("Session"), headers: [.cacheControl]),
                .nothing("The account has its new address.")
            )
            .failing(.notFound, .conflict)
        put("/v1/me/link", "sendPrivateLink", "Ask for a private link by e-mail")
            .signedIn
            .described(
                """
                For guests, who have no password: the link opens the account on any device, and its address gets the guest's \
                notifications once it was opened. It takes the place of an earlier one, ends a year after it was last opened, and \
                opens everything that the guest's own device can. 404 where the service sends no mails.
                """
            )
            .sending(.json(.named("PasswordResetRequest"), example: ["email": "anna@example.org"]))
            .answering(.init(202, "A mail with the link is on its way.", headers: [.cacheControl]))
            .failing(.notFound, .conflict)
        delete("/v1/me/link", "endPrivateLink", "End the private link")
            .signedIn
            .described("Its address gets no more mails, and all sessions but this one end.")
            .answering(.nothing("There is no link."))
            .failing(.notFound)
        post("/v1/password-resets", "askForPasswordReset", "Ask for a mail that leads to a new password")
            .described(
                "The answer is the same whether or not there is an account with the address. 404 where the service sends no mails."
            )
            .sending(.json(.named("PasswordResetRequest"), example: ["email": "anna@example.org"]))
            .answering(.init(202, "The owner of an account gets a mail.", headers: [.cacheControl]))
            .failing(.notFound)
        put("/v1/password-resets", "resetPassword", "Set a new password with the token of a mail")
            .described("Ends all sessions, and the wait after wrong passwords.")
            .sending(.json(.named("PasswordReset"), example: ["token": .string(token), "password": "battery staple"]))
            .answering(.nothing("The password is set."))
            .failing(.notFound)
    }

    private static let token = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA"
}

extension Schema {
    static let emailTokens: [String: Schema] = [
        "Verification": .request(["token": .text()], optional: ["password": .text().orNull]),
        "PasswordResetRequest": .request(["email": .email]),
        "PasswordReset": .request(["token": .text(), "password": .text(Field.passwordLengths)]),
    ]
}
