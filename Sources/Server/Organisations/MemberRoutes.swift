import Credentials
import Domain
import Formats
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Storage

/// The API for the members, invitations and keys of organisations.
struct MemberRoutes {
    let site: Site
    let mail: AccountMailer?

    func add(to router: Router<ServiceContext>) {
        let group = router.group(context: SignedInContext.self)
        group
            .get("/v1/organisations/:id/members", use: members)
            .patch("/v1/organisations/:id/members/:member", use: setRole)
            .delete("/v1/organisations/:id/members/:member", use: removeMember)
            .get("/v1/organisations/:id/invitations", use: invitations)
            .post("/v1/organisations/:id/invitations", use: invite)
            .delete("/v1/organisations/:id/invitations/:invitation", use: withdraw)
            .get("/v1/me/invitations", use: ownInvitations)
            .post("/v1/me/invitations/:id", use: accept)
            .delete("/v1/me/invitations/:id", use: decline)
        group
            .get("/v1/organisations/:id/keys", use: keys)
            .post("/v1/organisations/:id/keys", use: createKey)
            .delete("/v1/organisations/:id/keys/:key", use: revokeKey)
            .get("/v1/organisations/:id/actions", use: actions)
            .put("/v1/organisations/:id/second-factor", use: setSecondFactor)
    }

    @Sendable private func members(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let found = try site.stores.organisations.findMembers(of: context.organisation, for: context.account)
        let needsFactor = try site.stores.organisations.find(id: context.organisation)?.requiresSecondFactor ?? false
        return .uncachedObject { json in
            json.array("members", found) { $0.member($1) }
            json.field("second_factor_required", needsFactor)
        }
    }

    @Sendable private func setSecondFactor(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let fields = try await request.fields(["required"])
        guard case .bool(let isRequired)? = fields["required"] else {
            throw ServiceError.invalid("required", "expected true or false")
        }
        try await site.stores.organisations.setSecondFactorRequired(
            isRequired, of: context.organisation, by: context.account)
        return .noContent
    }

    @Sendable private func actions(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let query = request.queryReader()
        let (limit, cursor) = (try query.limit(.actions), try query.keyCursor())
        let found = try site.stores.organisations.findActions(
            of: context.organisation, for: context.account, limit: limit, before: cursor)
        let page = found.prefix(limit)
        let next = found.count > limit ? page.last.map { PageCursor(key: $0.key).token } : nil
        return .list("actions", Array(page), site.baseURL, request, next: next) { $0.action($1) }
    }

    @Sendable private func setRole(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let fields = try await request.fields(["role"], mediaTypes: .mergePatch)
        try await site.stores.organisations.setRole(
            try fields.role(),
            ofMember: try context.id("member", orElse: "no such member"),
            of: context.organisation,
            by: context.account
        )
        return .noContent
    }

    @Sendable private func removeMember(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let member = try context.id("member", orElse: "no such member")
        try await site.stores.organisations.removeMember(member, of: context.organisation, by: context.account)
        return .noContent
    }

    @Sendable private func invitations(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let found = try site.stores.organisations.findInvitations(
            to: context.organisation, for: context.account, at: site.now())
        return .uncachedObject { $0.array("invitations", found) { $0.invitation($1) } }
    }

    @Sendable private func invite(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let fields = try await request.fields(["email", "role"])
        let language = try request.language()
        let email = try Field("email", fields["email"] ?? .null).requiredEmail()
        let made = try await site.stores.organisations.invite(
            email,
            as: fields["role"] == nil ? .volunteer : try fields.role(),
            to: context.organisation,
            by: context.account,
            at: site.now()
        )
        mail?.tell(of: made, language)
        return .uncached(status: .created) { $0.invitation(made) }
    }

    @Sendable private func withdraw(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let invitation = try context.id("invitation", orElse: "no such invitation")
        try await site.stores.organisations.withdraw(invitation, to: context.organisation, by: context.account)
        return .noContent
    }

    @Sendable private func ownInvitations(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let found = try site.stores.organisations.findInvitations(of: context.account, at: site.now())
        return .uncachedObject { $0.array("invitations", found) { $0.invitation($1) } }
    }

    @Sendable private func accept(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let id = try context.parameters.uuid(orElse: "no such invitation")
        let joined = try await site.stores.organisations.accept(id, by: context.account, at: site.now())
        return .uncached { $0.organisation(joined, site.countries) }
    }

    @Sendable private func decline(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let id = try context.parameters.uuid(orElse: "no such invitation")
        try await site.stores.organisations.decline(id, by: context.account, at: site.now())
        return .noContent
    }

    @Sendable private func keys(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let found = try site.stores.organisations.findKeys(
            of: context.organisation, for: context.account, at: site.now())
        return .uncachedObject { $0.array("keys", found) { $0.key($1) } }
    }

    @Sendable private func createKey(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let fields = try await request.fields(["name", "scopes", "expires_at"])
        guard let name = try Field("name", fields["name"] ?? .null).text(atMost: APIKey.maxNameLength) else {
            throw ServiceError.invalid("name", "expected what the key is for")
        }
        let token = Token(APIKey.prefix + Token().text)
        let key = try await site.stores.organisations.createKey(
            name: name,
            scopes: try fields.scopes(),
            tokenHash: token.digest,
            expiresAt: try fields.expiry(at: site.now()),
            for: context.organisation,
            by: context.account,
            at: site.now()
        )
        return .uncached(status: .created) { $0.key(key, token: token.text) }
    }

    @Sendable private func revokeKey(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let key = try context.id("key", orElse: "no such key")
        try await site.stores.organisations.revokeKey(key, of: context.organisation, by: context.account)
        return .noContent
    }
}

extension SignedInContext {
    fileprivate var organisation: UUID { get throws { try parameters.uuid(orElse: "no such organisation") } }

    /// Returns the parameter of the path with this name.
    ///
    /// - Parameter absence: the message of the error `notFound` if it is not a UUID.
    fileprivate func id(_ name: String, orElse absence: ErrorMessage) throws(ServiceError) -> UUID {
        guard let id = parameters.get(name).flatMap(UUID.init(uuidString:)) else {
            throw ServiceError(.notFound, absence)
        }
        return id
    }
}

extension [String: JSONValue] {
    fileprivate func role() throws -> Organisation.Role {
        guard let role = try Field("role", self["role"] ?? .null).choice(Organisation.Role.self) else {
            throw ServiceError.invalid("role", "expected manager or volunteer")
        }
        return role
    }

    fileprivate func scopes() throws -> Set<APIKey.Scope> {
        guard case .array(let values)? = self["scopes"], !values.isEmpty else {
            let known = APIKey.Scope.allCases.map(\.rawValue).joined(separator: ", ")
            throw ServiceError.invalid("scopes", "expected a list of some of \(known)")
        }
        return Set(try values.compactMap { try Field("scopes", $0).choice(APIKey.Scope.self) })
    }

    fileprivate func expiry(at now: Timestamp) throws -> Timestamp {
        let latest = now.adding(days: APIKey.maxDays)
        guard let end = try Field("expires_at", self["expires_at"] ?? .null).timestamp() else { return latest }
        guard end > now, end <= latest else {
            throw ServiceError.invalid("expires_at", "expected a time within the next \(APIKey.maxDays) days")
        }
        return end
    }
}
