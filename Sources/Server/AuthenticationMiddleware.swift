import Credentials
import Domain
import Hummingbird
import Storage

/// Finds out who holds the bearer token, where there is one. A token that is not valid is an error, not a guest.
struct AuthenticationMiddleware: RouterMiddleware {
    let accounts: AccountStore

    func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        guard let header = request.headers[.authorization] else { return try await next(request, context) }
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer", parts[1].utf8.count <= 200 else {
            throw ServiceError(.unauthenticated, "Authorization: expected the form \"Bearer TOKEN\"")
        }
        let digest = Token(String(parts[1])).digest
        guard let account = try await accounts.findAccount(tokenHash: digest) else {
            throw ServiceError(.unauthenticated, "Authorization: the token is unknown or was revoked")
        }
        var context = context
        context.caller = Caller(account: account, tokenHash: digest)
        return try await next(request, context)
    }
}
