import Credentials
import Domain
import Formats
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Storage

/// The API for guests, registration, sign-in and the user's own profile.
struct AccountRoutes {
    let site: Site
    let service: AccountService

    func add(to router: Router<ServiceContext>) {
        router.post("/v1/guests", use: becomeGuest)
        router.post("/v1/accounts", use: register)
        router.post("/v1/sessions", use: signIn)
        router.group(context: SignedInContext.self)
            .delete("/v1/sessions", use: signOut)
            .get("/v1/me", use: profile)
            .patch("/v1/me", use: edit)
            .delete("/v1/me", use: remove)
    }

    @Sendable private func becomeGuest(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let token = Token()
        return signedIn(try await service.makeGuest(token, client: request.clientName), token)
    }

    @Sendable private func register(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let fields = try await request.fields()
        var profile = Profile()
        try profile.apply(fields, besides: ["email", "password"], in: service.country)
        let (email, password) = try fields.credentials()
        let device = service.device(request, context)
        guard
            let (account, token) = try await service.register(
                email,
                password,
                profile,
                bringing: context.caller,
                from: device
            )
        else { return .mailed }
        return signedIn(account, token)
    }

    @Sendable private func signIn(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let fields = try await request.fields()
        if let unknown = fields.keys.sorted().first(where: { !["code", "email", "password"].contains($0) }) {
            throw ServiceError.invalid(unknown, "is not a field here: expected email, password and code")
        }
        guard case .string(let email)? = fields["email"] else {
            throw ServiceError.invalid("email", "expected an address like anna@example.org")
        }
        guard case .string(let password)? = fields["password"] else {
            throw ServiceError.invalid("password", "expected your password")
        }
        let result = try await service.signIn(
            email,
            password,
            code: try fields.code(),
            bringing: context.caller,
            from: service.device(request, context)
        )
        guard case .done(let account, let token) = result else { throw ServiceError.missingCode }
        return signedIn(account, token)
    }

    @Sendable private func signOut(_ request: Request, _ context: SignedInContext) async throws -> Response {
        try await site.stores.accounts.endSession(tokenHash: context.caller.tokenHash)
        return .noContent
    }

    @Sendable private func profile(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let tag = tag(context.account)
        guard !request.knows(tag) else {
            return Response(status: .notModified, headers: [.eTag: tag, .cacheControl: CacheControl.noStore])
        }
        return response(context.account)
    }

    @Sendable private func edit(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let precondition = Precondition(request)
        try precondition.check([tag(context.account)])
        let fields = try await request.fields(mediaTypes: .mergePatch)
        var profile = context.account.profile
        try profile.apply(fields, besides: ["current_password", "email", "password"], in: service.country)
        // A client may send the picture back as the absolute URL that it received.
        if let kept = context.account.profile.picture, profile.picture == site.baseURL.text + kept {
            profile.picture = kept
        }
        if !Set(fields.keys).isDisjoint(with: ["current_password", "email", "password"]) {
            let device = AccountService.Device(client: nil, network: nil, language: request.preferredLanguage)
            try await service.changeCredentials(of: context.caller, fields, from: device)
        }
        let account = try await site.stores.accounts.update(context.account, profile: profile) { current in
            try precondition.check([tag(current)])
        }
        if account.profile.picture != context.account.profile.picture { await site.photoService.removeDeletedFiles() }
        return response(account)
    }

    @Sendable private func remove(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let precondition = Precondition(request)
        try await site.stores.accounts.remove(context.account) { try precondition.check([tag($0)]) }
        await site.photoService.removeDeletedFiles()
        return .noContent
    }

    func signedIn(_ account: Account, _ token: Token) -> Response {
        .uncachedObject(status: .created) { json in
            json.field("token", token.text)
            json.embed("account") { $0.account(account, in: service.country, base: site.baseURL.text) }
        }
    }

    private func response(_ account: Account) -> Response {
        var response = Response.uncached { $0.account(account, in: service.country, base: site.baseURL.text) }
        response.headers[.eTag] = tag(account)
        return response
    }

    private func tag(_ account: Account) -> String {
        var json = JSONWriter()
        json.account(account, in: service.country, base: site.baseURL.text)
        return json.withBytes { $0.entityTag }
    }
}

extension Profile {
    /// - Parameter country: that of telephone numbers without a country code.
    mutating func apply(_ fields: [String: JSONValue], besides others: Set<String>, in country: String?) throws {
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) where !others.contains(name) {
            guard try apply(Field(name, value), in: country) else {
                let known = (Self.fieldNames + others.sorted()).joined(separator: ", ")
                throw ServiceError.invalid(name, "is not a field here: expected \(known)")
            }
        }
    }
}

extension [String: JSONValue] {
    /// The code of the second factor; nil if there is none.
    func code() throws(ServiceError) -> String? {
        switch self["code"] ?? .null {
        case .null: nil
        case .string(let code): code
        default: throw .invalid("code", "expected the 6 digits of the authenticator app, or a recovery code, as a text")
        }
    }

    func credentials() throws -> (email: String, password: String) {
        let email = try Field("email", self["email"] ?? .null).requiredEmail()
        return (email, try Field("password", self["password"] ?? .null).password(for: email))
    }
}
