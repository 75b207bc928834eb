import Domain
import Formats
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import Storage

/// The API for the accounts of organisations at other services.
struct SocialRoutes {
    let site: Site
    let service: SocialService

    func add(to router: Router<ServiceContext>) {
        router.group(context: SignedInContext.self)
            .get("/v1/organisations/:id/social-accounts", use: list)
            .post("/v1/organisations/:id/social-accounts", use: create)
            .patch("/v1/organisations/:id/social-accounts/:account", use: edit)
            .delete("/v1/organisations/:id/social-accounts/:account", use: remove)
            .post("/v1/organisations/:id/social-accounts/:account/test", use: test)
    }

    @Sendable private func list(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let found = try service.accounts.find(of: try context.owner)
        let counts = try service.posts.countShown(at: found)
        return .uncachedObject { json in
            json.array("social_accounts", found) { json, account in
                json.social(account, posts: counts[account.key] ?? 0)
            }
        }
    }

    @Sendable private func create(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let owner = try context.owner
        // Those who may not manage learn nothing of the fields.
        _ = try service.accounts.find(of: owner)
        let fields = try await request.fields()
        let account = try await service.add(fields, language: try request.language(), to: owner, by: context.account)
        return try answer(account, status: .created)
    }

    @Sendable private func edit(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let fields = try await request.fields(["paused"], mediaTypes: .mergePatch)
        guard case .bool(let isPaused)? = fields["paused"] else {
            throw ServiceError.invalid("paused", "expected true or false")
        }
        let (owner, id) = (try context.owner, try context.socialAccount)
        try await service.setPaused(isPaused, id, of: owner)
        return try answer(try service.accounts.get(id, of: owner))
    }

    @Sendable private func remove(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let actor = Audit.Actor.account(context.account.id)
        try await service.accounts.remove(try context.socialAccount, of: try context.owner, by: actor)
        return .noContent
    }

    @Sendable private func test(_ request: Request, _ context: SignedInContext) async throws -> Response {
        try await service.test(try context.socialAccount, of: try context.owner, by: context.account)
        return .noContent
    }

    private func answer(_ account: SocialAccount, status: HTTPResponse.Status = .ok) throws -> Response {
        let posts = try service.posts.countShown(at: [account])[account.key] ?? 0
        return .uncached(status: status) { $0.social(account, posts: posts) }
    }
}

extension SignedInContext {
    fileprivate var owner: SocialAccountStore.Owner {
        get throws { .organisation(try parameters.uuid(orElse: "no such organisation"), by: account) }
    }

    fileprivate var socialAccount: UUID {
        get throws(ServiceError) {
            guard let id = parameters.get("account").flatMap(UUID.init(uuidString:)) else {
                throw ServiceError(.notFound, "no such social account")
            }
            return id
        }
    }
}
