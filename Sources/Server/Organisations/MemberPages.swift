import Credentials
import Domain
import Forms
import Foundation
import HTTP
import Hummingbird
import Pages
import Storage

/// The page on which members see each other, and managers invite, make keys and end both.
struct MemberPages {
    let site: Site
    let mail: AccountMailer?

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/account/organisations/:id", use: show)
        router.post("/account/organisations/:id", use: change)
        router.get("/account/organisations/:id/actions", use: actions)
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        let id = try context.parameters.uuid(orElse: "no such organisation")
        return try page(request, id, account)
    }

    private func page(
        _ request: Request,
        _ id: UUID,
        _ account: Account,
        token: String? = nil,
        typed: [String: String] = [:],
        problem: ServiceError? = nil,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let members = try site.stores.organisations.findMembers(of: id, for: account)
        guard let organisation = try site.stores.organisations.find(id: id) else {
            throw ServiceError(.notFound, "no such organisation")
        }
        var management: MembersView.Management?
        if account.manages(organisation.key) {
            management = (
                try site.stores.organisations.findInvitations(to: id, for: account, at: site.now()),
                try site.stores.organisations.findKeys(of: id, for: account, at: site.now())
            )
        }
        return site.page.show(request, account, status: status, isPrivate: true) {
            $0.members(
                members,
                of: organisation,
                viewer: account,
                management: management,
                token: token,
                typed: typed,
                problem: problem
            )
        }
    }

    @Sendable private func actions(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        let id = try context.parameters.uuid(orElse: "no such organisation")
        let limit = PageSize.actions.defaultLimit
        let found = try site.stores.organisations.findActions(
            of: id, for: account, limit: limit, before: try request.queryReader().keyCursor())
        guard let organisation = try site.stores.organisations.find(id: id) else {
            throw ServiceError(.notFound, "no such organisation")
        }
        let page = Array(found.prefix(limit))
        let next = found.count > limit ? page.last.map { PageCursor(key: $0.key).token } : nil
        return site.page.show(request, account, isPrivate: true) {
            $0.organisationActions(
                page,
                of: organisation,
                next: next.map {
                    "/account/organisations/\(id.lowercased)/actions" + BoardFilters.query(["cursor": $0])
                }
            )
        }
    }

    @Sendable private func change(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let account = try SignedInContext(context: context).account
        let id = try context.parameters.uuid(orElse: "no such organisation")
        // The form tells nothing to accounts that are not members.
        _ = try site.stores.organisations.findMembers(of: id, for: account)
        let sent = try await site.page.forms.read(request)
        return try await site.page.handleForm {
            if sent["action"] == "key" {
                let token = try await makeKey(sent, id, account)
                return try page(request, id, account, token: token)
            }
            try await perform(sent, id, account, site.page.pageLanguage(request))
            // Former members cannot open the page.
            let isMember = (try? site.stores.organisations.findMembers(of: id, for: account)) != nil
            let path = isMember ? "/account/organisations/\(id.lowercased)" : "/account/organisations"
            return site.page.redirect(path, done: "account.saved")
        } orShow: { error, status in
            try page(request, id, account, typed: sent.typed, problem: error, status: status)
        }
    }

    private func perform(
        _ sent: FormReader.SubmittedForm,
        _ id: UUID,
        _ account: Account,
        _ language: Language
    ) async throws {
        func chosen(_ name: String) throws -> UUID { try Field(name, .string(sent[name] ?? "")).uuid() }
        func role() throws -> Organisation.Role {
            guard let role = sent["role"].flatMap(Organisation.Role.init) else {
                throw ServiceError.invalid("role", "expected manager or volunteer")
            }
            return role
        }
        switch sent["action"] {
        case "invite":
            let email = try Field("email", .string(sent["email"] ?? "")).requiredEmail()
            let made = try await site.stores.organisations.invite(
                email, as: try role(), to: id, by: account, at: site.now())
            mail?.tell(of: made, language)
        case "profile":
            // An empty field is removed.
            let fields = OwnOrganisationsView.fields.map { name in
                (
                    name,
                    sent[name].flatMap { $0.isEmpty ? nil : JSONValue.string($0.replacing("\r\n", with: "\n")) }
                        ?? .null
                )
            }
            _ = try await site.stores.organisations.edit(id: id, by: account) { [site] organisation in
                var content = organisation.content
                try content.apply(Dictionary(uniqueKeysWithValues: fields), site.countries)
                return content
            }
        case "withdraw": try await site.stores.organisations.withdraw(try chosen("invitation"), to: id, by: account)
        case "role":
            try await site.stores.organisations.setRole(try role(), ofMember: try chosen("member"), of: id, by: account)
        case "remove": try await site.stores.organisations.removeMember(try chosen("member"), of: id, by: account)
        case "second-factor":
            try await site.stores.organisations.setSecondFactorRequired(sent["required"] == "yes", of: id, by: account)
        case "revoke": try await site.stores.organisations.revokeKey(try chosen("key"), of: id, by: account)
        default:
            throw ServiceError.invalid(
                "action", "expected profile, invite, withdraw, role, remove, key, revoke or second-factor")
        }
    }

    /// Returns the token of a new key, which ends after the longest time.
    private func makeKey(_ sent: FormReader.SubmittedForm, _ id: UUID, _ account: Account) async throws -> String {
        let name = try Field("name", .string(sent["name"] ?? "")).text(atMost: APIKey.maxNameLength)
        guard let name else { throw ServiceError.invalid("name", "expected what the key is for") }
        let scopes = Set(sent.fields.all("scope").compactMap(APIKey.Scope.init))
        guard !scopes.isEmpty else { throw ServiceError.invalid("scopes", "expected at least one") }
        let token = Token(APIKey.prefix + Token().text)
        _ = try await site.stores.organisations.createKey(
            name: name,
            scopes: scopes,
            tokenHash: token.digest,
            expiresAt: site.now().adding(days: APIKey.maxDays),
            for: id,
            by: account,
            at: site.now()
        )
        return token.text
    }
}
