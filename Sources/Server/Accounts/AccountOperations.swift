import Credentials
import Domain
import OpenAPI

extension Operation {
    static let accounts = tagged(.accounts) {
        post("/v1/guests", "becomeGuest", "A guest's token")
            .described("Whoever registers or signs in with it keeps what the guest posted.")
            .answering(.json(status: 201, "A guest.", .named("Session"), headers: [.cacheControl]))
        post("/v1/accounts", "register", "Register")
            .known
            .described(
                """
                With a guest's token the guest's listings come along, and the token ends. Where the service sends mails, the answer is 202,             whether or not the address is taken, and a mail says how it goes on: see `POST /v1/verifications`.
                """
            )
            .sending(.json(.named("Registration"), example: credentials))
            .answering(
                .json(status: 201, "The account.", .named("Session")),
                .init(202, "A mail says how it goes on.", headers: [.cacheControl])
            )
            .failing(.conflict)
        post("/v1/sessions", "signIn", "Sign in")
            .known
            .described(
                """
                With a guest's token the guest's listings, messages and alerts come along. If the account has a second factor and `code` is \
                missing or wrong, the answer is 401 with the `field` `code`.
                """
            )
            .sending(.json(.named("Credentials"), example: credentials))
            .answering(.json(status: 201, "A token.", .named("Session")))
        delete("/v1/sessions", "signOut", "Sign out: the token ends")
            .signedIn
        get("/v1/me", "getProfile", "The profile")
            .signedIn.taking(.ifNoneMatch)
            .answering(.json("The account.", .named("Account")))
        patch("/v1/me", "editProfile", "Change the profile, the password or the address")
            .signedIn.taking(.ifMatch)
            .described(
                """
                A merge patch (RFC 7396): null clears, what is left out stays. `password` changes the password and ends all other \
                sessions, `email` changes the address; `current_password` has to be right then. Where the service sends mails, the account \
                has its new address when the token of the mail that comes there was sent to `POST /v1/verifications`.
                """
            )
            .sending(.mergePatch(.named("ProfilePatch"), example: ["first_name": "Anna", "phone": "+39 333 1234567"]))
            .answering(.json("The account as it is now.", .named("Account")))
            .failing(.conflict)
        delete("/v1/me", "deleteAccount", "Delete the account and all it holds")
            .signedIn.taking(.ifMatch)
        get("/v1/me/export", "exportAccount", "All that is kept of the account, as one ZIP file")
            .signedIn
            .described("`data.json`, `listings.geojson` with all that only their owner sees, and the photos.")
            .answering(.file("The file.", type: "application/zip", headers: [.contentDisposition]))
        put("/v1/me/picture", "putPicture", "Set the profile's picture")
            .signedIn.taking(.acceptLanguage, .ifMatch, .ifAbsent)
            .sending(.photo)
            .answering(
                .json(status: 200, "In the place of another one.", .named("Picture"), headers: [.location])
                    .withoutCacheControl,
                .json(status: 201, "The first one.", .named("Picture"), headers: [.location]).withoutCacheControl
            )
        delete("/v1/me/picture", "deletePicture", "Remove the profile's picture")
            .signedIn.taking(.ifMatch)
            .failing(.notFound)
        get("/v1/me/sessions", "listSessions", "Where one is signed in")
            .signedIn
            .answering(.json("Those that have not expired, used last first.", .named("Sessions")))
        delete("/v1/me/sessions/{id}", "endSession", "Sign out somewhere")
            .signedIn.taking(.id(of: "session"))
        delete("/v1/me/sessions", "endOtherSessions", "Sign out everywhere else")
            .signedIn
            .answering(.nothing("All but the session that asks have ended."))
    }

    private static let credentials: JSONValue = ["email": "anna@example.org", "password": "correct horse"]
}

extension Schema {
    static let accounts: [String: Schema] = [
        "Account": .object([
            "id": .uuid, "role": .choice(Account.Role.self),
            "email": .text().orNull.described("Of a guest: the confirmed address of the private link."),
            "email_confirmed": .flag.described("Whether notifications can be sent to the address."),
            "first_name": .text().orNull, "last_name": .text().orNull, "phone": .text().orNull, "phone_e164": .e164,
            "picture": .text().orNull, "disabled": .flag,
            "second_factor": .flag.described("Whether signing in takes a code besides the password."),
            "created_at": .timestamp,
        ]),
        "Session": .object(["token": .text().described("For `Authorization: Bearer`."), "account": .named("Account")]),
        "Sessions": .object([
            "sessions": .list(
                of: .object([
                    "id": .uuid,
                    "client": .text(1...80).orNull.described("What it was begun with, like `Firefox, Android`."),
                    "created_at": .timestamp, "last_used_at": .timestamp.described("To within ten minutes."),
                    "expires_at": .timestamp.described("Unless it is used again."), "current": .flag,
                ])
            )
        ]),
        "Credentials": .request(["email": .text(), "password": .text()], optional: ["code": code.orNull]),
        "Registration": .request(["email": .email, "password": newPassword], optional: profile),
        "ProfilePatch": profilePatch,
        "Picture": .object([
            "width": .integer(atLeast: 1), "height": .integer(atLeast: 1), "url": .address, "medium": .address,
            "thumbnail": .address,
        ]),
    ]

    private static let newPassword = text(Field.passwordLengths)

    static let profile: [String: Schema] = [
        "first_name": .plainText(Profile.MaxLength.name).orNull, "last_name": .plainText(Profile.MaxLength.name).orNull,
        "phone": .phone,
        "picture": .text(0...Profile.MaxLength.picture, pattern: #"^(https://[A-Za-z0-9.-]*[A-Za-z0-9](/[!-~]*)?)?$"#)
            .orNull
            .described("An address of a picture elsewhere."),
    ]

    private static let profilePatch = request(
        optional: profile.merging(["current_password": .text(), "email": .email, "password": newPassword]) { $1 })
}
