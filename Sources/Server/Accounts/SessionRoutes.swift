import Domain
import Formats
import Foundation
import HTTP
import Hummingbird
import Storage

/// The API for the sessions of an account.
struct SessionRoutes {
    let site: Site

    func add(to router: Router<ServiceContext>) {
        router.group(context: SignedInContext.self)
            .get("/v1/me/sessions", use: list)
            .delete("/v1/me/sessions", use: endOthers)
            .delete("/v1/me/sessions/:id", use: end)
    }

    @Sendable private func list(_ request: Request, _ context: SignedInContext) async throws -> Response {
        let own = try await site.stores.sessions.findSessions(of: context.account, now: site.now())
        return .uncachedObject { json in
            json.array("sessions", own) { json, session in
                json.object { json in
                    json.field("id", session.id.lowercased)
                    json.field("client", session.client)
                    json.field("created_at", session.createdAt.text)
                    json.field("last_used_at", session.lastUsedAt.text)
                    json.field("expires_at", session.expiresAt.text)
                    json.field("current", session.tokenHash == context.caller.tokenHash)
                }
            }
        }
    }

    @Sendable private func endOthers(_ request: Request, _ context: SignedInContext) async throws -> Response {
        try await site.stores.sessions.endOthers(of: context.account, keeping: context.caller.tokenHash)
        return .noContent
    }

    @Sendable private func end(_ request: Request, _ context: SignedInContext) async throws -> Response {
        try await site.stores.sessions.end(context.parameters.uuid(orElse: "no such session"), of: context.account)
        return .noContent
    }
}
