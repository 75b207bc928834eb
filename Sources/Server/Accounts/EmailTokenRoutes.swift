import Domain
import HTTP
import Hummingbird

/// The API for tokens from mails.
struct EmailTokenRoutes {
    let service: AccountService
    let account: AccountRoutes

    func add(to router: Router<ServiceContext>) {
        router.post("/v1/verifications", use: verify)
        router.post("/v1/password-resets", use: requestPasswordReset)
        router.put("/v1/password-resets", use: reset)
        router.group(context: SignedInContext.self)
            .put("/v1/me/link", use: sendLink)
            .delete("/v1/me/link", use: endLink)
    }

    @Sendable private func verify(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let fields = try await request.fields(["password", "token"])
        var password: String?
        if let value = fields["password"], value != .null {
            guard case .string(let text) = value else {
                throw ServiceError.invalid("password", "expected the password that was chosen")
            }
            password = text
        }
        let device = service.device(request, context)
        guard let (account, token) = try await service.verify(try fields.token(), password: password, from: device)
        else {
            return .noContent
        }
        return self.account.signedIn(account, token)
    }

    @Sendable private func sendLink(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let fields = try await request.fields(["email"])
        let email = try Field("email", fields["email"] ?? .null).requiredEmail()
        try service.sendLink(of: context.caller, to: email, request.preferredLanguage)
        return .mailed
    }

    @Sendable private func endLink(_ request: Request, _ context: SignedInContext) async throws -> Response {
        try await service.endLink(of: context.caller)
        return .noContent
    }

    @Sendable private func requestPasswordReset(_ request: Request, _ context: ServiceContext) async throws -> Response
    {
        let fields = try await request.fields(["email"])
        let email = try Field("email", fields["email"] ?? .null).requiredEmail()
        try service.requestPasswordReset(email, request.preferredLanguage)
        return .mailed
    }

    @Sendable private func reset(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let fields = try await request.fields(["password", "token"])
        let password = Field("password", fields["password"] ?? .null)
        try await service.reset(try fields.token(), password, request.preferredLanguage)
        return .noContent
    }
}

extension Response {
    /// The response to a request whose next step a mail explains.
    static var mailed: Response { Response(status: .accepted, headers: [.cacheControl: CacheControl.noStore]) }
}

extension [String: JSONValue] {
    fileprivate func token() throws(ServiceError) -> String {
        guard case .string(let token)? = self["token"] else { throw .invalid("token", "expected that of a mail") }
        return token
    }
}
