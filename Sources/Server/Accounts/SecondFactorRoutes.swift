import Credentials
import Domain
import Formats
import HTTP
import HTTPTypes
import Hummingbird
import Storage

/// The API for the second factor of an account.
struct SecondFactorRoutes {
    let service: AccountService

    func add(to router: Router<ServiceContext>) {
        router.group(context: SignedInContext.self)
            .get("/v1/me/second-factor", use: show)
            .post("/v1/me/second-factor", use: begin)
            .put("/v1/me/second-factor", use: confirm)
            .post("/v1/me/second-factor/recovery-codes", use: renewRecoveryCodes)
            .post("/v1/me/second-factor/removal", use: remove)
    }

    @Sendable private func show(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let factor = try await service.secondFactors.find(of: context.account)
        return .uncachedObject { json in
            json.field("confirmed_at", factor?.confirmedAt?.text)
            json.field("recovery_codes_left", factor?.recoveryCodesLeft ?? 0)
        }
    }

    @Sendable private func begin(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let fields = try await request.fields(["current_password"])
        let enrolment = try await service.beginSecondFactor(of: context.caller, fields["current_password"])
        return .uncachedObject(status: .created) { json in
            json.field("secret", enrolment.totp.secretText)
            json.field("uri", enrolment.address)
            json.field("expires_at", enrolment.expiresAt.text)
        }
    }

    @Sendable private func confirm(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let fields = try await request.fields(["code"])
        guard let code = try fields.code() else {
            throw ServiceError.invalid("code", "expected the 6 digits that the authenticator app shows now")
        }
        return answer(try await service.confirmSecondFactor(of: context.caller, code: code, request.preferredLanguage))
    }

    @Sendable private func renewRecoveryCodes(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let fields = try await request.fields(["code", "current_password"])
        return answer(try await service.renewRecoveryCodes(of: context.caller, fields))
    }

    @Sendable private func remove(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let fields = try await request.fields(["code", "current_password"])
        try await service.removeSecondFactor(of: context.caller, fields, request.preferredLanguage)
        return .noContent
    }

    private func answer(_ codes: [RecoveryCode]) -> Response {
        var json = JSONWriter()
        json.object { json in json.array("recovery_codes", codes) { $0.string($1.text) } }
        return .uncached(json)
    }
}
