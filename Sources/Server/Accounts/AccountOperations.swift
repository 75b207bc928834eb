import Credentials
import Domain
import OpenAPI

extension Operation {
    static let accounts = [
        becomeGuest, register, signIn, signOut, getProfile, editProfile, deleteAccount, exportAccount, putPicture,
        deletePicture,
        listSessions, endSession, endOtherSessions,
    ]

    private static let credentials: JSONValue = ["email": "anna@example.org", "password": "correct horse"]

    private static let becomeGuest = Operation(
        .post,
        "/v1/guests",
        "becomeGuest",
        .accounts,
        "A guest's token",
        description: "Whoever registers or signs in with it keeps what the guest posted.",
        responses: [.json(status: 201, "A guest.", .named("Session"), headers: [.cacheControl])]
    )
    private static let register = Operation(
        .post,
        "/v1/accounts",
        "register",
        .accounts,
        "Register",
        description: """
            With a guest's token the guest's listings come along, and the token ends. Where the service sends mails, the answer is 202,             whether or not the address is taken, and a mail says how it goes on: see `POST /v1/verifications`.
            """,
        access: .known,
        body: .json(.named("Registration"), example: credentials),
        responses: [
            .json(status: 201, "The account.", .named("Session"), headers: [.cacheControl]),
            .init(202, "A mail says how it goes on.", headers: [.cacheControl]),
        ],
        errors: [.conflict, .tooLarge, .unsupportedMediaType]
    )
    private static let signIn = Operation(
        .post,
        "/v1/sessions",
        "signIn",
        .accounts,
        "Sign in",
        description: """
            With a guest's token the guest's listings, messages and alerts come along. If the account has a second factor and `code` is \
            missing or wrong, the answer is 401 with the `field` `code`.
            """,
        access: .known,
        body: .json(.named("Credentials"), example: credentials),
        responses: [.json(status: 201, "A token.", .named("Session"), headers: [.cacheControl])],
        errors: [.tooLarge, .unsupportedMediaType]
    )
    private static let signOut = Operation(
        .delete,
        "/v1/sessions",
        "signOut",
        .accounts,
        "Sign out: the token ends",
        access: .signedIn,
        responses: [.nothing()]
    )
    private static let getProfile = Operation(
        .get,
        "/v1/me",
        "getProfile",
        .accounts,
        "The profile",
        access: .signedIn,
        parameters: [.ifNoneMatch],
        responses: [
            .json("The account.", .named("Account"), headers: [.eTag, .cacheControl]), .unchanged([.cacheControl]),
        ]
    )
    private static let editProfile = Operation(
        .patch,
        "/v1/me",
        "editProfile",
        .accounts,
        "Change the profile, the password or the address",
        description: """
            A merge patch (RFC 7396): null clears, what is left out stays. `password` changes the password and ends all other \
            sessions, `email` changes the address; `current_password` has to be right then. Where the service sends mails, the account \
            has its new address when the token of the mail that comes there was sent to `POST /v1/verifications`.
            """,
        access: .signedIn,
        parameters: [.ifMatch],
        body: .mergePatch(
            .named("ProfilePatch"),
            example: ["first_name": "Anna", "phone": "+39 333 1234567"]
        ),
        responses: [.json("The account as it is now.", .named("Account"), headers: [.eTag, .cacheControl])],
        errors: [.forbidden, .conflict, .preconditionFailed, .tooLarge, .unsupportedMediaType]
    )
    private static let deleteAccount = Operation(
        .delete,
        "/v1/me",
        "deleteAccount",
        .accounts,
        "Delete the account and all it holds",
        access: .signedIn,
        parameters: [.ifMatch],
        responses: [.nothing()],
        errors: [.preconditionFailed]
    )
    private static let exportAccount = Operation(
        .get,
        "/v1/me/export",
        "exportAccount",
        .accounts,
        "All that is kept of the account, as one ZIP file",
        description: "`data.json`, `listings.geojson` with all that only their owner sees, and the photos.",
        access: .signedIn,
        responses: [.file("The file.", type: "application/zip", headers: [.contentDisposition, .cacheControl])]
    )
    private static let listSessions = Operation(
        .get,
        "/v1/me/sessions",
        "listSessions",
        .accounts,
        "Where one is signed in",
        access: .signedIn,
        responses: [
            .json("Those that have not expired, used last first.", .named("Sessions"), headers: [.cacheControl])
        ]
    )
    private static let endOtherSessions = Operation(
        .delete,
        "/v1/me/sessions",
        "endOtherSessions",
        .accounts,
        "Sign out everywhere else",
        access: .signedIn,
        responses: [.nothing("All but the session that asks have ended.")]
    )
    private static let endSession = Operation(
        .delete,
        "/v1/me/sessions/{id}",
        "endSession",
        .accounts,
        "Sign out somewhere",
        access: .signedIn,
        parameters: [.id(of: "session")],
        responses: [.nothing()],
        errors: [.notFound]
    )
    private static let putPicture = Operation(
        .put,
        "/v1/me/picture",
        "putPicture",
        .accounts,
        "Set the profile's picture",
        access: .signedIn,
        parameters: [.acceptLanguage, .ifMatch, .ifAbsent],
        body: .photo,
        responses: [
            .json(status: 200, "In the place of another one.", .named("Picture"), headers: [.location]),
            .json(status: 201, "The first one.", .named("Picture"), headers: [.location]),
        ],
        errors: [.preconditionFailed, .tooLarge, .unsupportedMediaType]
    )
    private static let deletePicture = Operation(
        .delete,
        "/v1/me/picture",
        "deletePicture",
        .accounts,
        "Remove the profile's picture",
        access: .signedIn,
        parameters: [.ifMatch],
        responses: [.nothing()],
        errors: [.notFound, .preconditionFailed]
    )
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
        "Credentials": .object(
            ["email": .text(), "password": .text()],
            optional: ["code": code.orNull],
            isClosed: true
        ),
        "Registration": .object(["email": .email, "password": newPassword], optional: profile, isClosed: true),
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

    private static let profilePatch = object(
        [:],
        optional: profile.merging(["current_password": .text(), "email": .email, "password": newPassword]) { $1 },
        isClosed: true
    )
}
