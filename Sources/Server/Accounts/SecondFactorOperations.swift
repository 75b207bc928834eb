import Credentials
import Domain
import OpenAPI

extension Operation {
    static let secondFactors = [
        getSecondFactor, beginSecondFactor, confirmSecondFactor, renewRecoveryCodes, removeSecondFactor,
    ]

    private static let path = "/v1/me/second-factor"
    private static let proofs: JSONValue = ["current_password": "correct horse", "code": "123456"]

    private static let getSecondFactor = Operation(
        .get,
        path,
        "getSecondFactor",
        .accounts,
        "Whether signing in takes a code, and how many recovery codes are left",
        access: .signedIn,
        responses: [.json("The state.", .named("SecondFactor"), headers: [.cacheControl])]
    )
    private static let beginSecondFactor = Operation(
        .post,
        path,
        "beginSecondFactor",
        .accounts,
        "Begin to set up a second factor",
        description: """
            Makes a secret for an authenticator app: TOTP (RFC 6238) with SHA-1, 6 digits and 30 seconds. Signing in \
            takes no code until `PUT` has confirmed the secret. Each call replaces a secret that is not confirmed.
            """,
        access: .signedIn,
        body: .json(.named("SecondFactorRequest"), example: ["current_password": "correct horse"]),
        responses: [.json(status: 201, "The secret.", .named("SecondFactorSecret"), headers: [.cacheControl])],
        errors: [.forbidden, .conflict, .tooLarge, .unsupportedMediaType]
    )
    private static let confirmSecondFactor = Operation(
        .put,
        path,
        "confirmSecondFactor",
        .accounts,
        "Confirm the secret by a code: from now on, signing in takes one",
        description: "The recovery codes are shown only once. All other sessions of the account end.",
        access: .signedIn,
        body: .json(.named("SecondFactorCode"), example: ["code": "123456"]),
        responses: [.json("The recovery codes.", .named("RecoveryCodes"), headers: [.cacheControl])],
        errors: [.forbidden, .conflict, .tooLarge, .unsupportedMediaType]
    )
    private static let renewRecoveryCodes = Operation(
        .post,
        path + "/recovery-codes",
        "renewRecoveryCodes",
        .accounts,
        "Make new recovery codes; the old ones end",
        access: .signedIn,
        body: .json(.named("SecondFactorProofs"), example: proofs),
        responses: [.json("The recovery codes.", .named("RecoveryCodes"), headers: [.cacheControl])],
        errors: [.forbidden, .conflict, .tooLarge, .unsupportedMediaType]
    )
    private static let removeSecondFactor = Operation(
        .post,
        path + "/removal",
        "removeSecondFactor",
        .accounts,
        "Remove the second factor",
        access: .signedIn,
        body: .json(.named("SecondFactorProofs"), example: proofs),
        responses: [.nothing()],
        errors: [.forbidden, .conflict, .tooLarge, .unsupportedMediaType]
    )
}

extension Schema {
    static let secondFactors: [String: Schema] = [
        "SecondFactor": .object([
            "confirmed_at": .timestamp.orNull.described("Null if signing in takes no code."),
            "recovery_codes_left": .integer(0...SecondFactor.recoveryCodeCount),
        ]),
        "SecondFactorRequest": .object(["current_password": .text()], isClosed: true),
        "SecondFactorSecret": .object([
            "secret": .text(pattern: "^[A-Z2-7]{32}$").described("In Base32, to be typed."),
            "uri": .text(pattern: "^otpauth://totp/").described("For a QR code."),
            "expires_at": .timestamp.described("Until then it has to be confirmed."),
        ]),
        "SecondFactorCode": .object(["code": code], isClosed: true),
        "SecondFactorProofs": .object(["current_password": .text(), "code": code], isClosed: true),
        "RecoveryCodes": .object([
            "recovery_codes": .list(
                of: .text(pattern: "^([a-z2-7]{4}-){3}[a-z2-7]{4}$"),
                SecondFactor.recoveryCodeCount...SecondFactor.recoveryCodeCount
            )
        ]),
    ]

    static let code = text().described("6 digits of the authenticator app, or a recovery code.")
}
