import Credentials
import Domain
import OpenAPI

extension Operation {
    static let secondFactors = tagged(.accounts) {
        get(path, "getSecondFactor", "Whether signing in takes a code, and how many recovery codes are left")
            .signedIn
            .answering(.json("The state.", .named("SecondFactor")))
        post(path, "beginSecondFactor", "Begin to set up a second factor")
            .signedIn
            .described(
                """
                Makes a secret for an authenticator app: TOTP (RFC 6238) with SHA-1, 6 digits and 30 seconds. Signing in \
                takes no code until `PUT` has confirmed the secret. Each call replaces a secret that is not confirmed.
                """
            )
            .sending(.json(.named("SecondFactorRequest"), example: ["current_password": "correct horse"]))
            .answering(.json(status: 201, "The secret.", .named("SecondFactorSecret")))
            .failing(.conflict)
        put(path, "confirmSecondFactor", "Confirm the secret by a code: from now on, signing in takes one")
            .signedIn
            .described("The recovery codes are shown only once. All other sessions of the account end.")
            .sending(.json(.named("SecondFactorCode"), example: ["code": "123456"]))
            .answering(.json("The recovery codes.", .named("RecoveryCodes")))
            .failing(.conflict)
        post(path + "/recovery-codes", "renewRecoveryCodes", "Make new recovery codes; the old ones end")
            .signedIn
            .sending(.json(.named("SecondFactorProofs"), example: proofs))
            .answering(.json("The recovery codes.", .named("RecoveryCodes")))
            .failing(.conflict)
        post(path + "/removal", "removeSecondFactor", "Remove the second factor")
            .signedIn
            .sending(.json(.named("SecondFactorProofs"), example: proofs))
            .failing(.conflict)
    }

    private static let path = "/v1/me/second-factor"
    private static let proofs: JSONValue = ["current_password": "correct horse", "code": "123456"]
}

extension Schema {
    static let secondFactors: [String: Schema] = [
        "SecondFactor": .object([
            "confirmed_at": .timestamp.orNull.described("Null if signing in takes no code."),
            "recovery_codes_left": .integer(0...SecondFactor.recoveryCodeCount),
        ]),
        "SecondFactorRequest": .request(["current_password": .text()]),
        "SecondFactorSecret": .object([
            "secret": .text(pattern: "^[A-Z2-7]{32}$").described("In Base32, to be typed."),
            "uri": .text(pattern: "^otpauth://totp/").described("For a QR code."),
            "expires_at": .timestamp.described("Until then it has to be confirmed."),
        ]),
        "SecondFactorCode": .request(["code": code]),
        "SecondFactorProofs": .request(["current_password": .text(), "code": code]),
        "RecoveryCodes": .object([
            "recovery_codes": .list(
                of: .text(pattern: "^([a-z2-7]{4}-){3}[a-z2-7]{4}$"),
                SecondFactor.recoveryCodeCount...SecondFactor.recoveryCodeCount
            )
        ]),
    ]

    static let code = text().described("6 digits of the authenticator app, or a recovery code.")
}
